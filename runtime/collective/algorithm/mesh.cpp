// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/algorithm/mesh.h"

#include <algorithm>

namespace tahoma::runtime::collective {

namespace {

// An order for all-to-all communication: in turn k every rank sends to the rank at the same distance along
// every axis, so that no receiver is congested; turn 0 is the rank itself. Channels, and the cores of a chip,
// use shifted orders of the distances, so that together they use all directions of all axes at any time.
class Turns {
 public:
  Turns(const Grid& grid, std::uint32_t channel, std::uint32_t channels)
      : grid_(grid), ranks_(grid.ranks()), channel_(channel), channels_(channels) {}

  std::uint32_t ranks() const { return ranks_; }
  const Grid& grid() const { return grid_; }
  std::uint32_t target(std::uint32_t from, std::uint32_t turn) const {
    const std::uint32_t shift = channel_ + channels_ * core_of(from);
    std::uint32_t to = from, nth = 0;
    for (const GridAxis& axis : grid_.axes) {
      const std::uint32_t distance =
          turn / axis.stride + (axis.chips ? shift + shift / axis.size * nth++ : 0);
      to = Grid::moved(axis, to, Grid::coordinate(axis, from) + distance);
    }
    return to;
  }
  // How far the rank is from the root, as a number of a rank.
  std::uint32_t from_root(const Problem& problem, std::uint32_t rank) const {
    return grid_.shift_between(problem.root, rank);
  }
  bool on_one_chip(std::uint32_t a, std::uint32_t b) const {
    return !grid_.axes.empty() &&
           std::all_of(grid_.axes.begin(), grid_.axes.end(), [&](const GridAxis& axis) {
             return axis.cores || Grid::coordinate(axis, a) == Grid::coordinate(axis, b);
           });
  }
  // Calls visit(from, to) for all pairs of distinct ranks, turn by turn.
  template <class Visit>
  void each_pair(Visit&& visit) const {
    for (std::uint32_t turn = 0; turn < ranks_; ++turn)
      for (std::uint32_t from = 0; from < ranks_; ++from)
        if (const std::uint32_t to = target(from, turn); to != from) visit(from, to);
  }

 private:
  std::uint32_t core_of(std::uint32_t rank) const {
    for (const GridAxis& axis : grid_.axes)
      if (!axis.chips) return Grid::coordinate(axis, rank);
    return 0;
  }

  const Grid& grid_;
  std::uint32_t ranks_, channel_, channels_;
};

// The chunk that a rank folds or passes on. Where every chunk ends at one rank or at all, chunks are numbered
// by the distance from the root, so that equal roots use equal addresses.
ChunkSet own_chunk(const Problem& problem, const Turns& turns, std::uint32_t rank) {
  const bool of_root = problem.operation == Operation::kBroadcast || problem.operation == Operation::kReduce;
  return ChunkSet::one(of_root ? turns.from_root(problem, rank) : rank);
}

// Ranks on one chip lend their inputs, except to a root.
void exchange_contributions(ScheduleBuilder& build, const Turns& turns) {
  const Problem& problem = build.problem();
  const bool lends = problem.inputs == Inputs::kStay && problem.operation != Operation::kReduce;
  turns.each_pair([&](std::uint32_t from, std::uint32_t to) {
    const ChunkSet chunk = own_chunk(build.problem(), turns, to);
    if (lends && turns.on_one_chip(from, to))
      build.lend(from, to, chunk);
    else
      build.combine(from, to, chunk);
  });
  build.next_round();
}

void settle_own(ScheduleBuilder& build, const Turns& turns) {
  for (std::uint32_t r = 0; r < build.problem().ranks; ++r)
    build.settle(r, own_chunk(build.problem(), turns, r));
}

void give_to_all(ScheduleBuilder& build, const Turns& turns) {
  turns.each_pair([&](std::uint32_t from, std::uint32_t to) { build.copy(from, to, ChunkSet::one(from)); });
  build.next_round();
}

void broadcast(ScheduleBuilder& build, const Turns& turns) {
  const std::uint32_t root = build.problem().root;
  build.settle(root, ChunkSet::run(0, turns.ranks()));
  turns.each_pair([&](std::uint32_t from, std::uint32_t to) {
    if (from == root) build.copy(root, to, own_chunk(build.problem(), turns, to));
  });
  build.next_round();
  turns.each_pair([&](std::uint32_t from, std::uint32_t to) {
    if (to != root) build.copy(from, to, own_chunk(build.problem(), turns, from));
  });
}

void gather_at_root(ScheduleBuilder& build, const Turns& turns) {
  const std::uint32_t root = build.problem().root;
  turns.each_pair([&](std::uint32_t from, std::uint32_t to) {
    if (to == root) build.copy(from, root, own_chunk(build.problem(), turns, from));
  });
}

// The chunk that rank `from` sends to rank `to`, if any.
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

// Chunks of ranks that do not reach each other, each through a rank that reaches both. There, and at its
// destination, a chunk is a sum of one contribution.
class Relays {
 public:
  // False if the ranks reach each other, or if no rank reaches both.
  bool take(const Grid& grid, std::uint32_t from, std::uint32_t to, std::uint32_t chunk) {
    if (grid.reaches(from, to)) return false;
    const std::uint32_t ranks = grid.ranks();
    for (std::uint32_t n = 0; n < ranks; ++n) {
      const std::uint32_t by = (next_ + n) % ranks;
      if (by == from || by == to || !grid.reaches(from, by) || !grid.reaches(by, to)) continue;
      next_ = by + 1;  // others in turn
      legs_.push_back({from, by, to, chunk});
      return true;
    }
    return false;
  }

  bool empty() const { return legs_.empty(); }
  void add_to(ScheduleBuilder& build) const {
    for (const Leg& leg : legs_) build.combine(leg.from, leg.by, ChunkSet::one(leg.chunk));
    build.next_round();
    for (const Leg& leg : legs_) build.combine(leg.by, leg.to, ChunkSet::one(leg.chunk));
    build.next_round();
    for (const Leg& leg : legs_) build.settle(leg.to, ChunkSet::one(leg.chunk));
  }

 private:
  struct Leg {
    std::uint32_t from, by, to, chunk;
  };
  std::vector<Leg> legs_;
  std::uint32_t next_ = 0;
};

void send(ScheduleBuilder& build, const Grid& grid, Relays& relays, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t chunk = chunk_between(build.problem(), from, to);
  if (chunk == kNowhere || relays.take(grid, from, to, chunk)) return;
  if (from == to)
    build.settle(from, ChunkSet::one(chunk));
  else
    build.copy(from, to, ChunkSet::one(chunk));
}

using Make = Schedule (*)(const Problem& problem, const Turns& turns);

std::vector<ChannelPlan> a_turn_each(Make make, const Problem& problem, const Grid& grid,
                                     std::uint32_t channels) {
  std::vector<std::shared_ptr<const Schedule>> variants;
  for (std::uint32_t c = 0; c < channels; ++c)
    variants.push_back(std::make_shared<const Schedule>(make(problem, Turns(grid, c, channels))));
  return dealt(variants, channels);
}

Schedule two_steps(const Problem& problem, const Turns& turns) {
  ScheduleBuilder build(problem, problem.ranks, "mesh in two steps");
  switch (problem.operation) {
    case Operation::kBroadcast:
      broadcast(build, turns);
      break;
    case Operation::kAllGather:
      settle_own(build, turns);
      give_to_all(build, turns);
      break;
    default:
      exchange_contributions(build, turns);
      settle_own(build, turns);
      build.next_round();
      if (problem.operation == Operation::kAllReduce) give_to_all(build, turns);
      if (problem.operation == Operation::kReduce) gather_at_root(build, turns);
      break;
  }
  return build.finish();
}

Schedule one_step(const Problem& problem, const Turns& turns) {
  ScheduleBuilder build(problem, 1, "mesh in one step");
  const bool at_root_alone = problem.operation == Operation::kReduce;
  const auto gets = [&](std::uint32_t rank) { return !at_root_alone || rank == problem.root; };
  turns.each_pair([&](std::uint32_t from, std::uint32_t to) {
    if (gets(to)) build.combine(from, to, ChunkSet::one(0));
  });
  build.next_round();
  for (std::uint32_t r = 0; r < problem.ranks; ++r)
    if (gets(r)) build.settle(r, ChunkSet::one(0));
  return build.finish();
}

// Every rank keeps its own chunk and sends each other chunk directly to its destination. All transfers share
// one round, except in a pairwise exchange, whose turns are rounds.
Schedule straight(const Problem& problem, const Turns& turns) {
  const bool pairwise = problem.operation == Operation::kAllToAll;
  ScheduleBuilder build(problem, problem.fixed_chunks(), pairwise ? "pairwise by distance" : "direct");
  Relays relays;
  for (std::uint32_t turn = 0; turn < turns.ranks(); ++turn) {
    for (std::uint32_t r = 0; r < problem.ranks; ++r)
      send(build, turns.grid(), relays, r, turns.target(r, turn));
    if (pairwise) build.next_round();
  }
  if (!relays.empty()) {
    if (!pairwise) build.next_round();
    relays.add_to(build);
  }
  return build.finish();
}

}  // namespace

std::vector<ChannelPlan> mesh_plan(const Problem& problem, const Grid& grid, std::uint32_t channels) {
  return a_turn_each(two_steps, problem, grid, channels);
}

std::vector<ChannelPlan> mesh_one_step_plan(const Problem& problem, const Grid& grid,
                                            std::uint32_t channels) {
  return a_turn_each(one_step, problem, grid, channels);
}

std::vector<ChannelPlan> direct_plan(const Problem& problem, const Grid& grid, std::uint32_t channels) {
  return a_turn_each(straight, problem, grid, channels);
}

}  // namespace tahoma::runtime::collective
