// SPDX-License-Identifier: Apache-2.0
// Names of cores.
#pragma once

#include <cstdint>
#include <string>

#include "model/system/machine/instance_params.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime {

std::string core_path(const model::MachineParams& machine, std::uint32_t core);  // "server0.chip02.core1"
std::string core_name(const model::MachineParams& machine, std::uint32_t core);  // "core 17 (server0. ...)"

}  // namespace tahoma::runtime
