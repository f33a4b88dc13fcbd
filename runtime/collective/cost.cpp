// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runtime/collective/itinerary.h"
#include "runtime/collective/semaphores.h"
#include "runtime/collective/sizing.h"

namespace tahoma::runtime::collective {

namespace {

constexpr double kNoLimit = 1e18;

// Bytes of one round by resource.
class Loads {
 public:
  Loads(const model::MachineParams& machine, const Group& group) : machine_(machine), group_(group) {
    for (const std::uint64_t size : {machine.torus.x, machine.torus.y, machine.torus.z})
      sizes_.push_back(static_cast<std::uint32_t>(size));
    links_.resize(machine.chips() * kPorts);
    moved_.resize(group.ranks());
    stacks_.resize(group.ranks());
    more_.resize(group.ranks());
  }

  void add(const Transfer& t, const Hop& hop, double bytes) {
    const double sources =
        static_cast<double>(hop.staged.size()) + (hop.from_input || hop.from_output ? 1 : 0);
    moved_[t.from] += bytes * sources;
    more_[t.from] += bytes * (sources - 1);
    stacks_[t.from] += bytes * sources;
    stacks_[t.to] += bytes;
    route(chip_of(t.from), chip_of(t.to), bytes);
  }

  void add(const Loads& other) {
    const auto sum = [](std::vector<double>& to, const std::vector<double>& from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    sum(links_, other.links_);
    sum(moved_, other.moved_);
    sum(stacks_, other.stacks_);
    sum(more_, other.more_);
  }

  double link_seconds() const {
    double most = 0;
    for (std::size_t l = 0; l < links_.size(); ++l)
      most = std::max(most, links_[l] / link_rate(l % kPorts / 2));
    return most;
  }
  double more_sources() const { return *std::max_element(more_.begin(), more_.end()) / engines(); }

  // Seconds of the busiest resource, and its name.
  std::pair<double, std::string> busiest() const {
    std::pair<double, const char*> most{0, "nothing to move"};
    const auto consider = [&](double bytes, double rate, const char* name) {
      if (bytes / rate > most.first) most = {bytes / rate, name};
    };
    static constexpr const char* kNames[kPorts] = {"link x+", "link x-", "link y+",
                                                   "link y-", "link z+", "link z-"};
    for (std::size_t l = 0; l < links_.size(); ++l)
      consider(links_[l], link_rate(l % kPorts / 2), kNames[l % kPorts]);
    for (std::size_t r = 0; r < moved_.size(); ++r) {
      consider(moved_[r], engines(), "DMA engines");
      consider(stacks_[r], hbm(), "HBM");
    }
    return {most.first, most.second};
  }

 private:
  double cores() const { return static_cast<double>(group_.cores.front().size()); }
  // Those that both collective queues of each core deal transfers to.
  double engines() const {
    const model::DmaParams& dma = machine_.chip.core.dma;
    const std::uint64_t of_core = std::min<std::uint64_t>(isa::kDmaEngines, 2 * dma.collective_engines);
    return static_cast<double>(of_core * dma.bytes_per_cycle.count * dma.clock.hz) * cores();
  }
  double hbm() const {
    const model::HbmParams& hbm = machine_.chip.hbm;
    if (hbm.bandwidth.ideal) return kNoLimit;
    return static_cast<double>(hbm.bandwidth.bytes_per_second * hbm.stacks) * cores() /
           static_cast<double>(machine_.chip.cores);
  }
  static constexpr std::size_t kPorts = 6;

  std::uint32_t chip_of(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(group_.cores[rank].front() / machine_.chip.cores);
  }
  double link_rate(std::size_t axis) const {
    const base::Bandwidth rates[3] = {machine_.link.x, machine_.link.y, machine_.link.z};
    return rates[axis].ideal ? kNoLimit : static_cast<double>(rates[axis].bytes_per_second);
  }

  // Axis by axis, the shorter way round; half the way round one way and half the other on average.
  void route(std::uint32_t from, std::uint32_t to, double bytes) {
    std::uint32_t at = from, stride = 1;
    for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
      const std::uint32_t n = sizes_[axis];
      const std::uint32_t up = (to / stride % n + n - at / stride % n) % n;
      if (2 * up == n && n > 2) {
        go(at, axis, stride, up, true, bytes / 2);
        go(at, axis, stride, up, false, bytes / 2);
      } else if (up != 0) {
        go(at, axis, stride, 2 * up <= n ? up : n - up, 2 * up <= n, bytes);
      }
      at += (to / stride % n) * stride - (at / stride % n) * stride;
      stride *= n;
    }
  }
  void go(std::uint32_t at, std::size_t axis, std::uint32_t stride, std::uint32_t steps, bool up,
          double bytes) {
    const std::uint32_t n = sizes_[axis];
    for (; steps > 0; --steps) {
      links_[at * kPorts + 2 * axis + (up ? 0 : 1)] += bytes;
      const std::uint32_t c = at / stride % n;
      at = at - c * stride + (c + (up ? 1 : n - 1)) % n * stride;
    }
  }

  const model::MachineParams& machine_;
  const Group& group_;
  std::vector<std::uint32_t> sizes_;
  std::vector<double> links_, moved_, stacks_, more_;
};

double chunk_bytes(const Schedule& schedule, double bytes) {
  switch (schedule.problem.operation) {
    case Operation::kAllToAll:
      return bytes / schedule.problem.ranks;
    case Operation::kSendRecv:
    case Operation::kPermute:
    case Operation::kBarrier:
      return bytes;
    default:
      return bytes / schedule.chunks;
  }
}

double seconds(const base::Duration& d) { return static_cast<double>(d.fs) * 1e-15; }

}  // namespace

double CostModel::empty_round() const {
  const model::DmaParams& dma = machine_.chip.core.dma;
  const bool linked = group_.ranks() > 1 &&
                      group_.cores[0][0] / machine_.chip.cores != group_.cores[1][0] / machine_.chip.cores;
  const double way = linked ? seconds(machine_.link.wire) + 2 * seconds(machine_.link.router) : 0;
  return seconds(dma.doorbell_sync) + seconds(dma.start_up) + seconds(dma.skew_half) +
         7 * seconds(dma.skew_far) + seconds(machine_.chip.noc.request) +
         seconds(machine_.chip.noc.response) + seconds(dma.write_hbm) + way;
}

Cost CostModel::of(const std::vector<ChannelPlan>& plan, std::uint64_t bytes) const {
  std::map<const Schedule*, double> shares;
  std::uint32_t rounds = 0;
  for (const ChannelPlan& channel : plan) {
    shares[channel.schedule.get()] += channel.share;
    rounds = std::max(rounds, channel.schedule->rounds);
  }
  std::vector<Loads> by_round(rounds, Loads(machine_, group_));
  std::uint32_t pieces = kMostPieces;
  std::size_t doorbells = 0;
  for (const auto& [schedule, share] : shares) {
    const Itinerary it = follow(*schedule);
    const double chunk = chunk_bytes(*schedule, static_cast<double>(bytes)) * share;
    for (std::size_t i = 0; i < schedule->transfers.size(); ++i) {
      const Transfer& t = schedule->transfers[i];
      by_round[t.round].add(t, it.hops[i], chunk * t.chunks.size());
    }
    const double channel = chunk / static_cast<double>(plan.size()) * static_cast<double>(shares.size());
    pieces = std::min(pieces, pieces_for(*schedule, static_cast<std::uint64_t>(channel), false, kSignals));
    for (const auto& run : it.of_rank) doorbells = std::max(doorbells, run.size());
  }
  Cost cost;
  cost.rounds = rounds;
  double one_by_one = 0;
  Loads all(machine_, group_);
  for (const Loads& round : by_round) {
    one_by_one += round.busiest().first;
    all.add(round);
  }
  const auto [busiest, name] = all.busiest();
  cost.busiest = name;
  cost.link = all.link_seconds();
  cost.more_sources = all.more_sources();
  const double beyond = doorbells > rounds ? static_cast<double>(doorbells - rounds) : 0;
  cost.seconds = rounds * empty_round() + beyond * seconds(machine_.chip.core.dma.pitch_sync) + busiest +
                 (one_by_one - busiest) / pieces;
  return cost;
}

}  // namespace tahoma::runtime::collective
