// SPDX-License-Identifier: Apache-2.0
#include "workloads/mlp/gated.h"

#include "workloads/norm/row_tiles.h"

namespace tahoma::workloads {

using isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr unsigned kMostColumns = 2048;  // of a tile: 4 KiB of 16 bits, the full rate of a DMA engine
constexpr unsigned kCopies = 4;

}  // namespace

void emit_gated(Kernel& kernel, const model::MachineParams& machine, const GatedShape& shape,
                const GatedViews& views) {
  const auto width = static_cast<unsigned>(std::min<std::uint64_t>(shape.columns, kMostColumns));
  const std::uint64_t bytes = std::uint64_t{width} * (3 * isa::size_of(shape.dtype) + sizeof(float));
  const unsigned copies = copies_in(machine, bytes, kCopies, 0);
  const Pool gates = kernel.sbuf("gate", shape.dtype, width, copies),
             ups = kernel.sbuf("up", shape.dtype, width, copies),
             activated = kernel.sbuf("activated", DType::kFp32, width, copies),
             ys = kernel.sbuf("y", shape.dtype, width, copies);
  for (const Range& rows : row_tiles(machine, shape.tokens))
    for (const Range& columns : cut(all_of(shape.columns), width)) {
      const auto take = [&](Pool pool) { return kernel.take(pool, rows.count, columns.count); };
      const auto window = [&](const HbmView& view) {
        return view.window(rows.first, columns.first, rows.count, columns.count);
      };
      const TileView gate = take(gates), up = take(ups), factor = take(activated), y = take(ys);
      kernel.load(gate, window(views.gate));
      kernel.load(up, window(views.up));
      kernel.activation(factor, gate, shape.activation);
      kernel.tensor_tensor(y, factor, up, AluOp::kMult);
      kernel.store(window(views.y), y, Queue::kGpSimd);
    }
}

}  // namespace tahoma::workloads
