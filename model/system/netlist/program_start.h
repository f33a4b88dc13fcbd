// SPDX-License-Identifier: Apache-2.0
// When programs start that do not start with the run. A runtime on the host launches them; what a launch
// itself costs is not modelled.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/units.h"

namespace tahoma::model {

// The programs of `cores` start together: at a time of the run, or when the programs of the cores `after`
// have completed, whichever is later.
struct ProgramStart {
  std::vector<std::uint32_t> cores;
  base::Duration at{0};
  std::vector<std::uint32_t> after;  // cores with programs
};

}  // namespace tahoma::model
