// SPDX-License-Identifier: Apache-2.0
// Assigns each node of the fabric to a process of a run of several. The chips that are simulated are assigned
// in contiguous blocks, the switches in turn. Process 0 has fewer chips, because it also passes on the events
// of all. A chip that another one represents (model/system/folding) belongs to the process of its
// representative.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/topology/topology.h"
#include "model/system/parallel/processes.h"

namespace tahoma::model {

class NodeShares {
 public:
  // Every chip is simulated, until deal() says otherwise. `processes` outlives this object.
  NodeShares(const base::Topology& topology, const Processes& processes);

  // Assigns the nodes anew before a netlist exists. `representative` is that of each chip.
  void deal(const std::vector<std::uint32_t>& representative);

  std::uint32_t process_of(std::uint32_t node) const { return process_[node]; }
  bool is_here(std::uint32_t node) const { return process_[node] == processes_.rank(); }

 private:
  const Processes& processes_;
  std::vector<std::uint32_t> process_;  // by node
};

// Returns how many of the `simulated` chips process 0 takes, if it passes on the events of `chips`.
std::uint32_t chips_that_report(std::uint32_t simulated, std::uint32_t chips, std::uint32_t processes);

}  // namespace tahoma::model
