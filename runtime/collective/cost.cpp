// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runtime/collective/itinerary.h"

namespace tahoma::runtime::collective {

namespace {

// Bytes by resource, of a vector of one byte.
class Loads {
 public:
  Loads(const model::MachineParams& machine, const Group& group) : machine_(machine), group_(group) {
    for (const std::uint64_t size : {machine.torus.x, machine.torus.y, machine.torus.z})
      sizes_.push_back(static_cast<std::uint32_t>(size));
    links_.resize(machine.chips() * kPorts);
    moved_.resize(group.ranks());
    stacks_.resize(group.ranks());
  }

  void add(const Schedule& schedule, double share) {
    const Itinerary it = follow(schedule);
    const double vectors = schedule.problem.operation == Operation::kAllToAll ? schedule.problem.ranks : 1;
    const bool whole_each = schedule.problem.operation == Operation::kSendRecv ||
                            schedule.problem.operation == Operation::kPermute;
    const double chunk = share * vectors / (whole_each ? 1 : schedule.chunks);
    for (std::size_t i = 0; i < schedule.transfers.size(); ++i) {
      const Transfer& t = schedule.transfers[i];
      const double bytes = chunk * t.chunks.size();
      const Hop& hop = it.hops[i];
      const double sources = static_cast<double>(hop.staged.size()) + (hop.from_input || hop.from_output ? 1 : 0);
      moved_[t.from] += bytes * sources;
      stacks_[t.from] += bytes * sources;
      stacks_[t.to] += bytes;
      route(chip_of(t.from), chip_of(t.to), bytes);
    }
  }

  // Seconds of the busiest for a byte, and its name.
  std::pair<double, std::string> busiest() const {
    std::pair<double, std::string> most{0, "nothing to move"};
    const auto consider = [&](double bytes, double rate, const std::string& name) {
      if (bytes / rate > most.first) most = {bytes / rate, name};
    };
    static constexpr const char* kNames[kPorts] = {"x+", "x-", "y+", "y-", "z+", "z-"};
    for (std::size_t l = 0; l < links_.size(); ++l)
      consider(links_[l], link_rate(l % kPorts / 2), fmt::format("link {}", kNames[l % kPorts]));
    const auto cores = static_cast<double>(group_.cores.front().size());
    const model::DmaParams& dma = machine_.chip.core.dma;
    const double engines = 16 * cores * static_cast<double>(dma.bytes_per_cycle.count * dma.clock.hz);
    const double per_chip = static_cast<double>(machine_.chip.cores) / cores;
    const auto hbm = static_cast<double>(machine_.chip.hbm.bandwidth.bytes_per_second) *
                     static_cast<double>(machine_.chip.hbm.stacks) / per_chip;
    for (std::size_t r = 0; r < moved_.size(); ++r) {
      consider(moved_[r], engines, "DMA engines");
      if (!machine_.chip.hbm.bandwidth.ideal) consider(stacks_[r], hbm, "HBM");
    }
    return most;
  }

 private:
  static constexpr std::size_t kPorts = 6;

  std::uint32_t chip_of(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(group_.cores[rank].front() / machine_.chip.cores);
  }
  double link_rate(std::size_t axis) const {
    const base::Bandwidth rates[3] = {machine_.link.x, machine_.link.y, machine_.link.z};
    return rates[axis].ideal ? 1e18 : static_cast<double>(rates[axis].bytes_per_second);
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
  void go(std::uint32_t at, std::size_t axis, std::uint32_t stride, std::uint32_t steps, bool up, double bytes) {
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
  std::vector<double> links_, moved_, stacks_;
};

double seconds(const base::Duration& d) { return static_cast<double>(d.fs) * 1e-15; }

}  // namespace

double CostModel::empty_round() const {
  const model::DmaParams& dma = machine_.chip.core.dma;
  const bool linked = group_.ranks() > 1 && group_.cores[0][0] / machine_.chip.cores !=
                                                group_.cores[1][0] / machine_.chip.cores;
  const double way = linked ? seconds(machine_.link.wire) + 2 * seconds(machine_.link.router) : 0;
  return seconds(dma.doorbell_sync) + seconds(dma.start_up) + seconds(dma.skew_half) + 7 * seconds(dma.skew_far) +
         seconds(machine_.chip.noc.request) + seconds(machine_.chip.noc.response) + seconds(dma.write_hbm) + way;
}

Cost CostModel::of(const std::vector<ChannelPlan>& plan, double bytes, std::uint32_t pieces) const {
  Loads loads(machine_, group_);
  std::map<const Schedule*, double> shares;
  std::uint32_t rounds = 0;
  for (const ChannelPlan& channel : plan) {
    shares[channel.schedule.get()] += channel.share;
    rounds = std::max(rounds, channel.schedule->rounds);
  }
  for (const auto& [schedule, share] : shares) loads.add(*schedule, share);
  Cost cost;
  cost.rounds = rounds;
  cost.latency = rounds * empty_round();
  const auto [per_byte, name] = loads.busiest();
  cost.bandwidth = per_byte * bytes;
  cost.busiest = name;
  // A pipeline of pieces keeps its resource busy but for the rounds that others have first and last; a
  // schedule that deals its own chunks round by round (a ring) has none to wait for.
  (void)pieces;
  cost.seconds = cost.latency + cost.bandwidth;
  return cost;
}

}  // namespace tahoma::runtime::collective
