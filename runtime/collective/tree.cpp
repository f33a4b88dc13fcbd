// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/tree.h"

#include <algorithm>

namespace tahoma::runtime::collective {

std::vector<ChannelPlan> tree_plan(const Problem& problem, const Grid&, std::uint32_t channels) {
  ScheduleBuilder build(problem, 1, "binomial tree");
  const std::uint32_t ranks = problem.ranks;
  const auto rank_at = [&](std::uint32_t distance) { return (problem.root + distance) % ranks; };
  std::uint32_t reach = 1;
  if (problem.operation == Operation::kBroadcast) {
    build.settle(problem.root, ChunkSet::one(0));
    for (; reach < ranks; reach *= 2, build.next_round())
      for (std::uint32_t d = 0; d < reach && d + reach < ranks; ++d)
        build.copy(rank_at(d), rank_at(d + reach), ChunkSet::one(0));
  } else {
    while (reach * 2 < ranks) reach *= 2;
    for (; reach > 0; reach /= 2, build.next_round())
      for (std::uint32_t d = 0; d < reach && d + reach < ranks; ++d)
        build.combine(rank_at(d + reach), rank_at(d), ChunkSet::one(0));
    build.settle(problem.root, ChunkSet::one(0));
  }
  return dealt({std::make_shared<const Schedule>(build.finish())}, channels);
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
