// SPDX-License-Identifier: Apache-2.0
// Views of a grid: planes of two axes, one for each coordinate of the third, or rows of one axis.
#pragma once

#include <vector>

#include "model/base/topology/topology.h"

namespace tahoma::base {

// `wraps`: rows are rings, otherwise lines.
std::vector<FabricView> grid_views(const Topology& grid, bool wraps);

}  // namespace tahoma::base
