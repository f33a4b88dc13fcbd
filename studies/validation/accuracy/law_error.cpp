// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/law_error.h"

#include <algorithm>
#include <cmath>

namespace tahoma::runtime {

namespace {

constexpr double kConfidence = 0.95;

std::vector<double> calibrated_distances(const FamilyPage& family) {
  std::vector<double> distances;
  for (const PageRow& row : family.rows)
    if (row.has_value() && row.figure.use == FigureUse::kCalibration && row.measured.model > 0)
      distances.push_back(std::fabs(row.measured.model - row.figure.reference) / row.measured.model);
  return distances;
}

std::optional<double> law_error_of(const std::vector<double>& own, std::optional<double> pooled) {
  if (const std::optional<double> bound = conformal_bound(own)) return bound;
  if (!pooled || own.empty()) return pooled;
  return std::max(*pooled, *std::max_element(own.begin(), own.end()));
}

Spread interval_of(const PageRow& row, double law) {
  const IntervalDistance moves = row.moves.value_or(IntervalDistance{});
  return {row.measured.model * (1 - std::min(1.0, std::hypot(law, moves.down))),
          row.measured.model * (1 + std::hypot(law, moves.up))};
}

}  // namespace

std::optional<double> conformal_bound(std::vector<double> distances) {
  const auto rank =
      static_cast<std::size_t>(std::ceil(kConfidence * static_cast<double>(distances.size() + 1)));
  if (rank > distances.size()) return std::nullopt;
  std::sort(distances.begin(), distances.end());
  return distances[rank - 1];
}

void set_intervals(std::vector<FamilyPage>& families) {
  std::vector<std::vector<double>> distances;  // by family
  std::vector<double> every;
  for (const FamilyPage& family : families) {
    const std::vector<double>& own = distances.emplace_back(calibrated_distances(family));
    every.insert(every.end(), own.begin(), own.end());
  }
  const std::optional<double> pooled = conformal_bound(std::move(every));
  for (std::size_t f = 0; f < families.size(); ++f) {
    FamilyPage& family = families[f];
    family.law_error = law_error_of(distances[f], pooled);
    for (PageRow& row : family.rows)
      if (row.has_value() && row.figure.use == FigureUse::kCheck && (family.law_error || row.moves))
        row.interval = interval_of(row, family.law_error.value_or(0));
  }
}

}  // namespace tahoma::runtime
