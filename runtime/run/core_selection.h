// SPDX-License-Identifier: Apache-2.0
// Cores that an option of the command line names.
#pragma once

#include <string>
#include <vector>

#include "model/system/machine/machine_params.h"

namespace tahoma::runtime {

// Selects cores by global number, "3" or "8-15", or by the name of an instance that has cores, such as
// "server0.chip03" or "server0.chip03.core5". Throws UserError E-TRC-003, with the option as its place, if
// the machine has no such core or instance.
std::vector<bool> selected_cores(const char* option, const std::vector<std::string>& texts,
                                 const model::MachineParams& machine);

}  // namespace tahoma::runtime
