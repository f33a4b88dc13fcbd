// SPDX-License-Identifier: Apache-2.0
#include "model/system/parallel/node_shares.h"

#include <algorithm>
#include <numeric>

namespace tahoma::model {

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
  for (std::uint32_t n = 0; n < all; ++n) process_[simulated[n]] = block_of(n, all, processes_.count());
  for (std::uint32_t chip = 0; chip < chips; ++chip) process_[chip] = process_[representative[chip]];
}

}  // namespace tahoma::model
