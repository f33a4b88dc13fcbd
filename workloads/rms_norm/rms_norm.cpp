// SPDX-License-Identifier: Apache-2.0
#include "workloads/rms_norm/rms_norm.h"

#include <fmt/format.h>

#include <map>

#include "model/base/error.h"
#include "runtime/golden.h"
#include "runtime/inputs.h"
#include "runtime/placement.h"
#include "workloads/rms_norm/rms_norm_kernel.h"

namespace tahoma::workloads {

namespace {

using runtime::HostTensor, runtime::Machine, runtime::Part, runtime::Tensor;

class RmsNorm final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override {
    t.add("rows", rows_, std::uint64_t{1024}, {1, std::uint64_t{1} << 24}, "rows of x and y", base::chosen());
    t.add("columns", columns_, std::uint64_t{1024}, {1, 16384}, "columns of x and y, elements of g",
          base::chosen());
    t.add("dtype", dtype_, std::string("bf16"), {"bf16", "fp16", "fp32"}, "element type of x and y",
          base::chosen());
    t.add("epsilon", epsilon_, 1e-5, {0, 1}, "added to the mean square", base::chosen());
    t.add("cores", cores_, std::uint64_t{1}, {1, 4096}, "cores that share the rows", base::chosen());
  }

  void check(const model::MachineParams& machine) const override {
    if (cores_ > machine.cores())
      throw base::UserError("E-RUN-063", "workload.cores",
                            fmt::format("{} cores; the machine has {}", cores_, machine.cores()));
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    seed_ = seed;
    const HostTensor x = input_x(), g = input_g();
    std::map<std::uint64_t, std::shared_ptr<const isa::Program>> programs;  // by rows
    parts_.clear();
    for (std::uint32_t core = 0; core < cores_used(); ++core) {
      const Part rows = runtime::part_of(rows_, cores_, core);
      const Placed& p =
          parts_.emplace_back(Placed{rows, machine.allocate(core, "x", dtype(), {rows.count, columns_}),
                                     machine.allocate(core, "g", isa::DType::kFp32, {1, columns_}),
                                     machine.allocate(core, "y", dtype(), {rows.count, columns_})});
      auto& program = programs[rows.count];
      if (!program)
        program = std::make_shared<const isa::Program>(rms_norm_program(
            machine.params(), {rows.count, columns_, dtype(), static_cast<float>(epsilon_)}));
      machine.load(core, program, {p.x.address, p.g.address, p.y.address});
      machine.declare_input(p.x);
      machine.declare_input(p.g);
      if (!machine.functional()) continue;
      copy_window(x, {rows.first, 0, rows.count, columns_}, machine.bytes(p.x));
      machine.write(p.g, g.values);
    }
  }

  runtime::GoldenResult verify(Machine& machine) override {
    const HostTensor y = gather(machine);
    return runtime::check_rms_norm(input_x(), input_g(), y, epsilon_, [&](std::uint64_t row, std::uint64_t) {
      return runtime::core_name(machine.params(), maker(row));
    });
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    HostTensor y = gather(machine);
    return {{"y", y.dtype, y.shape, std::move(y.values)}};
  }

  // A square and an addition, a product by 1 / rms and one by g.
  double useful_flops() const override {
    return 4.0 * static_cast<double>(rows_) * static_cast<double>(columns_);
  }
  isa::DType compute_dtype() const override { return dtype(); }
  std::uint32_t cores_used() const override {
    return static_cast<std::uint32_t>(runtime::parts_used(rows_, cores_));
  }
  std::string describe() const override {
    return fmt::format("rms_norm {}x{} {} on {} cores", rows_, columns_, dtype_, cores_);
  }

 private:
  struct Placed {
    Part rows;
    Tensor x, g, y;
  };

  isa::DType dtype() const { return *isa::dtype_from_name(dtype_); }
  HostTensor input_x() const { return runtime::input("", "x", dtype(), {rows_, columns_}, seed_, 0); }
  HostTensor input_g() const { return runtime::input("", "g", isa::DType::kFp32, {1, columns_}, seed_, 1); }
  std::uint32_t maker(std::uint64_t row) const {
    std::uint32_t core = 0;
    while (row >= parts_[core].rows.first + parts_[core].rows.count) ++core;
    return core;
  }
  HostTensor gather(Machine& machine) const {
    HostTensor y = runtime::make_tensor("y", dtype(), {rows_, columns_});
    for (const Placed& p : parts_)
      paste_window(y, {p.rows.first, 0, p.rows.count, columns_}, machine.bytes(p.y));
    return y;
  }

  std::uint64_t rows_ = 0, columns_ = 0, cores_ = 0, seed_ = 0;
  double epsilon_ = 0;
  std::string dtype_;
  std::vector<Placed> parts_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_rms_norm() { return std::make_unique<RmsNorm>(); }

}  // namespace tahoma::workloads
