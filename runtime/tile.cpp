// SPDX-License-Identifier: Apache-2.0
// Narrowing of views.
#include <fmt/format.h>

#include "model/base/error.h"
#include "runtime/kernel.h"

namespace tahoma::runtime {

namespace {

[[noreturn]] void refuse(const char* what, std::uint64_t first, std::uint64_t count, std::uint64_t held) {
  throw base::UserError("E-RUN-021", "kernel",
                        fmt::format("{} [{}, {}) of a view that has {}", what, first, first + count, held),
                        base::ExitStatus::kProgram);
}

}  // namespace

TileView TileView::partitions(unsigned first, unsigned count) const {
  if (count == 0 || first + count > shape.partitions) refuse("partitions", first, count, shape.partitions);
  TileView view = *this;
  view.tile.partition = static_cast<std::uint8_t>(tile.partition + first);
  view.shape.partitions = static_cast<std::uint8_t>(count);
  return view;
}

TileView TileView::columns(unsigned first, unsigned count) const {
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  if (count == 0 || first + count > shape.count[kInner]) refuse("columns", first, count, shape.count[kInner]);
  TileView view = *this;
  const std::int64_t step = tile.stride[kInner] * static_cast<std::int64_t>(isa::size_of(tile.dtype));
  view.tile.offset = static_cast<std::uint32_t>(tile.offset + step * first);
  view.shape.count[kInner] = static_cast<std::uint16_t>(count);
  return view;
}

TileView TileView::broadcast_columns(unsigned count) const {
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  if (shape.count[kInner] != 1) refuse("broadcast of columns", 0, 1, shape.count[kInner]);
  TileView view = *this;
  view.tile.stride[kInner] = 0;
  view.shape.count[kInner] = static_cast<std::uint16_t>(count);
  return view;
}

HbmView HbmView::window(std::uint64_t row, std::uint64_t column, std::uint64_t window_rows,
                        std::uint64_t window_columns) const {
  if (row + window_rows > rows) refuse("rows", row, window_rows, rows);
  if (column + window_columns > columns) refuse("columns", column, window_columns, columns);
  HbmView view = *this;
  view.offset += (row * static_cast<std::uint64_t>(row_stride) + column) * isa::size_of(dtype);
  view.rows = window_rows;
  view.columns = window_columns;
  return view;
}

}  // namespace tahoma::runtime
