// SPDX-License-Identifier: Apache-2.0
// Tells which links of a folded machine are simulated, and which names chips have on them
// (model/system/folding). A node at the far end of a link may be one that stands for the node there; it has
// other names for all chips.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/base/topology/topology.h"
#include "model/link/link_port.h"
#include "model/link/renaming.h"
#include "model/link/router.h"

namespace tahoma::model {

// Every pointer must outlive the object.
struct FoldedLinks {
  // Each chip has the renaming from its names to those of its representative, null for a representative. If
  // empty, nothing is folded.
  std::vector<const Renaming*> chips;
  struct Port {
    base::LinkId link;  // that is simulated for this one
    const Renaming* names =
        nullptr;  // from the names at this link to those at that one; null: it is this one
  };
  std::map<base::LinkId, Port> switch_links;  // links that leave switches and may carry packets
  std::map<base::LinkId, const Renaming*>
      into_switches;  // simulated links to a switch that another one stands for there

  bool folds() const { return !chips.empty(); }
  bool is_represented(std::uint32_t node) const { return node < chips.size() && chips[node] != nullptr; }
  // Returns the port if the link exists and some process simulates it.
  std::optional<LinkPort::Place> simulated(const Router::Fabric& fabric, const base::LinkId& link) const;
  // Returns the link that is simulated for a link of a switch.
  base::LinkId simulated_for(const base::LinkId& of_switch) const;
  // Returns for each node whether a simulated link begins or ends there.
  std::vector<bool> used_nodes(const Router::Fabric& fabric) const;
  // Returns the names that the node at the far end of a simulated link uses; null: those of this side.
  const Renaming* far_names(const LinkPort::Place& port) const;
  std::uint32_t far_node(const LinkPort::Place& port) const;  // that is simulated
  // Tells a switch which of its ports stand for others.
  void stand_in_for_ports(Router& of_switch) const;
};

}  // namespace tahoma::model
