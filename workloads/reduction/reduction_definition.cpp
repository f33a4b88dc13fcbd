// SPDX-License-Identifier: Apache-2.0
#include "workloads/reduction/reduction_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "workloads/common/definition.h"

namespace tahoma::workloads {

using runtime::GoldenResult, runtime::HostTensor, runtime::MadeBy, runtime::WantedRow;

namespace {

struct Reduced {
  TermSum sum;
  double high = -std::numeric_limits<double>::infinity(), low = std::numeric_limits<double>::infinity();

  void add(double term) {
    sum.add(term);
    high = std::max(high, term);
    low = std::min(low, term);
  }
};

// fp32 passes through the array in four passes, each with its own sums.
void append(WantedRow& row, const Reduced& r, ReductionOp op, double roundings) {
  if (op == ReductionOp::kMax || op == ReductionOp::kMin) {
    row.want.push_back(op == ReductionOp::kMax ? r.high : r.low);
    row.slack.push_back(0);
    row.scale.push_back(0);
    return;
  }
  const double share = op == ReductionOp::kMean ? 1 / static_cast<double>(r.sum.terms) : 1;
  row.want.push_back(r.sum.sum * share);
  row.slack.push_back(share * (r.sum.slack(roundings) + 2 * kUnit * std::fabs(r.sum.sum)));
  row.scale.push_back(share * r.sum.magnitudes);
}

GoldenResult check(const HostTensor& y, ReductionOp op, std::uint64_t terms,
                   const std::function<WantedRow(std::uint64_t)>& definition, const MadeBy& made_by) {
  const bool exact = op == ReductionOp::kMax || op == ReductionOp::kMin;
  return runtime::check_rows(
      y, definition, exact ? 0 : 0x1p-18,
      exact ? "exact" : fmt::format("want +- 2^-24 (6 sqrt({} / 3) range of sums + 2 |want|)", terms),
      made_by);
}

}  // namespace

GoldenResult check_reduction_over_columns(const HostTensor& x, ReductionOp op, const HostTensor& y,
                                          const MadeBy& made_by) {
  const auto definition = [&](std::uint64_t row) {
    Reduced reduced;
    for (const double v : row_of(x, row)) reduced.add(v);
    WantedRow wanted;
    append(wanted, reduced, op, 1);
    return wanted;
  };
  return check(y, op, x.columns(), definition, made_by);
}

GoldenResult check_reduction_over_rows(const HostTensor& x, ReductionOp op,
                                       const std::vector<runtime::Part>& parts, const HostTensor& y,
                                       const MadeBy& made_by) {
  const auto definition = [&](std::uint64_t core) {
    std::vector<Reduced> reduced(x.columns());
    for (std::uint64_t row = parts[core].first; row < parts[core].first + parts[core].count; ++row) {
      const std::vector<double> values = row_of(x, row);
      for (std::size_t i = 0; i < values.size(); ++i) reduced[i].add(values[i]);
    }
    WantedRow wanted;
    for (const Reduced& r : reduced) append(wanted, r, op, x.dtype == isa::DType::kFp32 ? 4 : 1);
    return wanted;
  };
  return check(y, op, x.rows(), definition, made_by);
}

}  // namespace tahoma::workloads
