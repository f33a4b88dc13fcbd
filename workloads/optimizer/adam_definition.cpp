// SPDX-License-Identifier: Apache-2.0
#include "workloads/optimizer/adam_definition.h"

#include <fmt/format.h>

#include "workloads/common/definition.h"

namespace tahoma::workloads {

namespace {

struct Wanted {
  double value = 0, slack = 0, scale = 0;
};

// Constants and every operation are rounded to fp32: three units for every product, one for a sum.
Wanted first_moment(const AdamSettings& s, double m, double g) {
  const double kept = s.beta1 * m, added = (1 - s.beta1) * g;
  const double size = std::fabs(kept) + std::fabs(added);
  return {kept + added, kUnit * (3 * size + std::fabs(kept + added)), size};
}

// The root of 1 - beta2 counts twice.
Wanted second_moment(const AdamSettings& s, double v, double g) {
  const double value = s.beta2 * v + (1 - s.beta2) * g * g;
  return {value, 7 * kUnit * value + 0x1p-140, 0};
}

// Error of the subtracted step: the quotient has half of v's slack, a root accurate to a unit, two units of
// its correction, a sum and a division, and two units of the rate, whose product is rounded.
Wanted parameter(const AdamSettings& s, double p, double g, double m, double v) {
  const Wanted first = first_moment(s, m, g), second = second_moment(s, v, g);
  const double below = std::sqrt(second.value * s.second_correction()) + s.epsilon;
  const double rate = s.rate * s.first_correction();
  const double step = rate * first.value / below, kept = (1 - s.rate * s.decay) * p;
  const double slack = rate / below * first.slack + 12 * kUnit * std::fabs(step) +
                       2 * kUnit * std::fabs(kept) + kUnit * std::fabs(kept - step);
  return {kept - step, slack, std::fabs(kept) + std::fabs(step)};
}

}  // namespace

runtime::GoldenResult check_adam(const AdamValues& in, AdamOutput output, const runtime::HostTensor& got,
                                 const runtime::MadeBy& made_by) {
  const AdamSettings& s = in.settings;
  const auto definition = [&](std::uint64_t row) {
    const std::vector<double> p = row_of(in.p, row), g = row_of(in.g, row), m = row_of(in.m, row),
                              v = row_of(in.v, row);
    runtime::WantedRow wanted;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Wanted w = output == AdamOutput::kParameter     ? parameter(s, p[i], g[i], m[i], v[i])
                       : output == AdamOutput::kFirstMoment ? first_moment(s, m[i], g[i])
                                                            : second_moment(s, v[i], g[i]);
      wanted.want.push_back(w.value);
      wanted.slack.push_back(w.slack);
      wanted.scale.push_back(w.scale);
    }
    return wanted;
  };
  return runtime::check_rows(got, definition, runtime::unit_roundoff(got.dtype) + 16 * kUnit,
                             fmt::format("{} rounding of want +- 2^-24 (3 of each product, 12 of the step, 1 "
                                         "of each sum)",
                                         isa::name_of(got.dtype)),
                             made_by);
}

}  // namespace tahoma::workloads
