// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/core_name.h"

#include <fmt/format.h>

namespace tahoma::runtime {

std::string core_path(const model::MachineParams& machine, std::uint32_t core) {
  return fmt::format("{}.core{}", model::chip_name(machine, core / machine.chip.cores),
                     core % machine.chip.cores);
}

std::string core_name(const model::MachineParams& machine, std::uint32_t core) {
  return fmt::format("core {} ({})", core, core_path(machine, core));
}

}  // namespace tahoma::runtime
