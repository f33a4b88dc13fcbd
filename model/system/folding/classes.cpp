// SPDX-License-Identifier: Apache-2.0
#include "model/system/folding/classes.h"

namespace tahoma::model {

std::size_t Folding::simulated() const {
  std::size_t classes = 0;
  for (std::uint32_t chip = 0; chip < representative.size(); ++chip) classes += is_simulated(chip) ? 1 : 0;
  return classes;
}

Folding unfolded(const base::Topology& topology, std::string reason) {
  const base::NodeMap same = base::identity_map(topology.nodes());
  return {base::identity_map(topology.chips()),
          std::vector<base::NodeMap>(topology.chips(), same),
          {},
          {},
          std::move(reason)};
}

}  // namespace tahoma::model
