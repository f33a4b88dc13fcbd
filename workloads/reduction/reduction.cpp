// SPDX-License-Identifier: Apache-2.0
#include "workloads/reduction/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "workloads/common/rows_case.h"
#include "workloads/reduction/reduction_definition.h"

namespace tahoma::workloads {

namespace {

class ReductionCase final : public RowsCase {
 public:
  ReductionCase() : RowsCase("reduction", {"x"}) {}

  double useful_flops() const override { return elements(); }
  std::string describe() const override {
    return fmt::format("{} over {} of {}", op_, over_, RowsCase::describe());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    RowsCase::declare_parameters(t);
    t.add("op", op_, std::string("sum"), {"sum", "mean", "max", "min"}, "what becomes of the elements",
          base::chosen());
    t.add("over", over_, std::string("columns"), {"columns", "rows"},
          "the direction that vanishes: a result for each row, or for each column", base::chosen());
  }
  std::vector<CaseTensor> tensors() const override {
    return {matrix("x", Role::kInput), over() == Over::kColumns ? column("y", Role::kOutput) : sums("y")};
  }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return reduction_program(machine, {part.count, columns(), compute_dtype(), op(), over()});
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    if (over() == Over::kColumns)
      return check_reduction_over_columns(values.at("x"), op(), values.at("y"), maker("y"));
    return check_reduction_over_rows(values.at("x"), op(), parts(), values.at("y"), maker("y"));
  }

 private:
  ReductionOp op() const {
    constexpr std::string_view kOps[] = {"sum", "mean", "max", "min"};  // in the order of ReductionOp
    return static_cast<ReductionOp>(std::find(std::begin(kOps), std::end(kOps), op_) - std::begin(kOps));
  }
  Over over() const { return over_ == "columns" ? Over::kColumns : Over::kRows; }

  std::string op_, over_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_reduction() { return std::make_unique<ReductionCase>(); }

}  // namespace tahoma::workloads
