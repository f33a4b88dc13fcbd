// SPDX-License-Identifier: Apache-2.0
#include "workloads/vector_add/vector_add.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/base/error.h"
#include "runtime/golden/golden.h"
#include "runtime/run/inputs.h"
#include "runtime/run/placement.h"
#include "workloads/vector_add/vector_add_kernel.h"

namespace tahoma::workloads {

namespace {

using runtime::HostTensor, runtime::Machine, runtime::Part, runtime::Tensor;

class VectorAdd final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override {
    t.add("elements", elements_, std::uint64_t{256'000}, {1, std::uint64_t{1} << 36},
          "elements of a, b and y: whole tiles of all partitions by `columns`", base::chosen());
    t.add("columns", columns_, std::uint64_t{1000}, {1, 32'768}, "elements of a partition in one tile",
          base::chosen());
    t.add("dtype", dtype_, isa::DType::kFp32, {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32},
          "element type of a, b and y", base::chosen());
    t.add("cores", cores_, std::uint64_t{1}, {1, 4096}, "cores that share the tiles", base::chosen());
  }

  void check(const model::MachineParams& machine) const override {
    if (cores_ > machine.cores())
      throw base::UserError("E-RUN-063", "workload.cores",
                            fmt::format("{} cores; the machine has {}", cores_, machine.cores()));
    const std::uint64_t tile = columns_ * machine.chip.core.sbuf.partitions;
    if (elements_ % tile == 0) return;
    const std::uint64_t nearest = std::max<std::uint64_t>(1, (elements_ + tile / 2) / tile) * tile;
    throw base::UserError("E-RUN-068", "workload.elements",
                          fmt::format("{} elements are no whole tiles of {} partitions x {} columns; "
                                      "the nearest number is {}",
                                      elements_, machine.chip.core.sbuf.partitions, columns_, nearest));
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    seed_ = seed;
    height_ = machine.params().chip.core.sbuf.partitions;
    const HostTensor a = input("a", 0), b = input("b", 1);
    std::map<std::uint64_t, std::shared_ptr<const isa::Program>> programs;  // by rows
    parts_.clear();
    for (std::uint32_t core = 0; core < runtime::parts_used(tiles(), cores_); ++core) {
      const Part part = runtime::part_of(tiles(), cores_, core);
      const Part rows{part.first * height_, part.count * height_};
      const auto place = [&](const char* name) {
        return machine.allocate(core, name, dtype(), {rows.count, columns_});
      };
      const Placed& p = parts_.emplace_back(Placed{rows, place("a"), place("b"), place("y")});
      auto& program = programs[rows.count];
      if (!program)
        program = std::make_shared<const isa::Program>(
            vector_add_program(machine.params(), {rows.count, columns_, dtype()}));
      machine.load(core, program, {p.a.address, p.b.address, p.y.address});
      machine.declare_input(p.a);
      machine.declare_input(p.b);
      if (!machine.functional()) continue;
      copy_window(a, {rows.first, 0, rows.count, columns_}, machine.bytes(p.a));
      copy_window(b, {rows.first, 0, rows.count, columns_}, machine.bytes(p.b));
    }
  }

  runtime::GoldenResult verify(Machine& machine) override {
    return runtime::check_sum(
        input("a", 0), input("b", 1), gather(machine),
        [&](std::uint64_t row, std::uint64_t) { return runtime::core_name(machine.params(), maker(row)); });
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    HostTensor y = gather(machine);
    return {{"y", y.dtype, {elements_}, std::move(y.values)}};
  }

  double useful_flops() const override { return static_cast<double>(elements_); }
  isa::DType compute_dtype() const override { return dtype(); }
  std::uint32_t cores_used() const override { return static_cast<std::uint32_t>(parts_.size()); }
  std::string describe() const override {
    return fmt::format("vector_add {} {}, tiles of {} columns, on {} cores", elements_, isa::name_of(dtype_),
                       columns_, cores_);
  }

 private:
  struct Placed {
    Part rows;
    Tensor a, b, y;
  };

  isa::DType dtype() const { return dtype_; }
  std::uint64_t rows() const { return elements_ / columns_; }
  std::uint64_t tiles() const { return rows() / height_; }
  HostTensor input(const char* name, std::uint64_t number) const {
    return runtime::input("", name, dtype(), {rows(), columns_}, seed_, number);
  }
  std::uint32_t maker(std::uint64_t row) const {
    std::uint32_t core = 0;
    while (row >= parts_[core].rows.first + parts_[core].rows.count) ++core;
    return core;
  }
  HostTensor gather(Machine& machine) const {
    HostTensor y = runtime::make_tensor("y", dtype(), {rows(), columns_});
    for (const Placed& p : parts_)
      paste_window(y, {p.rows.first, 0, p.rows.count, columns_}, machine.bytes(p.y));
    return y;
  }

  std::uint64_t elements_ = 0, columns_ = 0, cores_ = 0, seed_ = 0, height_ = 0;
  isa::DType dtype_{};
  std::vector<Placed> parts_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_vector_add() { return std::make_unique<VectorAdd>(); }

}  // namespace tahoma::workloads
