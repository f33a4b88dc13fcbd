// SPDX-License-Identifier: Apache-2.0
// A machine on which small GEMMs have edges in every dimension, and programs that fit a machine.
#pragma once

#include <memory>
#include <utility>

#include "isa/validate/validate.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"

namespace tahoma::tests {

inline model::MachineParams small_machine() {
  model::MachineParams machine = default_machine();
  model::CoreParams& core = machine.chip.core;
  core.tensor.rows = 16;
  core.tensor.columns = 8;
  core.tensor.moving_columns = 32;
  core.sbuf.per_partition = core.sbuf.usable = {1024};
  return machine;
}

// Throws what isa::validate() throws.
inline std::shared_ptr<const isa::Program> valid(const model::MachineParams& machine, isa::Program program) {
  isa::validate(program, runtime::limits_of(machine));
  return std::make_shared<const isa::Program>(std::move(program));
}

}  // namespace tahoma::tests
