// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "workloads/common/definition.h"
#include "workloads/norm/norm_definition.h"

namespace tahoma::workloads {

using runtime::unit_roundoff, runtime::WantedRow;

namespace {

// Errors relative to the result. The argument of an exponential is rounded once (an absolute error, hence
// relative to its distance d from the maximum), as are those in the sum (at most the largest distance).
// Exponential, reciprocal, product and the bounds of the first two are a dozen units; the sum has n
// roundings.
WantedRow softmax_row(const std::vector<double>& x) {
  const auto [low, top] = std::minmax_element(x.begin(), x.end());
  double sum = 0;
  for (const double v : x) sum += std::exp(v - *top);
  WantedRow row;
  for (const double v : x) {
    const double want = std::exp(v - *top) / sum;
    const double units = (*top - v) + (*top - *low) + 12;
    row.want.push_back(want);
    row.slack.push_back(
        want * (units * kUnit + runtime::accumulation_slack(static_cast<double>(x.size()), 1)) + 0x1p-140);
  }
  return row;
}

// y (dy - s) with s = sum of y dy: roundings of the products and of the sum s, then a difference and a
// product.
WantedRow softmax_backward_row(const std::vector<double>& y, const std::vector<double>& dy) {
  TermSum s;
  for (std::size_t i = 0; i < y.size(); ++i) s.add(y[i] * dy[i]);
  WantedRow row;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double want = y[i] * (dy[i] - s.sum);
    row.want.push_back(want);
    row.slack.push_back(std::fabs(y[i]) * (s.slack(2) + kUnit * std::fabs(dy[i] - s.sum)) +
                        kUnit * std::fabs(want) + 0x1p-140);
    row.scale.push_back(std::fabs(y[i]) * (std::fabs(dy[i]) + s.magnitudes));
  }
  return row;
}

}  // namespace

GoldenResult check_softmax(const HostTensor& x, const HostTensor& y, const MadeBy& made_by) {
  return runtime::check_rows(
      y, [&](std::uint64_t row) { return softmax_row(row_of(x, row)); }, unit_roundoff(y.dtype) + 0x1p-18,
      fmt::format("{} rounding of want +- (2 (max - min) + 12 + 6 sqrt({} / 3)) * 2^-24 * want",
                  isa::name_of(y.dtype), x.columns()),
      made_by);
}

GoldenResult check_softmax_backward(const HostTensor& y, const HostTensor& dy, const HostTensor& dx,
                                    const MadeBy& made_by) {
  return runtime::check_rows(
      dx, [&](std::uint64_t row) { return softmax_backward_row(row_of(y, row), row_of(dy, row)); },
      unit_roundoff(dx.dtype) + 0x1p-18,
      fmt::format("{} rounding of want +- 2^-24 (|y| 6 sqrt(2 * {} / 3) range of sum y dy + 2 |want|)",
                  isa::name_of(dx.dtype), y.columns()),
      made_by);
}

}  // namespace tahoma::workloads
