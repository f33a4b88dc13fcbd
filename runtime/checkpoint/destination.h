// SPDX-License-Identifier: Apache-2.0
// What an instruction writes to memory, from the fields of its row. Leaves out what stays in its engine: the
// weights in the array, registers, accumulators.
#pragma once

#include <string_view>
#include <vector>

#include "isa/core/program.h"
#include "model/base/activity.h"
#include "runtime/checkpoint/box.h"

namespace tahoma::runtime {

struct Destination {
  std::string_view field;  // its name in assembler text
  Box box;
};

// As the program says it, or where a run has resolved it: registers, addresses in HBM, rows.
std::vector<Destination> destinations_of(const isa::Program& program, const isa::Instruction& instruction,
                                         const base::ResultActivity& resolved = {});

}  // namespace tahoma::runtime
