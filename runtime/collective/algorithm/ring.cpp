// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/algorithm/ring.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/collective/algorithm/cycles.h"

namespace tahoma::runtime::collective {

namespace {

class Ring {
 public:
  Ring(const Problem& problem, Cycle cycle, std::string what)
      : cycle_(std::move(cycle)),
        ranks_(static_cast<std::uint32_t>(cycle_.size())),
        build_(problem, problem.fixed_chunks() == 0 && !is_chain(problem) ? ranks_ : chunks_of(problem),
               std::move(what)) {}

  Schedule schedule() {
    switch (build_.problem().operation) {
      case Operation::kBroadcast:
        chain_from_root();
        break;
      case Operation::kReduce:
        chain_to_root();
        break;
      case Operation::kAllGather:
        settle_own();
        gather();
        break;
      default:
        scatter();
        settle_own();
        build_.next_round();
        if (build_.problem().operation == Operation::kAllReduce) gather();
        break;
    }
    return build_.finish();
  }

 private:
  static bool is_chain(const Problem& p) {
    return p.operation == Operation::kBroadcast || p.operation == Operation::kReduce;
  }
  static std::uint32_t chunks_of(const Problem& p) { return is_chain(p) ? 1 : p.fixed_chunks(); }

  std::uint32_t rank_at(std::uint32_t position) const { return cycle_[position % ranks_]; }
  ChunkSet chunk_at(std::uint32_t position) const { return ChunkSet::one(rank_at(position)); }

  void scatter() {
    for (std::uint32_t s = 0; s + 1 < ranks_; ++s, build_.next_round())
      for (std::uint32_t q = 0; q < ranks_; ++q)
        build_.combine(rank_at(q), rank_at(q + 1), chunk_at(q + 2 * ranks_ - s - 1));
  }
  void settle_own() {
    for (std::uint32_t r = 0; r < ranks_; ++r) build_.settle(r, ChunkSet::one(r));
  }
  void gather() {
    for (std::uint32_t s = 0; s + 1 < ranks_; ++s, build_.next_round())
      for (std::uint32_t q = 0; q < ranks_; ++q)
        build_.copy(rank_at(q), rank_at(q + 1), chunk_at(q + ranks_ - s));
  }

  std::uint32_t root_position() const {
    const auto at = std::find(cycle_.begin(), cycle_.end(), build_.problem().root);
    return static_cast<std::uint32_t>(at - cycle_.begin());
  }
  void chain_from_root() {
    build_.settle(build_.problem().root, ChunkSet::one(0));
    const std::uint32_t root = root_position();
    for (std::uint32_t s = 0; s + 1 < ranks_; ++s, build_.next_round())
      build_.copy(rank_at(root + s), rank_at(root + s + 1), ChunkSet::one(0));
  }
  void chain_to_root() {
    const std::uint32_t first = root_position() + 1;
    for (std::uint32_t s = 0; s + 1 < ranks_; ++s, build_.next_round())
      build_.combine(rank_at(first + s), rank_at(first + s + 1), ChunkSet::one(0));
    build_.settle(build_.problem().root, ChunkSet::one(0));
  }

  Cycle cycle_;
  std::uint32_t ranks_;
  ScheduleBuilder build_;
};

}  // namespace

std::vector<ChannelPlan> ring_plan(const Problem& problem, const Grid& grid, std::uint32_t channels) {
  const std::vector<Cycle> cycles = hamiltonian_cycles(grid);
  std::vector<std::shared_ptr<const Schedule>> variants;
  for (std::uint32_t v = 0; v < std::min<std::size_t>(channels, 2 * cycles.size()); ++v) {
    Cycle cycle = cycles[v / 2];
    if (v % 2 == 1) std::reverse(cycle.begin(), cycle.end());
    std::string what =
        fmt::format("ring over cycle {} of {}, {}", v / 2, cycles.size(), v % 2 == 0 ? "up" : "down");
    variants.push_back(
        std::make_shared<const Schedule>(Ring(problem, std::move(cycle), std::move(what)).schedule()));
  }
  return dealt(variants, channels);
}

}  // namespace tahoma::runtime::collective
