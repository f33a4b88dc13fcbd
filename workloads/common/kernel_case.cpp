// SPDX-License-Identifier: Apache-2.0
#include "workloads/common/kernel_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "model/base/error.h"

namespace tahoma::workloads {

using runtime::HostTensor, runtime::Machine, runtime::Part, runtime::Tensor;

namespace {

// Elements behind one step of dimension 0.
std::uint64_t slice_of(const CaseTensor& tensor) {
  std::uint64_t elements = 1;
  for (std::size_t d = 1; d < tensor.shape.size(); ++d) elements *= tensor.shape[d];
  return elements;
}

std::uint64_t columns_of(const CaseTensor& tensor) { return tensor.shape.back(); }

// The matrices that change rows and columns on their way to HBM: the two innermost dimensions, of `elements`
// of the tensor. Where these are all there are, the rows are those of one core.
std::uint64_t matrix_rows(const CaseTensor& tensor, std::uint64_t elements) {
  return tensor.shape.size() <= 2 ? elements / columns_of(tensor) : tensor.shape[tensor.shape.size() - 2];
}

void transpose(const std::byte* src, std::uint64_t rows, std::uint64_t columns, std::size_t size,
               std::byte* dst) {
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < columns; ++c)
      std::copy_n(src + (r * columns + c) * size, size, dst + (c * rows + r) * size);
}

// `elements` of the tensor, from host order to that of HBM or back.
enum class Way : std::uint8_t { kToHbm, kToHost };
void copy_elements(const CaseTensor& tensor, Way way, std::uint64_t elements, const std::byte* src,
                   std::byte* dst) {
  const std::size_t size = isa::size_of(tensor.dtype);
  if (!tensor.transposed) {
    std::copy_n(src, elements * size, dst);
    return;
  }
  std::uint64_t rows = matrix_rows(tensor, elements), columns = columns_of(tensor);
  const std::uint64_t matrix = rows * columns * size;
  if (way == Way::kToHost) std::swap(rows, columns);
  for (std::uint64_t at = 0; at < elements * size; at += matrix)
    transpose(src + at, rows, columns, size, dst + at);
}

}  // namespace

KernelCase::KernelCase(std::vector<std::string> inputs) {
  for (std::string& name : inputs) inputs_.files.emplace_back(std::move(name), std::string());
}

void KernelCase::InputFiles::declare(base::ParamTree& t) {
  for (auto& [name, file] : files)
    t.add(name.c_str(), file, std::string(), {},
          "a .npy file, or FILE.safetensors#TENSOR; empty: from the seed", base::chosen());
}

void KernelCase::declare(base::ParamTree& t) {
  declare_parameters(t);
  t.add("cores", cores_, std::uint64_t{1}, {1, 4096}, "cores that share the work", base::chosen());
  if (!inputs_.files.empty()) t.group("inputs", inputs_);
}

void KernelCase::check(const model::MachineParams& machine) const {
  check_sizes(machine);
  if (cores_ > machine.cores())
    throw base::UserError("E-RUN-063", "workload.cores",
                          fmt::format("{} cores; the machine has {}", cores_, machine.cores()));
}

std::uint32_t KernelCase::cores_used() const {
  return static_cast<std::uint32_t>(runtime::parts_used(units(), cores_));
}

Part KernelCase::rows_of(const CaseTensor& tensor, const Placed& placed) const {
  if (tensor.deal == Deal::kWhole) return {0, tensor.shape[0]};
  if (tensor.deal == Deal::kCores) return {placed.core, 1};
  return {placed.part.first * tensor.per_unit, placed.part.count * tensor.per_unit};
}

void KernelCase::prepare(Machine& machine, std::uint64_t seed) {
  seed_ = seed;
  placed_.clear();
  const std::vector<CaseTensor> all = tensors();
  std::map<std::uint64_t, std::shared_ptr<const isa::Program>> programs;
  for (std::uint32_t core = 0; core < cores_used(); ++core) {
    Placed& placed = placed_.emplace_back(Placed{core, runtime::part_of(units(), cores_, core), {}});
    std::vector<std::uint64_t> addresses;
    for (const CaseTensor& tensor : all) {
      std::vector<std::uint64_t> shape = tensor.shape;
      shape[0] = rows_of(tensor, placed).count;
      placed.tensors.push_back(machine.allocate(core, tensor.name, tensor.dtype, shape));
      addresses.push_back(placed.tensors.back().address);
      if (tensor.placed()) machine.declare_input(placed.tensors.back());
    }
    auto& shared = programs[program_key(placed.part)];
    if (!shared) shared = std::make_shared<const isa::Program>(program(machine.params(), placed.part));
    machine.load(core, shared, addresses);
  }
  std::size_t number = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t input = all[i].role == Role::kInput ? number++ : 0;
    if (!all[i].placed() || !(machine.functional() || all[i].control)) continue;
    fill(machine, i, all[i].role == Role::kInput ? input_values(all[i], input) : made_values(all[i]));
  }
}

HostTensor KernelCase::made_values(const CaseTensor& tensor) const {
  HostTensor values = runtime::make_tensor(tensor.name, tensor.dtype, tensor.shape);
  tensor.make(values, seed_);
  return values;
}

HostTensor KernelCase::input_values(const CaseTensor& tensor, std::size_t number) const {
  const auto named = std::find_if(inputs_.files.begin(), inputs_.files.end(),
                                  [&](const auto& input) { return input.first == tensor.name; });
  TAHOMA_INVARIANT(named != inputs_.files.end(), "an input that its case has not named");
  const std::string& file = named->second;
  HostTensor values = !file.empty() || !tensor.make
                          ? runtime::input(file, tensor.name, tensor.dtype, tensor.shape, seed_, number)
                          : made_values(tensor);
  if (tensor.refuse) tensor.refuse(values);
  return values;
}

void KernelCase::fill(Machine& machine, std::size_t index, const HostTensor& values) {
  const CaseTensor tensor = tensors()[index];
  const std::uint64_t slice = slice_of(tensor), size = isa::size_of(tensor.dtype);
  for (const Placed& placed : placed_) {
    const Part rows = rows_of(tensor, placed);
    copy_elements(tensor, Way::kToHbm, rows.count * slice, values.values.data() + rows.first * slice * size,
                  machine.bytes(placed.tensors[index]));
  }
}

HostTensor KernelCase::gather(Machine& machine, std::size_t index) const {
  const CaseTensor tensor = tensors()[index];
  HostTensor values = runtime::make_tensor(tensor.name, tensor.dtype, tensor.shape);
  const std::uint64_t slice = slice_of(tensor), size = isa::size_of(tensor.dtype);
  for (const Placed& placed : placed_) {
    const Part rows = rows_of(tensor, placed);
    copy_elements(tensor, Way::kToHost, rows.count * slice, machine.bytes(placed.tensors[index]),
                  values.values.data() + rows.first * slice * size);
  }
  return values;
}

runtime::MadeBy KernelCase::maker_of(const Machine& machine, const CaseTensor& tensor) const {
  return [this, &machine, tensor](std::uint64_t row, std::uint64_t) {
    const std::uint64_t of_first = row * columns_of(tensor) / slice_of(tensor);
    const auto made = std::find_if(placed_.begin(), placed_.end(), [&](const Placed& placed) {
      const Part rows = rows_of(tensor, placed);
      return of_first < rows.first + rows.count;
    });
    return runtime::core_name(machine.params(), made->core);
  };
}

runtime::GoldenResult KernelCase::verify(Machine& machine) {
  const std::vector<CaseTensor> all = tensors();
  CaseValues values;
  std::size_t number = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].role == Role::kInput) values[all[i].name] = input_values(all[i], number++);
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
    saved.push_back({values.name, values.dtype, values.shape, std::move(values.values)});
  }
  return saved;
}

}  // namespace tahoma::workloads
