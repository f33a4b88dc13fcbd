// SPDX-License-Identifier: Apache-2.0
// The table of fabrics: one row for each. To add one, write a file with its Topology and its row, and name the
// row in topologies.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/base/topology/topology.h"

namespace tahoma::base {

struct TopologyRow {
  const char* name;                                             // machine.link.topology
  const char* doc;                                              // one phrase
  std::unique_ptr<const Topology> (*make)(const MachineSize&);  // of a size that is not refused
  // What is wrong with the size and what is legal; "" if nothing is.
  std::string (*refusal)(const MachineSize&) = [](const MachineSize&) { return std::string(); };
};

const std::vector<TopologyRow>& topologies();
std::vector<std::string> topology_names();

// A name of the table. The parameter machine.link.topology admits no other.
const TopologyRow& topology_row(const std::string& name);

// Throws UserError E-CFG-020 at machine.torus if the row refuses the size.
void check_size(const TopologyRow& row, const MachineSize& size);

}  // namespace tahoma::base
