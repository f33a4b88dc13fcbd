// SPDX-License-Identifier: Apache-2.0
// What prevents folding, whatever the programs do.
#pragma once

#include <string>

#include "model/system/fabric.h"
#include "model/system/machine_params.h"

namespace tahoma::model {

// Why a machine cannot be folded; "" if it can.
std::string obstacle_to_folding(const MachineParams& p, const Fabric& fabric);

}  // namespace tahoma::model
