// SPDX-License-Identifier: Apache-2.0
// The table of fabrics: one row for each. To add one, write a file with its Topology and its row, and name
// the row in topologies.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/param_choice.h"
#include "model/base/topology/topology.h"

namespace tahoma::base {

struct TopologyRow {
  const char* name;                                             // machine.link.topology
  const char* doc;                                              // one phrase
  std::unique_ptr<const Topology> (*make)(const MachineSize&);  // the size must be legal
  // Says why a size is illegal and which sizes are legal; "" if the size is legal.
  std::string (*refusal)(const MachineSize&) = [](const MachineSize&) { return std::string(); };
};

const std::vector<TopologyRow>& topologies();

// The number of a row of the table: the value of the parameter machine.link.topology. It has no enumerators,
// so that the table is the only list of fabrics.
enum class FabricKind : std::uint8_t {};
Choice<FabricKind> fabric_choice();
FabricKind fabric_named(std::string_view name);  // invariant: the table has the name
const TopologyRow& topology_row(FabricKind kind);
inline const TopologyRow& topology_row(std::string_view name) { return topology_row(fabric_named(name)); }
inline const char* name_of(FabricKind kind) { return topology_row(kind).name; }

// Throws UserError E-CFG-020 at machine.torus if the row refuses the size.
void check_size(const TopologyRow& row, const MachineSize& size);

}  // namespace tahoma::base
