// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>

#include "runtime/golden.h"
#include "runtime/golden_tally.h"

namespace tahoma::runtime {

namespace {

// A result of fp32 is rounded once; a narrower one may have been rounded to fp32 before.
double slack_of(isa::DType dtype) { return dtype == isa::DType::kFp32 ? 0 : 0x1p-24; }

Eigen::ArrayXd row_of(const HostTensor& tensor, std::uint64_t row) {
  Eigen::ArrayXf narrow(static_cast<Eigen::Index>(tensor.columns()));
  widen_window(tensor, {row, 0, 1, tensor.columns()}, narrow.data());
  return narrow.cast<double>();
}

}  // namespace

GoldenResult check_sum(const HostTensor& a, const HostTensor& b, const HostTensor& y, const MadeBy& made_by) {
  const double slack = slack_of(y.dtype);
  const auto element = [&](double want) {
    return ExaminedElement{want, 0, bounds_of(want, slack * std::abs(want), y.dtype)};
  };
  GoldenTally tally;
  for (std::uint64_t row = 0; row < y.rows(); ++row) {
    const Eigen::ArrayXd want = row_of(a, row) + row_of(b, row), got = row_of(y, row);
    for (std::uint64_t column = 0; column < y.columns(); ++column) {
      const auto at = static_cast<Eigen::Index>(column);
      if (!element(want[at]).bounds.accept(got[at])) tally.mismatch(row * y.columns() + column);
      tally.error(got[at], want[at], 0, row, column);
    }
  }
  const auto examine = [&](std::uint64_t row, std::uint64_t column) {
    return element(double{a.at(row, column)} + double{b.at(row, column)});
  };
  return conclude(
      tally, y, examine, unit_roundoff(y.dtype) + slack,
      fmt::format("{} rounding of want{}", isa::name_of(y.dtype), slack > 0 ? " +- 2^-24 * |want|" : ""),
      made_by);
}

}  // namespace tahoma::runtime
