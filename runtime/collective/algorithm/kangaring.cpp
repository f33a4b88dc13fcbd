// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/algorithm/kangaring.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/collective/algorithm/cycles.h"

namespace tahoma::runtime::collective {

namespace {

class KangaRing {
 public:
  KangaRing(const Problem& problem, Cycle cycle, std::string what)
      : cycle_(std::move(cycle)),
        pairs_(static_cast<std::uint32_t>(cycle_.size() / 2)),
        build_(problem, problem.ranks, std::move(what)) {}

  Schedule schedule() {
    if (build_.problem().operation == Operation::kAllGather) {
      for (std::uint32_t r = 0; r < 2 * pairs_; ++r) build_.settle(r, ChunkSet::one(r));
      for (std::uint32_t k = 0; k < pairs_; ++k)
        build_.copy(tail(k, k), head(k, k), ChunkSet::one(tail(k, k)));
      build_.next_round();
      gather(false);
      return build_.finish();
    }
    scatter();
    share_out();
    if (build_.problem().operation == Operation::kAllReduce) gather(true);
    return build_.finish();
  }

 private:
  // Returns the head of a pair for the chunks of pair `label`.
  std::uint32_t head(std::uint32_t pair, std::uint32_t label) const {
    return member(pair, label % pairs_ % 2);
  }
  std::uint32_t tail(std::uint32_t pair, std::uint32_t label) const {
    return member(pair, 1 - label % pairs_ % 2);
  }
  std::uint32_t member(std::uint32_t pair, std::uint32_t which) const {
    return cycle_[2 * (pair % pairs_) + which];
  }
  ChunkSet chunks_of(std::uint32_t label) const {
    const std::uint32_t a = member(label, 0), b = member(label, 1);
    return ChunkSet::run(std::min(a, b), 2, std::max(a, b) - std::min(a, b));
  }

  void scatter() {
    for (std::uint32_t k = 0; k < pairs_; ++k)
      for (std::uint32_t label = 0; label < pairs_; ++label)
        build_.combine(tail(k, label), head(k, label), chunks_of(label));
    build_.next_round();
    for (std::uint32_t s = 0; s + 1 < pairs_; ++s, build_.next_round())
      for (std::uint32_t k = 0; k < pairs_; ++k) {
        const std::uint32_t label = k + 2 * pairs_ - s - 1;
        build_.combine(head(k, label), head(k + 1, label), chunks_of(label));
      }
  }

  // Heads fold the chunks of their pair and keep the result, or send the tail its own chunk.
  void share_out() {
    const bool keep = build_.problem().operation == Operation::kAllReduce;
    for (std::uint32_t k = 0; k < pairs_; ++k) {
      build_.settle(head(k, k), keep ? chunks_of(k) : ChunkSet::one(head(k, k)));
      if (!keep) build_.copy(head(k, k), tail(k, k), ChunkSet::one(tail(k, k)));
    }
    build_.next_round();
  }

  // Heads hold the chunks of their pairs; if `both`, the tails need their own chunks as well.
  void gather(bool both) {
    for (std::uint32_t s = 0; s < pairs_; ++s, build_.next_round())
      for (std::uint32_t k = 0; k < pairs_; ++k) {
        const std::uint32_t label = k + pairs_ - s;
        const std::uint32_t from = head(k, label);
        if (s + 1 < pairs_) build_.copy(from, head(k + 1, label), chunks_of(label));
        build_.copy(from, tail(k, label), s > 0 || both ? chunks_of(label) : ChunkSet::one(from));
      }
  }

  Cycle cycle_;
  std::uint32_t pairs_;
  ScheduleBuilder build_;
};

}  // namespace

std::string kangaring_refusal(const Problem& problem, const Grid&) {
  return problem.ranks % 2 == 0 ? "" : "pairs ranks and needs an even number of them";
}

std::vector<ChannelPlan> kangaring_plan(const Problem& problem, const Grid& grid, std::uint32_t channels) {
  const std::vector<Cycle> cycles = hamiltonian_cycles(grid);
  const bool shared_chips =
      std::any_of(grid.axes.begin(), grid.axes.end(), [](const GridAxis& axis) { return !axis.chips; });
  std::vector<std::shared_ptr<const Schedule>> variants;
  for (std::uint32_t v = 0; v < std::min<std::size_t>(channels, 2 * cycles.size()); ++v) {
    Cycle cycle = cycles[v / 2];
    if (v % 2 == 1) std::reverse(cycle.begin(), cycle.end());
    // Pairs on one chip stay on it; in other groups the links are shared better when the two directions
    // pair ranks differently.
    if (v % 2 == 1 && !shared_chips) std::rotate(cycle.begin(), cycle.begin() + 1, cycle.end());
    std::string what =
        fmt::format("kangaring over cycle {} of {}, {}", v / 2, cycles.size(), v % 2 == 0 ? "up" : "down");
    variants.push_back(
        std::make_shared<const Schedule>(KangaRing(problem, std::move(cycle), std::move(what)).schedule()));
  }
  return dealt(variants, channels);
}

}  // namespace tahoma::runtime::collective
