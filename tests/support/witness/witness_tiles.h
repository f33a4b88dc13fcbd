// SPDX-License-Identifier: Apache-2.0
// Instructions whose times are used as witnesses (witness.h): 128 partitions, contiguous from SBUF to SBUF
// unless changed.
#pragma once

#include "isa/core/instruction.h"
#include "model/base/units.h"

namespace tahoma::tests {

inline isa::Instruction witness_tiles(isa::Opcode op, std::uint16_t n, isa::DType dtype) {
  isa::Instruction i;
  i.op = op;
  i.shape = {128, {1, 1, 1, n}};
  i.columns = 128;
  for (isa::Tile* t : {&i.dst, &i.src0, &i.src1}) {
    t->dtype = dtype;
    t->stride = {0, 0, 0, 1};
  }
  return i;
}

inline double length_ns(base::Cycles cycles, base::Frequency clock) {
  return base::Clock(clock).length(cycles).ns();
}

}  // namespace tahoma::tests
