// SPDX-License-Identifier: Apache-2.0
// The classes of equal chips of a machine, one of which is simulated for all.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/base/topology/symmetries.h"

namespace tahoma::model {

// The link that is simulated for another one.
struct StandIn {
  base::LinkId link;
  base::NodeMap view;  // from the other one's names to those at this link
};

struct Folding {
  std::vector<std::uint32_t> representative;  // by chip
  std::vector<base::NodeMap> view;  // by chip: its names for all chips to those of its representative
  std::map<base::LinkId, StandIn> switch_links;  // of links that leave switches and may carry packets
  std::map<base::LinkId, base::NodeMap>
      into_switches;   // of simulated links to a switch that another one stands for there: its view
  std::string reason;  // why no chip is folded; "" if some are, or if all differ

  std::size_t simulated() const;  // number of classes
  bool folds() const { return simulated() < representative.size(); }
  bool is_simulated(std::uint32_t chip) const { return representative[chip] == chip; }
};

// Every chip is a class of its own.
Folding unfolded(const base::Topology& topology, std::string reason = "");

}  // namespace tahoma::model
