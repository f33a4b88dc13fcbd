// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/algorithm/hierarchical.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runtime/collective/algorithm/slices.h"
#include "runtime/collective/algorithm/subset.h"

namespace tahoma::runtime::collective {

namespace {

class AxisByAxis {
 public:
  AxisByAxis(const Problem& problem, const Grid& grid, AxisOrder order, bool up)
      : grid_(grid), order_(std::move(order)), up_(up), build_(problem, problem.ranks, "") {
    std::string names;
    for (const std::size_t a : order_) names += (names.empty() ? "" : ",") + grid_.axes[a].name;
    build_.rename(fmt::format("rings along {}, {}", names, up ? "up" : "down"));
  }

  Schedule schedule() {
    const Operation operation = build_.problem().operation;
    if (operation != Operation::kAllGather)
      for (std::size_t i = 0; i < order_.size(); ++i) scatter(i);
    for (std::uint32_t r = 0; r < grid_.ranks(); ++r) build_.settle(r, ChunkSet::one(r));
    if (operation != Operation::kAllGather) build_.next_round();
    if (operation != Operation::kReduceScatter)
      for (std::size_t i = order_.size(); i-- > 0;) gather(i);
    return build_.finish();
  }

 private:
  const GridAxis& axis(std::size_t i) const { return grid_.axes[order_[i]]; }

  // The coordinate that is `steps` before the rank's on the ring, against its direction.
  std::uint32_t behind(std::size_t i, std::uint32_t rank, std::uint32_t steps) const {
    const std::uint32_t at = Grid::coordinate(axis(i), rank), n = axis(i).size;
    return (up_ ? at + 2 * n - steps : at + steps) % n;
  }
  std::uint32_t next(std::size_t i, std::uint32_t rank) const {
    const std::uint32_t at = Grid::coordinate(axis(i), rank), n = axis(i).size;
    return Grid::moved(axis(i), rank, up_ ? at + 1 : at + n - 1);
  }

  // Chunks whose owners have the same coordinates as `rank` on the first i axes of the order and
  // `coordinate` on the next.
  ChunkSet part(std::size_t i, std::uint32_t rank, std::uint32_t coordinate) const {
    std::vector<Span> spans;
    for (const GridAxis& a : grid_.axes) spans.push_back({0, a.size});
    for (std::size_t j = 0; j < i; ++j) spans[order_[j]] = {Grid::coordinate(axis(j), rank), 1};
    spans[order_[i]] = {coordinate, 1};
    return subset(grid_, spans);
  }

  void scatter(std::size_t i) {
    for (std::uint32_t s = 0; s + 1 < axis(i).size; ++s, build_.next_round())
      for (std::uint32_t r = 0; r < grid_.ranks(); ++r)
        build_.combine(r, next(i, r), part(i, r, behind(i, r, s + 1)));
  }
  void gather(std::size_t i) {
    for (std::uint32_t s = 0; s + 1 < axis(i).size; ++s, build_.next_round())
      for (std::uint32_t r = 0; r < grid_.ranks(); ++r)
        build_.copy(r, next(i, r), part(i, r, behind(i, r, s)));
  }

  Grid grid_;
  AxisOrder order_;
  bool up_;
  ScheduleBuilder build_;
};

}  // namespace

std::vector<ChannelPlan> hierarchical_plan(const Problem& problem, const Grid& grid, std::uint32_t channels) {
  const std::vector<Slice> slices = slices_of(grid, channels);
  std::map<std::pair<AxisOrder, bool>, std::shared_ptr<const Schedule>> made;
  std::vector<ChannelPlan> plan;
  for (const Slice& slice : slices) {
    auto& schedule = made[{slice.order, slice.up}];
    if (!schedule)
      schedule =
          std::make_shared<const Schedule>(AxisByAxis(problem, grid, slice.order, slice.up).schedule());
    plan.push_back({schedule, slice.share});
  }
  return plan;
}

}  // namespace tahoma::runtime::collective
