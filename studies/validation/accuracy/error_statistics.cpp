// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/error_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/base/error.h"

namespace tahoma::runtime {

double error_percent(double model, double silicon) { return 100 * (model - silicon) / silicon; }

double mean_absolute(std::span<const double> errors) {
  TAHOMA_INVARIANT(!errors.empty(), "the mean of no errors");
  double sum = 0;
  for (const double error : errors) sum += std::fabs(error);
  return sum / static_cast<double>(errors.size());
}

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    // Ranks begin + 1 .. end are shared.
    const double shared = static_cast<double>(begin + 1 + end) / 2;
    for (std::size_t i = begin; i < end; ++i) rank[order[i]] = shared;
  }
  return rank;
}

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  TAHOMA_INVARIANT(a.size() == b.size(), "a correlation of unequally many values");
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double middle = static_cast<double>(a.size() + 1) / 2;  // the mean of all ranks, shared or not
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
    xy += (x[i] - middle) * (y[i] - middle);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

}  // namespace tahoma::runtime
