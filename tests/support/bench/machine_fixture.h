// SPDX-License-Identifier: Apache-2.0
// Machines for tests: the declared defaults, cut down where a test wants less.
#pragma once

#include "model/system/machine_params.h"

namespace tahoma::tests {

// The default UltraServer, straight from the declarations.
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

// One chip whose stacks have a bandwidth and a latency alone: no refresh and no bank comes between an engine
// and its closed form.
inline model::MachineParams flat_chip() {
  model::MachineParams m = machine_of(1, 1, 1);
  m.chip.hbm.model = model::HbmModel::kFlat;
  return m;
}

// Of flat stacks: request to first data, nothing in the way, on the core's own die.
inline base::Duration unloaded_read(const model::MachineParams& m) {
  return m.chip.noc.request + m.chip.hbm.read_latency + m.chip.noc.response;
}

}  // namespace tahoma::tests
