// SPDX-License-Identifier: Apache-2.0
#include "model/system/parallel/node_shares.h"

#include <algorithm>
#include <numeric>

namespace tahoma::model {

namespace {

// The time to simulate a chip over the time to pass on the events of one. assumed: measured for a prefill
// layer of 405B with `banks` (1.2 s and 0.047 s); with other models of memory, chips take half to twice as
// long. It decides no result.
constexpr std::uint32_t kSimulatedByReported = 25;

}  // namespace

NodeShares::NodeShares(const base::Topology& topology, const Processes& processes)
    : processes_(processes), process_(topology.nodes()) {
  std::vector<std::uint32_t> every_chip(topology.chips());
  std::iota(every_chip.begin(), every_chip.end(), 0);
  deal(every_chip);
  const std::uint32_t switches = topology.nodes() - topology.chips();
  for (std::uint32_t s = 0; s < switches; ++s)
    process_[topology.chips() + s] = s % std::min(switches, processes.count());
}

void NodeShares::deal(const std::vector<std::uint32_t>& representative) {
  const auto chips = static_cast<std::uint32_t>(representative.size());
  std::vector<std::uint32_t> simulated;
  for (std::uint32_t chip = 0; chip < chips; ++chip)
    if (representative[chip] == chip) simulated.push_back(chip);
  const auto all = static_cast<std::uint32_t>(simulated.size());
  const std::uint32_t reporting = chips_that_report(all, chips, processes_.count());
  for (std::uint32_t n = 0; n < all; ++n)
    process_[simulated[n]] =
        n < reporting ? 0 : 1 + block_of(n - reporting, all - reporting, processes_.count() - 1);
  for (std::uint32_t chip = 0; chip < chips; ++chip) process_[chip] = process_[representative[chip]];
}

std::uint32_t chips_that_report(std::uint32_t simulated, std::uint32_t chips, std::uint32_t processes) {
  if (processes == 1) return simulated;
  std::uint32_t best = simulated / processes;
  const auto longest = [&](std::uint32_t own) {
    const std::uint32_t others = (simulated - own + processes - 2) / (processes - 1);
    return std::max(own * kSimulatedByReported + chips, others * kSimulatedByReported);
  };
  while (best > 0 && longest(best - 1) < longest(best)) --best;
  return best;
}

}  // namespace tahoma::model
