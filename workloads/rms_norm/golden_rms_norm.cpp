// SPDX-License-Identifier: Apache-2.0
#include "workloads/rms_norm/golden_rms_norm.h"

#include <fmt/format.h>

#include <cmath>

#include "runtime/golden/golden_rule.h"
#include "workloads/common/definition.h"
#include "workloads/common/golden_array.h"

namespace tahoma::workloads {

using runtime::accumulation_slack, runtime::GoldenResult, runtime::HostTensor, runtime::MadeBy,
    runtime::unit_roundoff, runtime::WantedRow;

namespace {

// Relative error of the result: half of the error of the mean square (n squares and additions, a rounded 1 /
// n, a rounded epsilon, a multiply-add), 2 ulp of the root's reciprocal, and two products.
double relative_slack(double columns) {
  const double sum = accumulation_slack(2 * columns, 1);
  return (sum + 3 * kUnit) / 2 + 4 * kUnit + 2 * kUnit;
}

}  // namespace

GoldenResult check_rms_norm(const HostTensor& x, const HostTensor& g, const HostTensor& y, double epsilon,
                            const MadeBy& made_by) {
  const Eigen::ArrayXd gain = array_of_row(g, 0);
  const double slack = relative_slack(static_cast<double>(x.columns()));
  const auto definition = [&](std::uint64_t row) -> WantedRow {
    const Eigen::ArrayXd in = array_of_row(x, row);
    const Eigen::ArrayXd want = in / std::sqrt(in.square().mean() + epsilon) * gain;
    const Eigen::ArrayXd allowed = slack * want.abs();
    return {{want.begin(), want.end()}, {allowed.begin(), allowed.end()}, {}};
  };
  return runtime::check_rows(
      y, definition, unit_roundoff(y.dtype) + slack,
      fmt::format("{} rounding of want +- {:.0f} * 2^-24 * |want|", isa::name_of(y.dtype), slack / kUnit),
      made_by);
}

}  // namespace tahoma::workloads
