// SPDX-License-Identifier: Apache-2.0
// Machines for tests: the declared defaults, reduced where a test needs less.
#pragma once

#include "model/system/machine/machine_params.h"

namespace tahoma::tests {

// The default UltraServer, directly from the declarations.
inline model::MachineParams default_machine() {
  model::MachineParams m;
  base::ParamTree tree("machine");
  m.declare(tree);
  return m;
}

inline model::MachineParams machine_of(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  model::MachineParams m = default_machine();
  m.torus.x = x;
  m.torus.y = y;
  m.torus.z = z;
  return m;
}

// One chip whose stacks have only a bandwidth and a latency, so that neither refresh nor banks affect an
// engine's closed form.
inline model::MachineParams flat_chip() {
  model::MachineParams m = machine_of(1, 1, 1);
  m.chip.hbm.model = model::HbmModel::kFlat;
  return m;
}

// For flat stacks: request to first data, without contention, on the core's own die.
inline base::Duration unloaded_read(const model::MachineParams& m) {
  return m.chip.noc.request + m.chip.hbm.read_latency + m.chip.noc.response;
}

}  // namespace tahoma::tests
