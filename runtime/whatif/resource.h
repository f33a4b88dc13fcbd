// SPDX-License-Identifier: Apache-2.0
// What a run can be held back by, resource by resource, and what makes each of them ideal: its costs vanish
// and nothing else changes. The parameters are found in the machine's own tree, so that a new one belongs to
// its resource by its path.
#pragma once

#include <string>
#include <vector>

#include "model/base/params.h"

namespace tahoma::runtime {

struct Resource {
  std::string name, doc;
  std::vector<std::string> overrides;  // "path=ideal", as --set
};

// Those that the machine has: a fabric without links has none to make ideal.
std::vector<Resource> resources_of(const base::ParamTree& machine);

}  // namespace tahoma::runtime
