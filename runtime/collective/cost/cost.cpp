// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost/cost.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "runtime/collective/cost/loads.h"
#include "runtime/collective/cost/sizing.h"
#include "runtime/collective/lowering/channel_semaphores.h"

namespace tahoma::runtime::collective {

namespace {

double seconds(const base::Duration& d) { return static_cast<double>(d.fs) * 1e-15; }

}  // namespace

CostModel::CostModel(const model::MachineParams& machine, const Group& group)
    : machine_(machine), ways_(machine), cores_(group.cores.front().size()), sharers_(group.sharers) {
  for (const auto& cores : group.cores)
    chips_.push_back(static_cast<std::uint32_t>(cores.front() / machine.chip.cores));
}

double CostModel::empty_round() const {
  const model::DmaParams& dma = machine_.chip.core.dma;
  const std::uint32_t hops = chips_.size() > 1 ? ways_.hops(chips_[0], chips_[1]) : 0;
  const double way =
      hops == 0 ? 0 : hops * seconds(machine_.link.wire) + (hops + 1) * seconds(machine_.link.router);
  return seconds(dma.doorbell_sync) + seconds(dma.start_up) + seconds(dma.skew_half) +
         7 * seconds(dma.skew_far) + seconds(machine_.chip.noc.request) +
         seconds(machine_.chip.noc.response) + seconds(dma.write_hbm) + way;
}

namespace {

// The number of times that a transfer of the schedule waits for an arrival, on the longest path to it. Its
// queue issues in order, so it waits at least as often as the transfers issued before it.
std::vector<std::uint32_t> waits_before(const Schedule& schedule, const Itinerary& it) {
  const std::uint32_t ranks = schedule.problem.ranks;
  std::vector<std::uint32_t> level(schedule.transfers.size()), reached(ranks, 0), settled(ranks, 0);
  for (std::uint32_t i = 0; i < level.size(); ++i) {
    const Transfer& t = schedule.transfers[i];
    std::uint32_t at = reached[t.from];
    for (const std::uint32_t arrival : it.hops[i].waits) at = std::max(at, level[arrival] + 1);
    if (it.hops[i].from_output) at = std::max(at, settled[t.from]);
    level[i] = reached[t.from] = at;
    if (t.kind == TransferKind::kSettle) settled[t.from] = at + 1;
  }
  return level;
}

}  // namespace

Cost CostModel::of(const std::vector<ChannelPlan>& plan, std::uint64_t bytes) const {
  std::map<const Schedule*, double> shares;
  for (const ChannelPlan& channel : plan) shares[channel.schedule.get()] += channel.share;
  const Loads nothing(ways_, chips_, rates_of(machine_, cores_ * sharers_, plan.size()));
  std::vector<Loads> by_level;
  std::uint32_t pieces = kMostPieces;
  std::size_t doorbells = 0;
  for (const auto& [schedule, share] : shares) {
    const Itinerary it = follow(*schedule);
    const std::vector<std::uint32_t> levels = waits_before(*schedule, it);
    const double chunk =
        static_cast<double>(vector_bytes(schedule->problem, bytes) * sharers_) * share / schedule->chunks;
    for (std::size_t i = 0; i < schedule->transfers.size(); ++i) {
      const Transfer& t = schedule->transfers[i];
      if (levels[i] >= by_level.size()) by_level.resize(levels[i] + 1, nothing);
      by_level[levels[i]].add(t, it.hops[i], chunk * t.chunks.size());
    }
    const double channel = chunk / static_cast<double>(plan.size()) * static_cast<double>(shares.size());
    pieces = std::min(pieces,
                      pieces_for(*schedule, static_cast<std::uint64_t>(channel * sharers_), false, kSignals));
    for (const auto& run : it.of_rank) doorbells = std::max(doorbells, run.size());
  }
  Cost cost;
  cost.rounds = static_cast<std::uint32_t>(by_level.size());
  double one_by_one = 0;
  Loads all = nothing;
  for (const Loads& level : by_level) {
    one_by_one += level.engine_seconds() + level.link_seconds();
    all.add(level);
  }
  auto [busiest, name] = all.busiest();
  const double issue = static_cast<double>(doorbells * pieces) * seconds(machine_.chip.core.dma.pitch_sync);
  if (issue > busiest) name = "doorbells";
  cost.busiest = name;
  cost.link = all.link_seconds();
  cost.bound = std::max(cost.link, all.engine_seconds());
  cost.more_sources = all.more_source_seconds();
  const double apart = static_cast<double>(pieces * plan.size()) / static_cast<double>(shares.size());
  cost.seconds =
      cost.rounds * empty_round() + std::max(busiest, issue) + std::max(0.0, one_by_one - busiest) / apart;
  return cost;
}

}  // namespace tahoma::runtime::collective
