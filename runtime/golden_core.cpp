// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "runtime/golden.h"

namespace tahoma::runtime {

std::string core_path(const model::MachineParams& machine, std::uint32_t core) {
  const std::uint64_t chip = core / machine.chip.cores, chips_per_server = machine.torus.x * machine.torus.y;
  return fmt::format("server{}.chip{:02}.core{}", chip / chips_per_server, chip % chips_per_server,
                     core % machine.chip.cores);
}

std::string core_name(const model::MachineParams& machine, std::uint32_t core) {
  return fmt::format("core {} ({})", core, core_path(machine, core));
}

}  // namespace tahoma::runtime
