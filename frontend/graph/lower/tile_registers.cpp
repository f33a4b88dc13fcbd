// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/lower/tile_registers.h"

#include <algorithm>

namespace tahoma::workloads::graph {

TileRegisters assign_registers(const TileCode& code, TileOperand result) {
  TileRegisters registers{std::vector<std::uint32_t>(code.tiles(), UINT32_MAX), 0, false};
  std::vector<std::size_t> last(code.tiles(), 0);
  const std::vector<TileOperation>& operations = code.operations();
  for (std::size_t n = 0; n < operations.size(); ++n)
    for (const TileOperand& operand : {operations[n].a, operations[n].b, operations[n].c})
      if (operand.tile) last[*operand.tile] = n;
  std::vector<std::uint32_t> free;
  for (std::size_t n = 0; n < operations.size(); ++n) {
    const TileOperation& operation = operations[n];
    registers.selects = registers.selects || operation.kind == TileOperation::Kind::kSelect;
    if (!(n + 1 == operations.size() && result.tile == operation.result)) {
      if (free.empty()) free.push_back(registers.count++);
      registers.of_tile[operation.result] = free.back();
      free.pop_back();
    }
    for (std::uint32_t tile = code.inputs(); tile < operation.result; ++tile)
      if (last[tile] == n && registers.of_tile[tile] != UINT32_MAX &&
          std::find(free.begin(), free.end(), registers.of_tile[tile]) == free.end() &&
          tile != operation.result)
        free.push_back(registers.of_tile[tile]);
  }
  return registers;
}

}  // namespace tahoma::workloads::graph
