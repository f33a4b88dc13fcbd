// SPDX-License-Identifier: Apache-2.0
#include "workloads/common/kernel_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "model/base/error.h"

namespace tahoma::workloads {

using runtime::HostTensor, runtime::Machine, runtime::Part, runtime::Tensor;

namespace {

// Elements per step of dimension 0.
std::uint64_t slice_of(const CaseTensor& tensor) {
  std::uint64_t elements = 1;
  for (std::size_t d = 1; d < tensor.shape.size(); ++d) elements *= tensor.shape[d];
  return elements;
}

std::uint64_t columns_of(const CaseTensor& tensor) { return tensor.shape.back(); }

// The matrices whose rows and columns are exchanged in HBM: the two innermost dimensions of `elements` of the
// tensor. If there are only these, the rows are those of one core.
std::uint64_t matrix_rows(const CaseTensor& tensor, std::uint64_t elements) {
  return tensor.shape.size() <= 2 ? elements / columns_of(tensor) : tensor.shape[tensor.shape.size() - 2];
}

void transpose(const std::byte* src, std::uint64_t rows, std::uint64_t columns, std::size_t size,
               std::byte* dst) {
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < columns; ++c)
      std::copy_n(src + (r * columns + c) * size, size, dst + (c * rows + r) * size);
}

// [heads, tokens, d] to [tokens, heads d] or back.
void exchange_heads_and_tokens(const CaseTensor& tensor, bool to_hbm, std::uint64_t elements,
                               const std::byte* src, std::byte* dst) {
  const std::uint64_t tokens = tensor.shape[1], d = tensor.shape[2], heads = elements / (tokens * d);
  const std::size_t size = d * isa::size_of(tensor.dtype);
  for (std::uint64_t h = 0; h < heads; ++h)
    for (std::uint64_t t = 0; t < tokens; ++t) {
      const std::uint64_t by_head = h * tokens + t, by_token = t * heads + h;
      std::copy_n(src + (to_hbm ? by_head : by_token) * size, size,
                  dst + (to_hbm ? by_token : by_head) * size);
    }
}

// Copies `elements` of the tensor from host order to that of HBM, or back.
enum class Way : std::uint8_t { kToHbm, kToHost };
void copy_elements(const CaseTensor& tensor, Way way, std::uint64_t elements, const std::byte* src,
                   std::byte* dst) {
  const std::size_t size = isa::size_of(tensor.dtype);
  if (tensor.layout == HbmLayout::kTokenMajor)
    return exchange_heads_and_tokens(tensor, way == Way::kToHbm, elements, src, dst);
  if (tensor.layout == HbmLayout::kRowMajor) {
    std::copy_n(src, elements * size, dst);
    return;
  }
  std::uint64_t rows = matrix_rows(tensor, elements), columns = columns_of(tensor);
  const std::uint64_t matrix = rows * columns * size;
  if (way == Way::kToHost) std::swap(rows, columns);
  for (std::uint64_t at = 0; at < elements * size; at += matrix)
    transpose(src + at, rows, columns, size, dst + at);
}

// Returns the size of `rows` of the tensor in HBM.
std::vector<std::uint64_t> hbm_shape(const CaseTensor& tensor, std::uint64_t rows) {
  std::vector<std::uint64_t> shape = tensor.shape;
  shape[0] = rows;
  if (tensor.layout == HbmLayout::kTransposed) std::swap(shape[shape.size() - 2], shape.back());
  if (tensor.layout == HbmLayout::kTokenMajor)
    shape = {std::max(tensor.hbm_rows, tensor.shape[1]), rows * tensor.shape[2]};
  return shape;
}

const std::vector<std::uint64_t>& file_shape(const CaseTensor& tensor) {
  return tensor.file_shape.empty() ? tensor.shape : tensor.file_shape;
}

}  // namespace

KernelCase::KernelCase(std::vector<std::string> inputs) {
  for (std::string& name : inputs) inputs_.files.emplace_back(std::move(name), std::string());
}

void KernelCase::InputFiles::declare(base::ParamTree& t) {
  for (auto& [name, file] : files)
    t.add_files(name.c_str(), file, "a .npy file, or FILE.safetensors#TENSOR; empty: from the seed",
                base::chosen());
}

void KernelCase::declare(base::ParamTree& t) {
  declare_parameters(t);
  declare_cores(t);
  if (!inputs_.files.empty()) t.group("inputs", inputs_);
}

void KernelCase::declare_cores(base::ParamTree& t) {
  t.add("cores", cores_, std::uint64_t{1}, {1, 4096}, "cores that share the work", base::chosen());
}

void KernelCase::check(const model::MachineParams& machine) const {
  check_sizes(machine);
  if (cores_ > machine.cores())
    throw base::UserError("E-RUN-063", "workload.cores",
                          fmt::format("{} cores; the machine has {}", cores_, machine.cores()));
}

const model::MachineParams& KernelCase::machine() const {
  TAHOMA_INVARIANT(machine_.has_value(), "a kernel case uses its machine before prepare()");
  return *machine_;
}

std::vector<CoreGroup> KernelCase::groups() const {
  const std::uint64_t all = units(), used = runtime::parts_used(all, cores_);
  std::vector<CoreGroup> groups;
  for (std::uint32_t core = 0; core < used; ++core)
    groups.push_back({core, runtime::part_of(all, cores_, core)});
  return groups;
}

std::uint32_t KernelCase::cores_used() const {
  return static_cast<std::uint32_t>(groups().size() * group_size());
}

Part KernelCase::rows_of(const CaseTensor& tensor, const CoreGroup& group) const {
  if (tensor.sharding == Sharding::kReplicated) return {0, tensor.shape[0]};
  if (tensor.sharding == Sharding::kPerGroup) return {group.number, 1};
  if (tensor.rows_for) return tensor.rows_for(group.units);
  return {group.units.first * tensor.per_unit, group.units.count * tensor.per_unit};
}

Tensor KernelCase::place(Machine& machine, const CaseTensor& tensor, const CoreGroup& group) const {
  Tensor placed = machine.allocate(group.core, tensor.hbm_name.empty() ? tensor.name : tensor.hbm_name,
                                   tensor.dtype, hbm_shape(tensor, rows_of(tensor, group).count));
  if (tensor.placed()) machine.declare_input(placed);
  return placed;
}

void KernelCase::load_programs(Machine& machine) const {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<const isa::Program>> programs;
  for (const GroupTensors& placed : placed_) {
    const Part& units = placed.group.units;
    std::vector<std::uint64_t> addresses;
    for (const Tensor& tensor : placed.tensors) addresses.push_back(tensor.address);
    for (std::uint64_t member = 0; member < group_size(); ++member) {
      auto& shared = programs[{program_key(units), member}];
      if (!shared)
        shared = std::make_shared<const isa::Program>(member_program(machine.params(), units, member));
      machine.load(static_cast<std::uint32_t>(placed.group.core + member), shared, addresses);
    }
  }
}

void KernelCase::prepare(Machine& machine, std::uint64_t seed) {
  seed_ = seed;
  machine_ = machine.params();
  placed_.clear();
  const std::vector<CaseTensor> all = tensors();
  for (CoreGroup group : groups()) {
    group.number = placed_.size();
    GroupTensors& placed = placed_.emplace_back(GroupTensors{group, {}});
    for (const CaseTensor& tensor : all) placed.tensors.push_back(place(machine, tensor, group));
  }
  load_programs(machine);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].placed() || !(machine.functional() || all[i].control)) continue;
    fill(machine, i, all[i].role == Role::kInput ? input_values(all[i]) : made_values(all[i]));
  }
}

HostTensor KernelCase::made_values(const CaseTensor& tensor) const {
  HostTensor values = runtime::make_tensor(tensor.name, tensor.dtype, tensor.shape);
  tensor.make(values, seed_);
  return values;
}

HostTensor KernelCase::input_values(const CaseTensor& tensor) const {
  const auto named = std::find_if(inputs_.files.begin(), inputs_.files.end(),
                                  [&](const auto& input) { return input.first == tensor.name; });
  TAHOMA_INVARIANT(named != inputs_.files.end(), "the case has not declared this input");
  const std::string& file = named->second;
  HostTensor values = !file.empty() || !tensor.make
                          ? runtime::input(file, tensor.name, tensor.dtype, file_shape(tensor), seed_)
                          : made_values(tensor);
  values.shape = tensor.shape;
  if (tensor.refuse) tensor.refuse(values);
  return values;
}

void KernelCase::fill(Machine& machine, std::size_t index, const HostTensor& values) {
  const CaseTensor tensor = tensors()[index];
  const std::uint64_t slice = slice_of(tensor), size = isa::size_of(tensor.dtype);
  for (const GroupTensors& placed : placed_) {
    const Part rows = rows_of(tensor, placed.group);
    std::byte* bytes = machine.bytes(placed.tensors[index]);
    if (tensor.hbm_rows > 0) std::fill_n(bytes, placed.tensors[index].bytes(), std::byte{0});
    copy_elements(tensor, Way::kToHbm, rows.count * slice, values.values.data() + rows.first * slice * size,
                  bytes);
  }
}

HostTensor KernelCase::gather(Machine& machine, std::size_t index) const {
  const CaseTensor tensor = tensors()[index];
  HostTensor values = runtime::make_tensor(tensor.name, tensor.dtype, tensor.shape);
  const std::uint64_t slice = slice_of(tensor), size = isa::size_of(tensor.dtype);
  for (const GroupTensors& placed : placed_) {
    const Part rows = rows_of(tensor, placed.group);
    copy_elements(tensor, Way::kToHost, rows.count * slice, machine.bytes(placed.tensors[index]),
                  values.values.data() + rows.first * slice * size);
  }
  return values;
}

runtime::MadeBy KernelCase::maker_of(const Machine& machine, const CaseTensor& tensor) const {
  return [this, &machine, tensor](std::uint64_t row, std::uint64_t) {
    const std::uint64_t of_first = row * columns_of(tensor) / slice_of(tensor);
    const auto made = std::find_if(placed_.begin(), placed_.end(), [&](const GroupTensors& placed) {
      const Part rows = rows_of(tensor, placed.group);
      return of_first < rows.first + rows.count;
    });
    return runtime::core_name(machine.params(), made->group.core);
  };
}

runtime::GoldenResult KernelCase::verify(Machine& machine) {
  const std::vector<CaseTensor> all = tensors();
  CaseValues values;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].role == Role::kInput) values[all[i].name] = input_values(all[i]);
    if (all[i].role == Role::kOutput) values[all[i].name] = gather(machine, i);
  }
  return compare(values, [&](const std::string& name) {
    const auto tensor =
        std::find_if(all.begin(), all.end(), [&](const CaseTensor& t) { return t.name == name; });
    return maker_of(machine, *tensor);
  });
}

std::vector<runtime::NamedValues> KernelCase::outputs(Machine& machine) {
  const std::vector<CaseTensor> all = tensors();
  std::vector<runtime::NamedValues> saved;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].role != Role::kOutput) continue;
    HostTensor values = gather(machine, i);
    saved.push_back({values.name, values.dtype, file_shape(all[i]), std::move(values.values)});
  }
  return saved;
}

}  // namespace tahoma::workloads
