// SPDX-License-Identifier: Apache-2.0
#include "model/base/topology/topologies.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::base {

// Each is defined in the file of its name.
TopologyRow torus_row();
TopologyRow mesh_row();
TopologyRow ring_row();
TopologyRow switched_row();
TopologyRow two_level_row();
TopologyRow rails_row();
TopologyRow listed_row();

const std::vector<TopologyRow>& topologies() {
  static const std::vector<TopologyRow> kRows{torus_row(),     mesh_row(),  ring_row(),  switched_row(),
                                              two_level_row(), rails_row(), listed_row()};
  return kRows;
}

Choice<FabricKind> fabric_choice() {
  Choice<FabricKind> choice;
  for (std::size_t n = 0; n < topologies().size(); ++n)
    choice.push(static_cast<FabricKind>(n), topologies()[n].name);
  return choice;
}

FabricKind fabric_named(std::string_view name) {
  const auto& rows = topologies();
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const TopologyRow& r) { return name == r.name; });
  TAHOMA_INVARIANT(row != rows.end(), fmt::format("there is no topology '{}'", name));
  return static_cast<FabricKind>(row - rows.begin());
}

const TopologyRow& topology_row(FabricKind kind) { return topologies().at(static_cast<std::size_t>(kind)); }

void check_size(const TopologyRow& row, const MachineSize& size) {
  if (const std::string why = row.refusal(size); !why.empty())
    throw UserError(
        "E-CFG-020", "machine.torus",
        fmt::format("{} x {} x {} chips do not form a {}: {}", size.x, size.y, size.z, row.name, why));
}

}  // namespace tahoma::base
