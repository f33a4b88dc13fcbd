// SPDX-License-Identifier: Apache-2.0
#include "workloads/mlp/golden_mlp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "isa/table/activation_functions.h"
#include "isa/table/table_names.h"
#include "runtime/golden/golden_rule.h"
#include "workloads/common/golden_activation.h"
#include "workloads/common/golden_matrix.h"

namespace tahoma::workloads {

using runtime::accumulation_slack, runtime::GoldenResult, runtime::HostTensor, runtime::kGoldenDeviations,
    runtime::MadeBy;
using runtime::rounded_size, runtime::unit_roundoff, runtime::WantedRow;

namespace {

constexpr std::uint64_t kPanel = 1024;  // hidden features at a time

double fourth(double x) { return x * x * x * x; }

// Sums of fourth powers over rows and over columns: |x|_4 |w|_4 bounds the root of a sum of squared products.
Doubles row_fourths(const Doubles& a, std::uint64_t rows, std::uint64_t columns) {
  Doubles sums(rows);
  for (std::uint64_t i = 0; i < rows * columns; ++i) sums[i / columns] += fourth(a[i]);
  return sums;
}
Doubles column_fourths(const Doubles& a, std::uint64_t columns) {
  Doubles sums(columns);
  for (std::uint64_t i = 0; i < a.size(); ++i) sums[i % columns] += fourth(a[i]);
  return sums;
}

class MlpDefinition {
 public:
  MlpDefinition(const MlpTensors& t, isa::ActFn activation)
      : t_(t),
        activation_(golden_activation(activation)),
        tokens_(t.x.rows()),
        features_(t.x.columns()),
        hidden_(t.up.columns()),
        per_product_(t.x.dtype == isa::DType::kFp32 ? 2 : 1),
        x_(doubles_of(t.x, {0, 0, tokens_, features_})),
        x_fourth_(row_fourths(x_, tokens_, features_)),
        y_(tokens_ * features_),
        h_fourth_(tokens_),
        h_error_fourth_(tokens_),
        down_fourth_(features_) {
    for (std::uint64_t first = 0; first < hidden_; first += kPanel)
      panel(first, std::min(kPanel, hidden_ - first));
  }

  WantedRow row(std::uint64_t token) const {
    WantedRow wanted;
    for (std::uint64_t f = 0; f < features_; ++f) {
      const double sum = y_[token * features_ + f];
      const double norm = std::sqrt(std::sqrt(h_fourth_[token] * down_fourth_[f]));
      const double of_h = std::sqrt(std::sqrt(h_error_fourth_[token] * down_fourth_[f]));
      // Errors that elements of h may share count in full: |h|_2 |w|_2 <= sqrt(n) |h|_4 |w|_4.
      const double shared = shared_error() * std::sqrt(static_cast<double>(hidden_)) * norm;
      Approximate want{sum, of_h + shared + sum_slack(hidden_, sum, norm)};
      if (t_.down_bias != nullptr) want = added(want, t_.down_bias->at(f, 0));
      wanted.want.push_back(want.value);
      wanted.slack.push_back(want.slack);
      wanted.scale.push_back(norm);
    }
    return wanted;
  }

 private:
  double sum_slack(std::uint64_t terms, double sum, double norm) const {
    return accumulation_slack(static_cast<double>(terms * per_product_),
                              std::fabs(sum) + kGoldenDeviations * norm);
  }
  double shared_error() const {
    return isa::activation_function(activation_.fn).error.ulps * 0x1p-23 + 2 * 0x1p-24;
  }

  // x weights for some hidden features.
  std::vector<Approximate> sums_of(const HostTensor& weights, std::uint64_t first,
                                   std::uint64_t count) const {
    const Doubles w = doubles_of(weights, {0, first, features_, count});
    const Doubles c = product(x_, w, tokens_, count), fourths = column_fourths(w, count);
    std::vector<Approximate> sums(c.size());
    for (std::uint64_t i = 0; i < c.size(); ++i) {
      const double norm = std::sqrt(std::sqrt(x_fourth_[i / count] * fourths[i % count]));
      sums[i] = {c[i], sum_slack(features_, c[i], norm)};
    }
    return sums;
  }

  void panel(std::uint64_t first, std::uint64_t count) {
    std::vector<Approximate> up = sums_of(t_.up, first, count), gate;
    if (t_.gate != nullptr) gate = sums_of(*t_.gate, first, count);
    if (t_.up_bias != nullptr)
      for (std::uint64_t i = 0; i < up.size(); ++i)
        up[i] = added(up[i], t_.up_bias->at(first + i % count, 0));
    Doubles h(up.size());
    const double rounding = kGoldenDeviations * unit_roundoff(t_.x.dtype) / std::numbers::sqrt3;
    for (std::uint64_t i = 0; i < up.size(); ++i) {
      const Approximate& inner = t_.gate != nullptr ? gate[i] : up[i];
      const double active = activation_.value(inner.value), other = t_.gate != nullptr ? up[i].value : 1;
      h[i] = active * other;
      // Independent errors of the two sums and of the rounding of h.
      const double by_inner = activation_.slope * inner.slack * std::fabs(other);
      const double by_up = t_.gate != nullptr ? std::fabs(active) * up[i].slack : 0;
      const double error = std::hypot(by_inner, by_up, rounding * rounded_size(h[i], t_.x.dtype));
      h_fourth_[i / count] += fourth(h[i]);
      h_error_fourth_[i / count] += fourth(error);
    }
    const Doubles down = doubles_of(t_.down, {first, 0, count, features_});
    const Doubles part = product(h, down, tokens_, features_), fourths = column_fourths(down, features_);
    std::transform(y_.begin(), y_.end(), part.begin(), y_.begin(), std::plus<>());
    std::transform(down_fourth_.begin(), down_fourth_.end(), fourths.begin(), down_fourth_.begin(),
                   std::plus<>());
  }

  const MlpTensors& t_;
  const GoldenActivation& activation_;
  std::uint64_t tokens_, features_, hidden_, per_product_;
  Doubles x_, x_fourth_, y_, h_fourth_, h_error_fourth_, down_fourth_;
};

}  // namespace

GoldenResult check_mlp(const MlpTensors& tensors, isa::ActFn activation, const HostTensor& y,
                       const MadeBy& made_by) {
  const MlpDefinition definition(tensors, activation);
  const std::string rule = fmt::format(
      "{} rounding of want +- {:g} deviations of {} + {} fp32 sums and of h's rounding to {}, and {} ulp of "
      "{} "
      "in full",
      isa::name_of(y.dtype), kGoldenDeviations, tensors.x.columns(), tensors.up.columns(),
      isa::name_of(y.dtype), isa::activation_function(activation).error.ulps, isa::name_of(activation));
  return runtime::check_rows(
      y, [&](std::uint64_t row) { return definition.row(row); },
      unit_roundoff(y.dtype) * (1 + kGoldenDeviations / std::numbers::sqrt3) +
          accumulation_slack(static_cast<double>(tensors.up.columns()), 1),
      rule, made_by);
}

}  // namespace tahoma::workloads
