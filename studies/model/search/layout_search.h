// SPDX-License-Identifier: Apache-2.0
// Searches layouts of a model: closed forms bound every point from below, a point that cannot be on the front
// is pruned, and the others are executed, the most promising first.
//
// The front is that of three quantities: TTFT and TPOT (less is better) and tokens per second and chip (more
// is better), among the points within the limits that have the same prompt and context. Bounds are
// optimistic, so a point is pruned without loss if
//   - a bound exceeds a limit, or
//   - an executed point within the limits is at least as good as the bounds in all three quantities, and
//     better in one.
//
// layout_bounds.h has the closed forms. A layout that the workload refuses is a point with the reason.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "studies/model/model_run.h"
#include "studies/model/search/layout_bounds.h"

namespace tahoma::runtime {

// Limits are in seconds; 0: no limit.
struct LayoutLimits {
  double ttft = 0, tpot = 0;
};

struct SearchedPoint {
  ModelPoint point;
  LayoutBounds bounds;
  std::optional<ModelFigures> figures{};  // of an executed point
  std::string pruned{};                   // why it was not executed
  std::string refused{};                  // why it cannot be executed; such a point has no bounds
  bool within = false, front = false;     // the limits; the front
};

struct LayoutSearch {
  LayoutLimits limits;
  bool exhaustive = false;  // execute all points
  std::size_t at_once = 1;  // points that are executed before the others are judged again
};

// Executes points; the results are in their order.
using ExecutePoints = std::function<std::vector<ModelFigures>(const std::vector<ModelPoint>&)>;

// Decides about all points, given with their bounds; the result is in their order.
std::vector<SearchedPoint> search_layouts(std::vector<SearchedPoint> points, const LayoutSearch& search,
                                          const ExecutePoints& execute);

}  // namespace tahoma::runtime
