// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost/cost.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "isa/core/instruction.h"
#include "runtime/collective/cost/sizing.h"
#include "runtime/collective/cost/transfer_simulation.h"
#include "runtime/collective/schedule/channel_semaphores.h"
#include "runtime/collective/schedule/itinerary.h"
#include "runtime/collective/schedule/queue_assignment.h"

namespace tahoma::runtime::collective {

namespace {

double seconds(const base::Duration& d) { return static_cast<double>(d.fs) * 1e-15; }

// Rates of the resources that a rank does not share, in bytes per second.
struct RankRates {
  double engines;  // DMA engines that serve the collective queues in use
  double hbm;      // its share of the chip's stacks
};

RankRates rates_of(const model::MachineParams& machine, std::size_t cores, std::size_t channels) {
  constexpr double kIdeal = 1e18;
  const model::DmaParams& dma = machine.chip.core.dma;
  const model::HbmParams& hbm = machine.chip.hbm;
  const std::size_t queues = std::min(channels, 2 * cores);
  const std::uint64_t engines =
      std::min<std::uint64_t>(isa::kDmaEngines * cores, queues * dma.collective_engines);
  const double share = static_cast<double>(cores) / static_cast<double>(machine.chip.cores);
  const double stack = hbm.bandwidth.ideal ? kIdeal : static_cast<double>(hbm.bandwidth.bytes_per_second);
  return {static_cast<double>(engines * dma.bytes_per_cycle.count * dma.clock.hz),
          stack * static_cast<double>(hbm.stacks) * share};
}

double most_of(const std::vector<double>& bytes) {
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

void sum(std::vector<double>& to, const std::vector<double>& from) {
  std::transform(to.begin(), to.end(), from.begin(), to.begin(), std::plus<>());
}

// The load of a schedule's transfers on a machine: bytes by resource, and the time of the busiest resource of
// each kind.
class Loads {
 public:
  // `chips` has the chip of each rank. `ways` and `chips` must outlive this object.
  Loads(const model::FabricWays& ways, const std::vector<std::uint32_t>& chips, const RankRates& rates)
      : ways_(&ways),
        chips_(&chips),
        rates_(rates),
        links_(ways.links().size()),
        moved_(chips.size()),
        stacks_(chips.size()),
        more_(chips.size()) {}

  // Adds a transfer of `bytes` bytes: to every link of its route, to the sender's engines once for each
  // source, and to the stacks at both ends.
  void add(const Transfer& t, const Hop& hop, double bytes) {
    if (t.kind == TransferKind::kLend) return;  // a token
    const double sources =
        static_cast<double>(hop.staged.size()) + (hop.from_input || hop.from_output ? 1 : 0);
    moved_[t.from] += bytes * sources;
    more_[t.from] += bytes * (sources - 1);
    stacks_[t.from] += bytes * sources;
    stacks_[t.to] += bytes;
    ways_->along((*chips_)[t.from], (*chips_)[t.to], [&](std::uint32_t link) { links_[link] += bytes; });
  }

  void add(const Loads& other) {
    sum(links_, other.links_);
    sum(moved_, other.moved_);
    sum(stacks_, other.stacks_);
    sum(more_, other.more_);
  }

  // Of the busiest link.
  double link_seconds() const {
    double most = 0;
    for (std::size_t l = 0; l < links_.size(); ++l) most = std::max(most, link_seconds(l));
    return most;
  }

  // Of the busiest rank; the second for the sources of sums beyond the first.
  double engine_seconds() const { return most_of(moved_) / rates_.engines; }
  double more_source_seconds() const { return most_of(more_) / rates_.engines; }

  // Over all resources: its seconds and name, "link xp", "HBM"
  std::pair<double, std::string> busiest() const {
    std::pair<double, std::string> most{0, "nothing to move"};
    const auto consider = [&](double time, const std::string& name) {
      if (time > most.first) most = {time, name};
    };
    for (std::size_t l = 0; l < links_.size(); ++l)
      consider(link_seconds(l), "link " + ways_->links()[l].name);
    consider(engine_seconds(), "DMA engines");
    consider(most_of(stacks_) / rates_.hbm, "HBM");
    return most;
  }

 private:
  double link_seconds(std::size_t link) const { return links_[link] / ways_->links()[link].rate; }

  const model::FabricWays* ways_;
  const std::vector<std::uint32_t>* chips_;
  RankRates rates_;
  std::vector<double> links_, moved_, stacks_, more_;
};

}  // namespace

CostModel::CostModel(const model::MachineParams& machine, const Group& group)
    : machine_(machine),
      group_(group),
      ways_(machine),
      cores_(group.cores.front().size()),
      sharers_(group.sharers) {
  for (const auto& cores : group.cores)
    chips_.push_back(static_cast<std::uint32_t>(cores.front() / machine.chip.cores));
}

double CostModel::empty_round() const {
  const model::DmaParams& dma = machine_.chip.core.dma;
  const bool leaves = chips_.size() > 1 && chips_[0] != chips_[1];
  const double way = leaves ? seconds(ways_.flight(chips_[0], chips_[1])) + seconds(machine_.link.router) : 0;
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

constexpr std::uint64_t kSliceBytes = 64;  // bytes; slices and pieces are whole accesses of HBM

std::uint64_t aligned_bytes(double bytes) {
  return static_cast<std::uint64_t>(std::ceil(bytes / kSliceBytes)) * kSliceBytes;
}

}  // namespace

// The core of the group that is `groups` behind on the same chip.
std::uint32_t CostModel::core_beside(std::uint32_t core, std::size_t groups) const {
  const std::uint64_t cores = machine_.chip.cores;
  return static_cast<std::uint32_t>(core / cores * cores + (core + groups * cores_) % cores);
}

double CostModel::bytes_in(const Schedule& schedule, const MovedBytes& moved, const ChunkSet& chunks,
                           double share) const {
  if (moved.of_chunks.empty())
    return static_cast<double>(vector_bytes(schedule.problem, moved.bytes) * sharers_) * share /
           schedule.chunks * chunks.size();
  std::uint64_t bytes = 0;
  chunks.for_each([&](std::uint32_t chunk) { bytes += moved.of_chunks[chunk]; });
  return static_cast<double>(bytes * sharers_) * share;
}

// The channels of all groups that share the links, as the lowering cuts them up.
base::Duration CostModel::simulated(const std::vector<ChannelPlan>& plan, const MovedBytes& moved) const {
  const std::size_t own = plan.size() / sharers_;
  std::vector<double> shares;
  for (std::size_t c = 0; c < own; ++c) shares.push_back(plan[c].share);
  std::vector<std::vector<ChannelQueue>> queues;
  for (std::uint32_t rank = 0; rank < group_.ranks(); ++rank)
    queues.push_back(channel_queues(machine_, group_, rank, shares));
  const std::uint32_t signals = kSignals / (own > cores_ ? 2 : 1);
  std::vector<SimulatedChannel> channels;
  std::map<std::pair<const Schedule*, std::uint64_t>, std::uint32_t> pieces_by;
  for (std::size_t c = 0; c < plan.size(); ++c) {
    const Schedule& schedule = *plan[c].schedule;
    const bool uneven = !moved.of_chunks.empty();
    SimulatedChannel& channel = channels.emplace_back();
    channel.channel.schedule =
        uneven ? std::make_shared<const Schedule>(one_by_one(schedule)) : plan[c].schedule;
    for (std::uint32_t chunk = 0; chunk < (uneven ? schedule.chunks : 1); ++chunk)
      channel.channel.units.push_back(
          aligned_bytes(bytes_in(schedule, moved, ChunkSet::one(chunk), plan[c].share)));
    const std::uint64_t columns = channel.channel.most_units();
    std::uint32_t& pieces = pieces_by[{&schedule, columns}];
    if (pieces == 0) pieces = pieces_for(schedule, columns * sharers_, uneven, signals);
    const double piece = std::ceil(static_cast<double>(columns) / pieces);
    channel.channel.piece = std::max(kSliceBytes, aligned_bytes(piece));
    channel.second_queue = queues.front()[c % own].queue == isa::Queue::kCc1;
    for (const auto& of_rank : queues) channel.cores.push_back(core_beside(of_rank[c % own].core, c / own));
  }
  return TransferSimulation(machine_, ways_, chips_, channels).time();
}

Cost CostModel::of(const std::vector<ChannelPlan>& plan, const MovedBytes& moved) const {
  Cost cost = bound_of(plan, moved);
  cost.seconds = seconds(simulated(plan, moved));
  return cost;
}

Cost CostModel::bound_of(const std::vector<ChannelPlan>& plan, const MovedBytes& moved) const {
  std::map<const Schedule*, double> shares;
  for (const ChannelPlan& channel : plan) shares[channel.schedule.get()] += channel.share;
  const Loads nothing(ways_, chips_, rates_of(machine_, cores_ * sharers_, plan.size()));
  std::vector<Loads> by_level;
  std::uint32_t pieces = kMostPieces;
  std::size_t doorbells = 0;
  for (const auto& [schedule, share] : shares) {
    const Itinerary it = follow(*schedule);
    const std::vector<std::uint32_t> levels = waits_before(*schedule, it);
    double largest = 0;  // of the chunks
    for (std::uint32_t chunk = 0; chunk < schedule->chunks; ++chunk)
      largest = std::max(largest, bytes_in(*schedule, moved, ChunkSet::one(chunk), share));
    for (std::size_t i = 0; i < schedule->transfers.size(); ++i) {
      const Transfer& t = schedule->transfers[i];
      if (levels[i] >= by_level.size()) by_level.resize(levels[i] + 1, nothing);
      by_level[levels[i]].add(t, it.hops[i], bytes_in(*schedule, moved, t.chunks, share));
    }
    const double channel = largest / static_cast<double>(plan.size()) * static_cast<double>(shares.size());
    pieces = std::min(pieces,
                      pieces_for(*schedule, static_cast<std::uint64_t>(channel * sharers_), false, kSignals));
    for (const auto& run : it.of_rank) doorbells = std::max(doorbells, run.size());
  }
  Cost cost;
  cost.rounds = static_cast<std::uint32_t>(by_level.size());
  Loads all = nothing;
  for (const Loads& level : by_level) all.add(level);
  auto [busiest, name] = all.busiest();
  const double issue = static_cast<double>(doorbells * pieces) * seconds(machine_.chip.core.dma.pitch_sync);
  if (issue > busiest) name = "doorbells";
  cost.busiest = name;
  cost.link = all.link_seconds();
  cost.more_sources = all.more_source_seconds();
  cost.empty_round = empty_round();
  cost.seconds = std::max({busiest, issue, cost.rounds * cost.empty_round});
  return cost;
}

}  // namespace tahoma::runtime::collective
