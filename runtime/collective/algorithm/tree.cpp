// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/algorithm/tree.h"

#include <algorithm>

namespace tahoma::runtime::collective {

namespace {

class Tree {
 public:
  Tree(const Problem& problem, const Grid& grid)
      : build_(problem, 1, "binomial tree"), grid_(grid), ranks_(problem.ranks) {}

  Schedule schedule() {
    if (build_.problem().operation != Operation::kBroadcast) up();
    build_.settle(build_.problem().root, ChunkSet::one(0));
    if (build_.problem().operation == Operation::kAllReduce) build_.next_round();
    if (build_.problem().operation != Operation::kReduce) down();
    return build_.finish();
  }

 private:
  std::uint32_t at(std::uint32_t place) const { return grid_.shifted(build_.problem().root, place); }

  void up() {
    std::uint32_t reach = 1;
    while (reach * 2 < ranks_) reach *= 2;
    for (; reach > 0; reach /= 2, build_.next_round())
      for (std::uint32_t d = 0; d < reach && d + reach < ranks_; ++d)
        build_.combine(at(d + reach), at(d), ChunkSet::one(0));
  }
  void down() {
    for (std::uint32_t reach = 1; reach < ranks_; reach *= 2, build_.next_round())
      for (std::uint32_t d = 0; d < reach && d + reach < ranks_; ++d)
        build_.copy(at(d), at(d + reach), ChunkSet::one(0));
  }

  ScheduleBuilder build_;
  const Grid& grid_;
  std::uint32_t ranks_;
};

}  // namespace

std::vector<ChannelPlan> tree_plan(const Problem& problem, const Grid& grid, std::uint32_t channels) {
  return dealt({std::make_shared<const Schedule>(Tree(problem, grid).schedule())}, channels);
}

std::vector<ChannelPlan> dissemination_plan(const Problem& problem, const Grid&, std::uint32_t channels) {
  ScheduleBuilder build(problem, problem.ranks, "dissemination");
  const std::uint32_t ranks = problem.ranks;
  for (std::uint32_t r = 0; r < ranks; ++r) build.settle(r, ChunkSet::one(r));
  for (std::uint32_t reach = 1; reach < ranks; reach *= 2, build.next_round())
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const std::uint32_t count = std::min(reach, ranks - reach);
      const std::uint32_t first = (r + ranks + 1 - count) % ranks;
      const std::uint32_t until_end = std::min(count, ranks - first);
      build.copy(r, (r + reach) % ranks, ChunkSet::run(first, until_end));
      if (until_end < count) build.copy(r, (r + reach) % ranks, ChunkSet::run(0, count - until_end));
    }
  return dealt({std::make_shared<const Schedule>(build.finish())}, channels);
}

}  // namespace tahoma::runtime::collective
