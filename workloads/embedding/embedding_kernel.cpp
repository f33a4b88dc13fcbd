// SPDX-License-Identifier: Apache-2.0
#include "workloads/embedding/embedding_kernel.h"

#include <algorithm>

#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr std::uint64_t kNumbersAhead = 64;  // tiles whose row numbers are loaded together, one column each

// Row numbers of several tiles, one column per tile.
TileView load_numbers(Kernel& k, Pool pool, const HbmView& ids, std::uint64_t first, std::uint64_t tiles,
                      std::uint64_t height) {
  const TileView tile = k.take(pool, static_cast<unsigned>(height), static_cast<unsigned>(tiles));
  const std::uint64_t left = ids.rows - first, whole = std::min(tiles, left / height);
  HbmView columns = ids.window(first, 0, std::min(left, height), 1);
  columns.columns = whole;
  columns.column_stride = static_cast<std::int64_t>(height);
  if (whole > 0) k.load(tile.columns(0, static_cast<unsigned>(whole)), columns);
  if (whole == tiles) return tile;
  const std::uint64_t rest = left - whole * height;
  k.load(tile.partitions(0, static_cast<unsigned>(rest)).columns(static_cast<unsigned>(whole), 1),
         ids.window(first + whole * height, 0, rest, 1));
  return tile;
}

}  // namespace

void emit_embedding(Kernel& k, const model::MachineParams& machine, const EmbeddingShape& shape,
                    const EmbeddingViews& views) {
  const auto columns = static_cast<unsigned>(shape.columns);
  const std::uint64_t height = machine.chip.core.sbuf.partitions;
  const std::uint64_t tiles = (shape.ids + height - 1) / height;
  const Pool numbers = k.sbuf("row numbers", isa::DType::kInt32,
                              static_cast<unsigned>(std::min(tiles, kNumbersAhead)), 2),
             rows = k.sbuf("rows", shape.dtype, columns, 4);
  TileView held;
  for (std::uint64_t tile = 0; tile < tiles; ++tile) {
    const std::uint64_t first = tile * height, here = std::min(height, shape.ids - first);
    if (tile % kNumbersAhead == 0)
      held = load_numbers(k, numbers, views.ids, first, std::min(kNumbersAhead, tiles - tile), height);
    const auto partitions = static_cast<unsigned>(here);
    const TileView gathered = k.take(rows, partitions, columns);
    k.gather(gathered, views.table,
             held.partitions(0, partitions).columns(static_cast<unsigned>(tile % kNumbersAhead), 1));
    k.store(views.y.window(first, 0, here, shape.columns), gathered);
  }
}

isa::Program embedding_program(const model::MachineParams& machine, const EmbeddingShape& shape) {
  Kernel kernel("embedding", machine);
  const HbmView ids = kernel.argument("ids", isa::DType::kInt32, shape.ids, 1),
                table = kernel.argument("table", shape.dtype, shape.rows, shape.columns),
                y = kernel.argument("y", shape.dtype, shape.ids, shape.columns);
  kernel.control(ids);
  emit_embedding(kernel, machine, shape, {ids, table, y});
  return kernel.finish();
}

}  // namespace tahoma::workloads
