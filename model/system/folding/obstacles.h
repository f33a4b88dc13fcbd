// SPDX-License-Identifier: Apache-2.0
// Finds what prevents folding, whatever the programs do.
#pragma once

#include <string>

#include "model/system/machine/fabric.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::model {

// Returns why a machine cannot be folded; "" if it can.
std::string obstacle_to_folding(const MachineParams& p, const Fabric& fabric);

}  // namespace tahoma::model
