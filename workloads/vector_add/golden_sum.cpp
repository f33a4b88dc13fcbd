// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>

#include "runtime/golden/golden.h"
#include "runtime/golden/golden_rule.h"

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
  const auto definition = [&](std::uint64_t row) -> WantedRow {
    const Eigen::ArrayXd want = row_of(a, row) + row_of(b, row), allowed = slack * want.abs();
    return {{want.begin(), want.end()}, {allowed.begin(), allowed.end()}, {}};
  };
  return check_rows(
      y, definition, unit_roundoff(y.dtype) + slack,
      fmt::format("{} rounding of want{}", isa::name_of(y.dtype), slack > 0 ? " +- 2^-24 * |want|" : ""),
      made_by);
}

}  // namespace tahoma::runtime
