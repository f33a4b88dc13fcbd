// SPDX-License-Identifier: Apache-2.0
// The resources that may limit a run, by the names that the critical path has for them
// (report/path/path_resource.h), and how each is idealised: its costs become zero, the work of an engine is
// done at the highest clock that the machine accepts, 100 GHz, the wires of a link take 1 fs, and nothing
// else changes. The parameters are found in the machine's own tree, so a new parameter belongs to its
// resource by its path.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/params.h"
#include "report/area/chip_area.h"

namespace tahoma::runtime {

struct Resource {
  std::string name, doc;
  std::string
      part_of;  // a resource of which this is a part, which names no bottleneck; "" for a whole resource
  std::vector<std::string> overrides;           // "path=ideal", as --set
  std::optional<AreaPart> area = std::nullopt;  // the part of the chip that more of it enlarges
};

// Returns the resources of this machine; a fabric without links, for example, has no links to idealise.
std::vector<Resource> resources_of(const base::ParamTree& machine);

}  // namespace tahoma::runtime
