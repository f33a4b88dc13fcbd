// SPDX-License-Identifier: Apache-2.0
// A machine as text, to recognise equal machines: every parameter with its value, and every setting of an
// instance. Machines with equal texts give equal times.
#pragma once

#include <string>

#include "model/system/machine_params.h"

namespace tahoma::model {

std::string text_of(const MachineParams& machine);

}  // namespace tahoma::model
