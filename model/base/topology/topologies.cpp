// SPDX-License-Identifier: Apache-2.0
#include "model/base/topology/topologies.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::base {

// Each in the file of its name.
TopologyRow torus_row();
TopologyRow mesh_row();
TopologyRow ring_row();
TopologyRow switched_row();

const std::vector<TopologyRow>& topologies() {
  static const std::vector<TopologyRow> kRows{torus_row(), mesh_row(), ring_row(), switched_row()};
  return kRows;
}

std::vector<std::string> topology_names() {
  std::vector<std::string> names;
  for (const TopologyRow& row : topologies()) names.emplace_back(row.name);
  return names;
}

const TopologyRow& topology_row(const std::string& name) {
  const auto& rows = topologies();
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const TopologyRow& r) { return name == r.name; });
  TAHOMA_INVARIANT(row != rows.end(), "no topology is called '" + name + "'");
  return *row;
}

void check_size(const TopologyRow& row, const MachineSize& size) {
  if (const std::string why = row.refusal(size); !why.empty())
    throw UserError(
        "E-CFG-020", "machine.torus",
        fmt::format("{} x {} x {} chips do not form a {}: {}", size.x, size.y, size.z, row.name, why));
}

}  // namespace tahoma::base
