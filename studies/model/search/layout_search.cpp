// SPDX-License-Identifier: Apache-2.0
#include "studies/model/search/layout_search.h"

#include <fmt/format.h>

#include <algorithm>

namespace tahoma::runtime {

namespace {

double real(std::uint64_t n) { return static_cast<double>(n); }

// The quantities of the front, all such that less is better.
struct Quantities {
  double ttft, tpot, seconds_of_chip;  // the last one: chip-seconds per token
};
Quantities bound_quantities(const SearchedPoint& p) {
  return {p.bounds.ttft, p.bounds.tpot,
          p.bounds.tpot * real(p.point.layout.chips) / real(p.point.demand.batch)};
}
Quantities executed_quantities(const SearchedPoint& p) {
  return {p.figures->ttft(), p.figures->tpot(), real(p.point.layout.chips) / p.figures->tokens_per_second()};
}

bool beats(const Quantities& a, const Quantities& b) {
  const bool as_good = a.ttft <= b.ttft && a.tpot <= b.tpot && a.seconds_of_chip <= b.seconds_of_chip,
             better = a.ttft < b.ttft || a.tpot < b.tpot || a.seconds_of_chip < b.seconds_of_chip;
  return as_good && better;
}

// Points for prompts or contexts of other lengths are not comparable.
bool comparable(const SearchedPoint& a, const SearchedPoint& b) {
  return a.point.demand.prompt == b.point.demand.prompt && a.point.demand.context == b.point.demand.context;
}

bool within(const LayoutLimits& limits, double ttft, double tpot) {
  return (limits.ttft == 0 || ttft <= limits.ttft) && (limits.tpot == 0 || tpot <= limits.tpot);
}

std::string reason_to_prune(const SearchedPoint& p, const std::vector<SearchedPoint>& all,
                            const LayoutLimits& limits) {
  if (limits.ttft > 0 && p.bounds.ttft > limits.ttft)
    return fmt::format("TTFT is at least {}", seconds_text(p.bounds.ttft));
  if (limits.tpot > 0 && p.bounds.tpot > limits.tpot)
    return fmt::format("TPOT is at least {}", seconds_text(p.bounds.tpot));
  for (const SearchedPoint& other : all)
    if (comparable(other, p) && other.within && beats(executed_quantities(other), bound_quantities(p)))
      return fmt::format("{}, {}, batch {} beat its bounds", other.point.layout.chips_text(),
                         other.point.layout.text(), other.point.demand.batch);
  return "";
}

void mark_front(std::vector<SearchedPoint>& points) {
  for (SearchedPoint& p : points)
    p.front = p.within && std::none_of(points.begin(), points.end(), [&](const SearchedPoint& other) {
                return comparable(other, p) && other.within &&
                       beats(executed_quantities(other), executed_quantities(p));
              });
}

}  // namespace

std::vector<SearchedPoint> search_layouts(std::vector<SearchedPoint> points, const LayoutSearch& search,
                                          const ExecutePoints& execute) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].refused.empty()) left.push_back(i);
  std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
    return bound_quantities(points[a]).seconds_of_chip < bound_quantities(points[b]).seconds_of_chip;
  });
  while (!left.empty()) {
    std::vector<std::size_t> chosen, later;
    for (const std::size_t i : left) {
      if (!search.exhaustive) points[i].pruned = reason_to_prune(points[i], points, search.limits);
      if (!points[i].pruned.empty()) continue;
      (chosen.size() < search.at_once ? chosen : later).push_back(i);
    }
    std::vector<ModelPoint> wanted;
    for (const std::size_t i : chosen) wanted.push_back(points[i].point);
    if (wanted.empty()) break;
    std::vector<ModelFigures> figures = execute(wanted);
    for (std::size_t n = 0; n < chosen.size(); ++n) {
      SearchedPoint& point = points[chosen[n]];
      point.figures = std::move(figures[n]);
      point.within = within(search.limits, point.figures->ttft(), point.figures->tpot());
    }
    left = std::move(later);
  }
  mark_front(points);
  return points;
}

}  // namespace tahoma::runtime
