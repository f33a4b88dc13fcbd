// SPDX-License-Identifier: Apache-2.0
// The memory that an instruction writes, from the fields of its table row. State inside the engine (weights
// in the array, registers, accumulators) is not included.
#pragma once

#include <string_view>
#include <vector>

#include "isa/core/program.h"
#include "model/base/activity.h"
#include "report/checkpoint/box.h"

namespace tahoma::runtime {

struct Destination {
  std::string_view field;  // its name in assembler text
  Box box;
};

// As written in the program, or with registers, HBM addresses and rows as the run resolved them.
std::vector<Destination> destinations_of(const isa::Program& program, const isa::Instruction& instruction,
                                         const base::ResultActivity& resolved = {});

}  // namespace tahoma::runtime
