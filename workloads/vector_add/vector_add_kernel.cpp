// SPDX-License-Identifier: Apache-2.0
#include "workloads/vector_add/vector_add_kernel.h"

#include <algorithm>
#include <map>

#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

namespace {

using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

constexpr isa::Queue kLoads = isa::Queue::kSync, kStores = isa::Queue::kGpSimd;
// Tiles in flight. The device trace has two; a third and a fourth hide the latency of longer vectors.
constexpr std::uint64_t kTilesAhead = 4;

// Waits at the end of the program until all transfers that `on` has started have landed.
void wait_for_transfers(isa::Program& program, isa::Queue on) {
  std::map<std::uint8_t, std::uint32_t> landed;  // by semaphore
  std::vector<isa::Instruction>& stream = program.stream(on).edit();
  for (const isa::Instruction& i : stream)
    if (i.op == isa::Opcode::kDmaCopy) landed[i.update.semaphore] += isa::kDmaEngines;
  for (const auto& [semaphore, value] : landed) {
    isa::Instruction wait;
    wait.op = isa::Opcode::kSemWait;
    wait.wait = {isa::Wait::Kind::kGe, semaphore, value};
    stream.push_back(wait);
  }
}

}  // namespace

isa::Program vector_add_program(const model::MachineParams& machine, const VectorAddShape& shape) {
  const auto height = static_cast<unsigned>(machine.chip.core.sbuf.partitions);
  const auto columns = static_cast<unsigned>(shape.columns);
  const auto copies = static_cast<unsigned>(std::min(kTilesAhead, shape.rows / height));
  Kernel k("vector_add", machine);
  const HbmView a = k.argument("a", shape.dtype, shape.rows, shape.columns);
  const HbmView b = k.argument("b", shape.dtype, shape.rows, shape.columns);
  const HbmView y = k.argument("y", shape.dtype, shape.rows, shape.columns);
  const Pool as = k.sbuf("a", shape.dtype, columns, copies), bs = k.sbuf("b", shape.dtype, columns, copies),
             ys = k.sbuf("y", shape.dtype, columns, copies);
  for (std::uint64_t row = 0; row < shape.rows; row += height) {
    const TileView a_tile = k.take(as, height, columns), b_tile = k.take(bs, height, columns),
                   y_tile = k.take(ys, height, columns);
    k.load(a_tile, a.window(row, 0, height, columns), kLoads);
    k.load(b_tile, b.window(row, 0, height, columns), kLoads);
    k.tensor_tensor(y_tile, a_tile, b_tile, isa::AluOp::kAdd);
    k.store(y.window(row, 0, height, columns), y_tile, kStores);
  }
  isa::Program program = k.finish();
  wait_for_transfers(program, kStores);
  return program;
}

}  // namespace tahoma::workloads
