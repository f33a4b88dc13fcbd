// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "workloads/common/definition.h"
#include "workloads/norm/norm_definition.h"

namespace tahoma::workloads {

using runtime::unit_roundoff, runtime::WantedRow;

namespace {

struct Row {
  std::vector<double> x, dy;
  double mean = 0, rstd = 0, rstd_slack = 0;  // rstd_slack is relative; 0 when rstd is saved
  double normalised(std::size_t i) const { return (x[i] - mean) * rstd; }
  // x rstd - mean rstd: two products and their difference, and rstd itself.
  double normalised_slack(std::size_t i) const {
    return 2 * kUnit * (std::fabs(x[i] * rstd) + std::fabs(mean * rstd)) +
           rstd_slack * std::fabs(normalised(i));
  }
};

Row row_at(const NormBackwardValues& in, std::uint64_t row) {
  Row r{row_of(in.x, row), row_of(in.dy, row)};
  if (in.rstd != nullptr) {
    r.mean = row_of(*in.mean, row)[0];
    r.rstd = row_of(*in.rstd, row)[0];
    return r;
  }
  TermSum squares;
  for (const double v : r.x) squares.add(v * v);
  const double wide = squares.sum / static_cast<double>(r.x.size()) + in.epsilon;
  r.rstd = 1 / std::sqrt(wide);
  r.rstd_slack = squares.slack(2) / static_cast<double>(r.x.size()) / wide / 2 + 6 * kUnit;
  return r;
}

// dx = h - mean h - n mean(h n); the first mean applies to layer norm only. Each of h, n and their product
// has its own roundings and the slack of rstd; the factor and the shift of x add four more roundings.
WantedRow dx_row(const NormBackwardValues& in, const std::vector<double>& g, std::uint64_t number) {
  const Row row = row_at(in, number);
  const auto n = static_cast<double>(row.x.size());
  const bool centred = in.mean != nullptr;
  TermSum h_sum, product_sum;
  double product_slack = 0, magnitude_slack = 0;
  for (std::size_t i = 0; i < row.x.size(); ++i) {
    const double h = row.rstd * row.dy[i] * g[i], relative = 2 * kUnit + row.rstd_slack;
    h_sum.add(h);
    product_sum.add(h * row.normalised(i));
    magnitude_slack += relative * std::fabs(h);
    product_slack +=
        std::fabs(h) * row.normalised_slack(i) + (relative + kUnit) * std::fabs(h * row.normalised(i));
  }
  const double shift = centred ? h_sum.sum / n : 0, factor = product_sum.sum / n;
  const double shift_slack = centred ? (h_sum.slack() + magnitude_slack) / n : 0;
  const double factor_slack = (product_sum.slack() + product_slack) / n;
  WantedRow wanted;
  for (std::size_t i = 0; i < row.x.size(); ++i) {
    const double h = row.rstd * row.dy[i] * g[i], normalised = row.normalised(i);
    const double want = h - shift - normalised * factor;
    const double parts =
        std::fabs(factor) * (std::fabs(row.x[i] * row.rstd) + std::fabs(row.mean * row.rstd)) +
        std::fabs(shift);
    wanted.want.push_back(want);
    wanted.slack.push_back(
        (2 * kUnit + row.rstd_slack) * std::fabs(h) + shift_slack + std::fabs(normalised) * factor_slack +
        std::fabs(factor) * row.normalised_slack(i) + 5 * kUnit * parts + kUnit * std::fabs(want));
    wanted.scale.push_back(std::fabs(h) + parts);
  }
  return wanted;
}

// Products are rounded to the dtype that the tensor engine sums up.
WantedRow gradient_row(const NormBackwardValues& in, Gradient gradient, const runtime::Part& part) {
  const bool wide = in.x.dtype == isa::DType::kFp32;
  std::vector<TermSum> sums(in.x.columns());
  std::vector<double> shared(in.x.columns());
  for (std::uint64_t number = part.first; number < part.first + part.count; ++number) {
    const Row row = row_at(in, number);
    for (std::size_t i = 0; i < row.x.size(); ++i) {
      sums[i].add(gradient == Gradient::kGain ? row.dy[i] * row.normalised(i) : row.dy[i]);
      if (gradient == Gradient::kGain) shared[i] += std::fabs(row.dy[i]) * row.normalised_slack(i);
    }
  }
  const double unit =
      gradient == Gradient::kBias ? 0 : unit_roundoff(wide ? isa::DType::kFp32 : isa::DType::kBf16);
  WantedRow wanted;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    wanted.want.push_back(sums[i].sum);
    // fp32 goes through the array in four passes, each with sums of its own.
    wanted.slack.push_back(sums[i].slack(wide ? 4 : 1) + sums[i].rounded(unit) + shared[i]);
    wanted.scale.push_back(sums[i].magnitudes);
  }
  return wanted;
}

}  // namespace

GoldenResult check_norm_backward(const NormBackwardValues& in, const HostTensor& dx, const MadeBy& made_by) {
  const std::vector<double> g = row_of(in.g, 0);
  return runtime::check_rows(
      dx, [&](std::uint64_t row) { return dx_row(in, g, row); }, unit_roundoff(dx.dtype) + 0x1p-17,
      fmt::format("{} rounding of want +- the slacks of rstd, of both means of {} terms and of 12 roundings",
                  isa::name_of(dx.dtype), in.x.columns()),
      made_by);
}

GoldenResult check_norm_gradient(const NormBackwardValues& in, Gradient gradient,
                                 const std::vector<runtime::Part>& parts, const HostTensor& got,
                                 const MadeBy& made_by) {
  const bool rounded = gradient == Gradient::kGain && in.x.dtype != isa::DType::kFp32;
  return runtime::check_rows(
      got, [&](std::uint64_t core) { return gradient_row(in, gradient, parts[core]); },
      rounded ? 0x1p-8 : 0x1p-18,
      fmt::format("sum over {} rows +- 6 sqrt(rows / 3) roundings{} + the terms' own slacks", in.x.rows(),
                  rounded ? " + bf16 rounding of each product" : ""),
      made_by);
}

}  // namespace tahoma::workloads
