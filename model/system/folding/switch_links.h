// SPDX-License-Identifier: Apache-2.0
// Selects the links of switches that are simulated. A switch has links of several classes of chips, so each
// of its links is folded by itself: the symmetries of the component whose packets it carries take it to equal
// links, and one of them is simulated, at the switch with the lowest number and there at the port with the
// lowest.
#pragma once

#include <vector>

#include "model/system/folding/classes.h"
#include "model/system/folding/components.h"

namespace tahoma::model {

// Describes how a component is folded.
struct FoldedComponent {
  std::size_t onto = 0;              // the component that is simulated for it, or itself
  base::NodeMap shift;               // to that one
  std::vector<base::NodeMap> group;  // its own symmetries, if it is simulated; the first changes nothing
};

// Fills switch_links and into_switches. `folded`: by component.
void fold_switch_links(const Fabric& fabric, const Components& components,
                       const std::vector<FoldedComponent>& folded, Folding& folding);

}  // namespace tahoma::model
