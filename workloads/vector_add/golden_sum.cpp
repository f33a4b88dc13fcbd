// SPDX-License-Identifier: Apache-2.0
#include "workloads/vector_add/golden_sum.h"

#include <fmt/format.h>

#include <cmath>

#include "runtime/golden/golden_rule.h"
#include "workloads/common/golden_array.h"

namespace tahoma::workloads {

using runtime::GoldenResult, runtime::HostTensor, runtime::MadeBy, runtime::unit_roundoff, runtime::WantedRow;

namespace {

// An fp32 result is rounded once; a narrower one may have been rounded to fp32 before.
double slack_of(isa::DType dtype) { return dtype == isa::DType::kFp32 ? 0 : 0x1p-24; }

}  // namespace

GoldenResult check_sum(const HostTensor& a, const HostTensor& b, const HostTensor& y, const MadeBy& made_by) {
  const double slack = slack_of(y.dtype);
  const auto definition = [&](std::uint64_t row) -> WantedRow {
    const Eigen::ArrayXd want = array_of_row(a, row) + array_of_row(b, row), allowed = slack * want.abs();
    return {{want.begin(), want.end()}, {allowed.begin(), allowed.end()}, {}};
  };
  return runtime::check_rows(
      y, definition, unit_roundoff(y.dtype) + slack,
      fmt::format("{} rounding of want{}", isa::name_of(y.dtype), slack > 0 ? " +- 2^-24 * |want|" : ""),
      made_by);
}

}  // namespace tahoma::workloads
