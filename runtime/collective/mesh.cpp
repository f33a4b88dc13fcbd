// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/mesh.h"

namespace tahoma::runtime::collective {

namespace {

void exchange_contributions(ScheduleBuilder& build) {
  const std::uint32_t ranks = build.problem().ranks;
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (std::uint32_t d = 1; d < ranks; ++d) {
      // As the receiver sees it: the contributions of own + 1, own + 2, ... in this order.
      const std::uint32_t from = (r + d) % ranks;
      build.combine(from, r, ChunkSet::one(r));
    }
  build.next_round();
}

void settle_own(ScheduleBuilder& build) {
  for (std::uint32_t r = 0; r < build.problem().ranks; ++r) build.settle(r, ChunkSet::one(r));
}

void give_to_all(ScheduleBuilder& build) {
  const std::uint32_t ranks = build.problem().ranks;
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (std::uint32_t d = 1; d < ranks; ++d) build.copy(r, (r + d) % ranks, ChunkSet::one(r));
  build.next_round();
}

void broadcast(ScheduleBuilder& build) {
  const std::uint32_t ranks = build.problem().ranks, root = build.problem().root;
  build.settle(root, ChunkSet::run(0, ranks));
  for (std::uint32_t d = 1; d < ranks; ++d)
    build.copy(root, (root + d) % ranks, ChunkSet::one((root + d) % ranks));
  build.next_round();
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (std::uint32_t d = 1; d < ranks; ++d)
      if ((r + d) % ranks != root) build.copy(r, (r + d) % ranks, ChunkSet::one(r));
}

void gather_at_root(ScheduleBuilder& build) {
  const std::uint32_t ranks = build.problem().ranks, root = build.problem().root;
  for (std::uint32_t d = 1; d < ranks; ++d)
    build.copy((root + d) % ranks, root, ChunkSet::one((root + d) % ranks));
}

// The chunk that rank `from` has for rank `to`, if any.
std::uint32_t chunk_between(const Problem& problem, std::uint32_t from, std::uint32_t to) {
  switch (problem.operation) {
    case Operation::kAllToAll:
      return from * problem.ranks + to;
    case Operation::kGather:
      return to == problem.root ? from : kNowhere;
    case Operation::kScatter:
      return from == problem.root ? to : kNowhere;
    default:
      return problem.to.at(from) == to ? from : kNowhere;
  }
}

std::vector<ChannelPlan> same_for_all(ScheduleBuilder& build, std::uint32_t channels) {
  return dealt({std::make_shared<const Schedule>(build.finish())}, channels);
}

}  // namespace

std::vector<ChannelPlan> mesh_plan(const Problem& problem, const Grid&, std::uint32_t channels) {
  ScheduleBuilder build(problem, problem.ranks, "mesh in two steps");
  switch (problem.operation) {
    case Operation::kBroadcast:
      broadcast(build);
      break;
    case Operation::kAllGather:
      settle_own(build);
      give_to_all(build);
      break;
    default:
      exchange_contributions(build);
      settle_own(build);
      build.next_round();
      if (problem.operation == Operation::kAllReduce) give_to_all(build);
      if (problem.operation == Operation::kReduce) gather_at_root(build);
      break;
  }
  return same_for_all(build, channels);
}

std::vector<ChannelPlan> mesh_one_step_plan(const Problem& problem, const Grid&, std::uint32_t channels) {
  ScheduleBuilder build(problem, 1, "mesh in one step");
  const bool at_root_alone = problem.operation == Operation::kReduce;
  const auto gets = [&](std::uint32_t rank) { return !at_root_alone || rank == problem.root; };
  for (std::uint32_t r = 0; r < problem.ranks; ++r)
    for (std::uint32_t d = 1; d < problem.ranks && gets(r); ++d)
      build.combine((r + d) % problem.ranks, r, ChunkSet::one(0));
  build.next_round();
  for (std::uint32_t r = 0; r < problem.ranks; ++r)
    if (gets(r)) build.settle(r, ChunkSet::one(0));
  return same_for_all(build, channels);
}

std::vector<ChannelPlan> direct_plan(const Problem& problem, const Grid&, std::uint32_t channels) {
  const std::uint32_t ranks = problem.ranks;
  const bool pairwise = problem.operation == Operation::kAllToAll;
  ScheduleBuilder build(problem, problem.fixed_chunks(), pairwise ? "pairwise by distance" : "direct");
  const auto send = [&](std::uint32_t from, std::uint32_t to) {
    const std::uint32_t chunk = chunk_between(problem, from, to);
    if (chunk == kNowhere) return;
    if (from == to)
      build.settle(from, ChunkSet::one(chunk));
    else
      build.copy(from, to, ChunkSet::one(chunk));
  };
  for (std::uint32_t d = 0; d < ranks; ++d) {
    for (std::uint32_t r = 0; r < ranks; ++r) send(r, (r + d) % ranks);
    if (pairwise) build.next_round();
  }
  return same_for_all(build, channels);
}

}  // namespace tahoma::runtime::collective
