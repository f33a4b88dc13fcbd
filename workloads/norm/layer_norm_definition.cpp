// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "workloads/common/definition.h"
#include "workloads/norm/norm_definition.h"

namespace tahoma::workloads {

using runtime::unit_roundoff, runtime::WantedRow;

namespace {

struct Moments {
  double mean = 0, mean_slack = 0, rstd = 0,
         rstd_slack = 0;  // absolute slack of the mean, relative slack of rstd
};

// The mean is off by the sum's n roundings and two of 1 / n. The squared distances cancel that error to the
// first order; they have two roundings each and n in their sum. rsqrt is accurate to 1.5 units.
Moments moments_of(const std::vector<double>& x, double epsilon) {
  const auto n = static_cast<double>(x.size());
  TermSum sum, squares;
  for (const double v : x) sum.add(v);
  Moments m;
  m.mean = sum.sum / n;
  m.mean_slack = sum.slack() / n + 2 * kUnit * std::fabs(m.mean);
  for (const double v : x) squares.add((v - m.mean) * (v - m.mean));
  const double variance = squares.sum / n;
  const double variance_slack =
      squares.slack(3) / n + m.mean_slack * m.mean_slack + 4 * kUnit * (variance + epsilon);
  m.rstd = 1 / std::sqrt(variance + epsilon);
  m.rstd_slack = variance_slack / (variance + epsilon) / 2 + 4 * kUnit;
  return m;
}

WantedRow layer_norm_row(const LayerNormValues& in, std::uint64_t row) {
  const std::vector<double> x = row_of(in.x, row), g = row_of(in.g, 0), b = row_of(in.b, 0);
  const Moments m = moments_of(x, in.epsilon);
  WantedRow wanted;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double distance = x[i] - m.mean, scaled = distance * m.rstd * g[i];
    wanted.want.push_back(scaled + b[i]);
    wanted.slack.push_back(std::fabs(m.rstd * g[i]) * (m.mean_slack + kUnit * std::fabs(distance)) +
                           std::fabs(scaled) * (m.rstd_slack + 3 * kUnit) + kUnit * std::fabs(scaled + b[i]));
    wanted.scale.push_back(std::fabs(m.rstd * g[i]) * (std::fabs(x[i]) + std::fabs(m.mean)) +
                           std::fabs(b[i]));
  }
  return wanted;
}

constexpr const char* kRule =
    "{} rounding of want +- |rstd g| (mean's slack + |x - mean| 2^-24) + |want - b| (rstd's slack + 3 * "
    "2^-24)"
    " + |want| 2^-24, the slacks from {} roundings of each sum";

}  // namespace

GoldenResult check_layer_norm(const LayerNormValues& in, const HostTensor& y, const MadeBy& made_by) {
  return runtime::check_rows(
      y, [&](std::uint64_t row) { return layer_norm_row(in, row); }, unit_roundoff(y.dtype) + 0x1p-18,
      fmt::format(kRule, isa::name_of(y.dtype), in.x.columns()), made_by);
}

GoldenResult check_layer_norm_mean(const LayerNormValues& in, const HostTensor& mean, const MadeBy& made_by) {
  const auto definition = [&](std::uint64_t row) -> WantedRow {
    const std::vector<double> x = row_of(in.x, row);
    const Moments m = moments_of(x, in.epsilon);
    TermSum sum;
    for (const double v : x) sum.add(v);
    return {{m.mean}, {m.mean_slack}, {sum.magnitudes / static_cast<double>(x.size())}};
  };
  return runtime::check_rows(mean, definition, 0x1p-18,
                             fmt::format("mean +- (6 sqrt({} / 3) * range of sums / {} + 2 |want|) * 2^-24",
                                         in.x.columns(), in.x.columns()),
                             made_by);
}

GoldenResult check_layer_norm_rstd(const LayerNormValues& in, const HostTensor& rstd, const MadeBy& made_by) {
  const auto definition = [&](std::uint64_t row) -> WantedRow {
    const Moments m = moments_of(row_of(in.x, row), in.epsilon);
    return {{m.rstd}, {m.rstd * m.rstd_slack}, {}};
  };
  return runtime::check_rows(
      rstd, definition, 0x1p-18,
      fmt::format("rstd +- half the relative slack of a variance of {} squares", in.x.columns()), made_by);
}

}  // namespace tahoma::workloads
