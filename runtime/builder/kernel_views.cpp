// SPDX-License-Identifier: Apache-2.0
// Methods that narrow views.
#include "runtime/builder/kernel_views.h"

#include <fmt/format.h>

#include "isa/table/table_fields.h"
#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

[[noreturn]] void refuse(const char* what, std::uint64_t first, std::uint64_t count, std::uint64_t held) {
  throw base::UserError("E-RUN-021", "kernel",
                        fmt::format("{} [{}, {}) of a view that has {}", what, first, first + count, held),
                        base::ExitStatus::kProgram);
}

std::int16_t stride_of(std::int64_t elements) {
  if (elements > INT16_MAX || elements < INT16_MIN)
    throw base::UserError(
        "E-RUN-021", "kernel",
        fmt::format("a stride of {} elements; expected {} to {}", elements, INT16_MIN, INT16_MAX),
        base::ExitStatus::kProgram);
  return static_cast<std::int16_t>(elements);
}

}  // namespace

TileView TileView::partitions(unsigned first, unsigned count) const {
  if (count == 0 || first + count > shape.partitions) refuse("partitions", first, count, shape.partitions);
  TileView view = *this;
  view.tile.partition = static_cast<std::uint16_t>(tile.partition + first);
  view.shape.partitions = static_cast<std::uint16_t>(count);
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

TileView TileView::every(unsigned first, unsigned step) const {
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  const unsigned held = shape.count[kInner];
  if (step == 0 || first >= held) refuse("columns", first, 1, held);
  TileView view = columns(first, held - first);
  view.shape.count[kInner] = static_cast<std::uint16_t>((held - first + step - 1) / step);
  view.tile.stride[kInner] = stride_of(std::int64_t{tile.stride[kInner]} * step);
  return view;
}

TileView TileView::grid(unsigned first, unsigned rows, unsigned pitch, unsigned width) const {
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  if (shape.count[kInner - 1] != 1 || rows == 0 || width == 0)
    refuse("rows of a grid", 0, rows, shape.count[kInner - 1]);
  TileView view = columns(first, (rows - 1) * pitch + width);
  view.shape.count[kInner - 1] = static_cast<std::uint16_t>(rows);
  view.shape.count[kInner] = static_cast<std::uint16_t>(width);
  view.tile.stride[kInner - 1] = stride_of(std::int64_t{tile.stride[kInner]} * pitch);
  return view;
}

TileView TileView::as(isa::DType dtype) const {
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  const std::uint64_t bytes = free_elements(shape) * isa::size_of(tile.dtype), size = isa::size_of(dtype);
  if (free_elements(shape) != shape.count[kInner] || tile.stride[kInner] != 1 || bytes % size != 0)
    refuse("another dtype of bytes", 0, bytes, 0);
  TileView view = *this;
  view.tile.dtype = dtype;
  view.shape.count[kInner] = static_cast<std::uint16_t>(bytes / size);
  return view;
}

TileView TileView::slices(unsigned count) const {
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  const unsigned held = shape.count[kInner];
  if (count == 0 || held % count != 0 || free_elements(shape) != held) refuse("slices", 0, count, held);
  if (count == 1) return *this;
  TileView view = *this;
  view.shape.count[isa::kSliceDim] = static_cast<std::uint16_t>(count);
  view.shape.count[kInner] = static_cast<std::uint16_t>(held / count);
  view.tile.stride[isa::kSliceDim] = stride_of(std::int64_t{tile.stride[kInner]} * (held / count));
  return view;
}

TileView TileView::interleaved(unsigned count) const {
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  const unsigned held = shape.count[kInner];
  if (count == 0 || held % count != 0 || free_elements(shape) != held) refuse("slices", 0, count, held);
  TileView view = *this;
  view.shape.count[isa::kSliceDim] = static_cast<std::uint16_t>(count);
  view.shape.count[kInner] = static_cast<std::uint16_t>(held / count);
  view.tile.stride[isa::kSliceDim] = tile.stride[kInner];
  view.tile.stride[kInner] = stride_of(std::int64_t{tile.stride[kInner]} * count);
  return view;
}

TileView TileView::slice(unsigned number) const {
  if (number >= shape.count[isa::kSliceDim]) refuse("slices", number, 1, shape.count[isa::kSliceDim]);
  TileView view = *this;
  const std::int64_t step = tile.stride[isa::kSliceDim] * static_cast<std::int64_t>(isa::size_of(tile.dtype));
  view.tile.offset = static_cast<std::uint32_t>(tile.offset + step * number);
  view.shape.count[isa::kSliceDim] = 1;
  view.tile.stride[isa::kSliceDim] = 0;
  return view;
}

HbmView HbmView::slices(unsigned count) const {
  if (count == 0 || rows % count != 0 || repeated()) refuse("slices of rows", 0, count, rows);
  if (count == 1) return *this;
  HbmView view = *this;
  view.repeats = {{{rows / count, row_stride * count}, {count, row_stride}}};
  view.rows = 1;
  return view;
}

HbmView HbmView::stacked(unsigned count) const {
  HbmView view = slices(count);
  if (count == 1) return view;
  const auto neighbours = static_cast<std::int64_t>(rows / count);
  view.repeats = {{{rows / count, row_stride}, {count, row_stride * neighbours}}};
  return view;
}

HbmView HbmView::as(isa::DType other) const {
  const auto from = static_cast<std::int64_t>(isa::size_of(dtype)),
             to = static_cast<std::int64_t>(isa::size_of(other)),
             bytes = static_cast<std::int64_t>(columns) * from;
  if (column_stride != 1 || repeated() || bytes % to != 0 || row_stride * from % to != 0)
    refuse("another dtype of bytes", 0, static_cast<std::uint64_t>(bytes), columns);
  HbmView view = *this;
  view.dtype = other;
  view.columns = static_cast<std::uint64_t>(bytes / to);
  view.row_stride = row_stride * from / to;
  return view;
}

HbmView HbmView::of_peer(std::int64_t bytes) const {
  HbmView view = *this;
  view.distance = bytes;
  return view;
}

HbmView HbmView::window(std::uint64_t row, std::uint64_t column, std::uint64_t window_rows,
                        std::uint64_t window_columns) const {
  if (row + window_rows > rows) refuse("rows", row, window_rows, rows);
  if (column + window_columns > columns) refuse("columns", column, window_columns, columns);
  HbmView view = *this;
  view.offset +=
      (row * static_cast<std::uint64_t>(row_stride) + column * static_cast<std::uint64_t>(column_stride)) *
      isa::size_of(dtype);
  view.rows = window_rows;
  view.columns = window_columns;
  return view;
}

}  // namespace tahoma::runtime
