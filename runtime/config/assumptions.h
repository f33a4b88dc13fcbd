// SPDX-License-Identifier: Apache-2.0
// The results of a run depend on assumptions: machine parameters that are neither documented nor measured
// (provenance `assumed`). A value that the user has set is a choice, not an assumption. Parameters of
// components that the run did not use are only counted.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/measurements.h"
#include "model/base/params.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime {

struct Assumptions {
  std::vector<const base::Param*>
      in_use;  // in the order of their declarations; of the tree, which must outlive them
  std::uint64_t untouched = 0;
};

Assumptions assumptions_of(const base::ParamTree& tree, const model::MachineParams& machine,
                           const base::RunMeasurement& run);

}  // namespace tahoma::runtime
