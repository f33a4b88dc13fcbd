// SPDX-License-Identifier: Apache-2.0
// The SBUF buffers of code on tiles: a value's buffer is reused after its last use.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/graph/operators/tile_code.h"

namespace tahoma::workloads::graph {

struct TileRegisters {
  std::vector<std::uint32_t> of_tile;  // by tile of the code; inputs and the result have none
  std::uint32_t count = 0;
  bool selects = false;  // two more, for predicates
};

TileRegisters assign_registers(const TileCode& code, TileOperand result);

}  // namespace tahoma::workloads::graph
