// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/record/joint.h"

#include <algorithm>

namespace tahoma::runtime::nki {

namespace {

// Both dimensions as one, if the inner one continues where a step of the outer one begins.
bool joins(const Axis& outer, const Axis& inner) {
  return outer.partition == inner.partition && outer.stride == inner.stride * inner.count;
}

void append(Axes& axes, const Axis& axis) {
  if (axis.count == 1) return;
  if (!axes.empty() && joins(axes.back(), axis))
    axes.back() = {axis.stride, axes.back().count * axis.count, axis.partition};
  else
    axes.push_back(axis);
}

// Takes `count` elements off the innermost axis of what is left of a view.
Axis take(Axes& left, std::int64_t count) {
  Axis& inner = left.back();
  const Axis taken{inner.stride, count, inner.partition};
  inner.stride *= count;
  inner.count /= count;
  if (inner.count == 1) left.pop_back();
  return taken;
}

}  // namespace

Axes free_axes(const View& view) {
  Axes axes;
  for (std::size_t d = view.on_chip() ? 1 : 0; d < view.dims.size(); ++d)
    append(axes, {view.dims[d].stride, view.dims[d].count, false});
  return axes;
}

Axes all_axes(const View& view) {
  Axes axes;
  if (view.on_chip()) append(axes, {view.dims[0].stride, view.dims[0].count, true});
  for (const Axis& axis : free_axes(view)) append(axes, axis);
  return axes;
}

std::optional<std::vector<Axes>> joint(std::span<const Axes> views) {
  std::vector<Axes> left(views.begin(), views.end()), inner_first(views.size());
  while (std::any_of(left.begin(), left.end(), [](const Axes& axes) { return !axes.empty(); })) {
    std::int64_t count = 0;
    for (const Axes& axes : left) {
      if (axes.empty()) return std::nullopt;  // fewer elements than the others
      count = count == 0 ? axes.back().count : std::min(count, axes.back().count);
    }
    for (const Axes& axes : left)
      if (axes.back().count % count != 0) return std::nullopt;
    for (std::size_t v = 0; v < left.size(); ++v) inner_first[v].push_back(take(left[v], count));
  }
  std::vector<Axes> result(views.size());
  const std::size_t depth = inner_first.empty() ? 0 : inner_first[0].size();
  for (std::size_t d = depth; d-- > 0;) {
    bool all_join = !result[0].empty();
    for (std::size_t v = 0; v < result.size() && all_join; ++v)
      all_join = joins(result[v].back(), inner_first[v][d]);
    for (std::size_t v = 0; v < result.size(); ++v) {
      const Axis& axis = inner_first[v][d];
      if (all_join)
        result[v].back() = {axis.stride, result[v].back().count * axis.count, axis.partition};
      else
        result[v].push_back(axis);
    }
  }
  return result;
}

}  // namespace tahoma::runtime::nki
