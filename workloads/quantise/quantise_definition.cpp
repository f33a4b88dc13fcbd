// SPDX-License-Identifier: Apache-2.0
#include "workloads/quantise/quantise_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/common/definition.h"

namespace tahoma::workloads {

using runtime::GoldenResult, runtime::HostTensor, runtime::MadeBy, runtime::WantedRow;

namespace {

std::size_t group_of(const QuantiseShape& shape, std::size_t column) {
  return shape.group == Group::kRow ? 0 : column / kBlockColumns;
}

// Maxima are exact.
std::vector<double> scales_of(const std::vector<double>& x, const QuantiseShape& shape) {
  std::vector<double> scales(shape.groups(), double{kLeastMaximum});
  for (std::size_t i = 0; i < x.size(); ++i) {
    double& largest = scales[group_of(shape, i)];
    largest = std::max(largest, std::fabs(x[i]));
  }
  for (double& scale : scales) scale /= double{largest_of(shape.narrow)};
  return scales;
}

}  // namespace

GoldenResult check_scales(const HostTensor& x, const QuantiseShape& shape, const HostTensor& scale,
                          const MadeBy& made_by) {
  const auto definition = [&](std::uint64_t row) {
    WantedRow wanted;
    wanted.want = scales_of(row_of(x, row), shape);
    for (const double want : wanted.want) wanted.slack.push_back(kUnit * want);
    return wanted;
  };
  return runtime::check_rows(scale, definition, 2 * kUnit, "largest |x| / largest fp8 +- 2^-24 |want|",
                             made_by);
}

// A scale, its reciprocal and the product are rounded to fp32 before the product is rounded to fp8.
GoldenResult check_quantised(const HostTensor& x, const QuantiseShape& shape, const HostTensor& y,
                             const MadeBy& made_by) {
  const auto definition = [&](std::uint64_t row) {
    const std::vector<double> in = row_of(x, row), scales = scales_of(in, shape);
    WantedRow wanted;
    for (std::size_t i = 0; i < in.size(); ++i) {
      wanted.want.push_back(in[i] / scales[group_of(shape, i)]);
      wanted.slack.push_back(4 * kUnit * std::fabs(wanted.want.back()));
    }
    wanted.scale.assign(in.size(), runtime::smallest_normal(y.dtype));
    return wanted;
  };
  return runtime::check_rows(
      y, definition, runtime::unit_roundoff(y.dtype) + 4 * kUnit,
      fmt::format("{} rounding of x / scale +- 4 * 2^-24 |want|", isa::name_of(y.dtype)), made_by);
}

GoldenResult check_dequantised(const HostTensor& y, const HostTensor& scale, const QuantiseShape& shape,
                               const HostTensor& x, const MadeBy& made_by) {
  const auto definition = [&](std::uint64_t row) {
    const std::vector<double> in = row_of(y, row), scales = row_of(scale, row);
    WantedRow wanted;
    for (std::size_t i = 0; i < in.size(); ++i) {
      wanted.want.push_back(in[i] * scales[group_of(shape, i)]);
      wanted.slack.push_back(kUnit * std::fabs(wanted.want.back()));
    }
    return wanted;
  };
  return runtime::check_rows(x, definition, runtime::unit_roundoff(x.dtype) + kUnit,
                             fmt::format("{} rounding of y scale +- 2^-24 |want|", isa::name_of(x.dtype)),
                             made_by);
}

}  // namespace tahoma::workloads
