// SPDX-License-Identifier: Apache-2.0
#include "workloads/reduction/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "workloads/common/rows_case.h"
#include "workloads/reduction/reduction_definition.h"

namespace tahoma::workloads {

namespace {

constexpr base::Named<ReductionOp> kReductionOps[] = {{ReductionOp::kSum, "sum"},
                                                      {ReductionOp::kMean, "mean"},
                                                      {ReductionOp::kMax, "max"},
                                                      {ReductionOp::kMin, "min"}};
constexpr base::Named<Over> kDirections[] = {{Over::kColumns, "columns"}, {Over::kRows, "rows"}};

class ReductionCase final : public RowsCase {
 public:
  ReductionCase() : RowsCase("reduction", {"x"}) {}

  double useful_flops() const override { return elements(); }
  std::string describe() const override {
    return fmt::format("{} over {} of {}", base::name_in(kReductionOps, op_),
                       base::name_in(kDirections, over_), RowsCase::describe());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    RowsCase::declare_parameters(t);
    t.add("op", op_, ReductionOp::kSum, kReductionOps, "operation on the elements", base::chosen());
    t.add("over", over_, Over::kColumns, kDirections,
          "the reduced direction: columns give a result for each row, rows for each column", base::chosen());
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
  ReductionOp op() const { return op_; }
  Over over() const { return over_; }

  ReductionOp op_{};
  Over over_{};
};

}  // namespace

std::unique_ptr<runtime::Workload> make_reduction() { return std::make_unique<ReductionCase>(); }

}  // namespace tahoma::workloads
