// SPDX-License-Identifier: Apache-2.0
#include "workloads/transpose/transpose_kernel.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/builder/kernel.h"
#include "workloads/common/ranges.h"

namespace tahoma::workloads {

namespace {

using isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

constexpr unsigned kPieceBytes = 4096;  // of a partition of x, and of a row of y

struct Parts {
  Parts(Kernel& in, const model::MachineParams& machine, const TransposeShape& shape,
        const TransposeViews& views)
      : side(static_cast<unsigned>(machine.chip.core.sbuf.partitions)),
        most(kPieceBytes / shape.element_bytes),
        kernel(in),
        x(views.x.window(0, shape.first, shape.rows, shape.count)),
        y(views.y) {}

  unsigned side, most;  // partitions; elements of a tile's row
  Kernel& kernel;
  HbmView x, y;
};

class ByTensor {
 public:
  ByTensor(Kernel& kernel, const model::MachineParams& machine, const TransposeShape& shape,
           const TransposeViews& views)
      : shape_(shape),
        parts_(kernel, machine, shape, views),
        height_(static_cast<unsigned>(std::min<std::uint64_t>(parts_.most, shape.rows))),
        width_(static_cast<unsigned>(std::min<std::uint64_t>(parts_.most, shape.columns))),
        bank_(static_cast<unsigned>(machine.chip.core.psum.bank.count) / shape.element_bytes),
        xs_(parts_.kernel.sbuf("x", parts_.x.dtype, width_, 2 * ((height_ + parts_.side - 1) / parts_.side))),
        ys_(parts_.kernel.sbuf("y", parts_.x.dtype, height_, 4)),
        banks_(parts_.kernel.psum("transposed", parts_.x.dtype, bank_,
                                  static_cast<unsigned>(machine.chip.core.psum.per_partition.count /
                                                        machine.chip.core.psum.bank.count))),
        identity_(parts_.kernel.take(parts_.kernel.sbuf("identity", parts_.x.dtype, parts_.side), parts_.side,
                                     parts_.side)) {
    const TileView ones =
        parts_.kernel.take(parts_.kernel.sbuf("ones", parts_.x.dtype, parts_.side), parts_.side, parts_.side);
    parts_.kernel.memset(ones, 1.0F, Queue::kGpSimd);
    parts_.kernel.affine_select(identity_, ones, 0, 1, -1, isa::CompareOp::kEq, 0.0F);
  }

  void emit() {
    for (const Range& rows : cut(all_of(shape_.rows), height_))
      for (const Range& columns : cut(all_of(shape_.count), width_)) transpose(rows, columns);
  }

 private:
  void transpose(const Range& rows, const Range& columns) {
    std::vector<TileView> tiles;
    for (const Range& part : cut(rows, parts_.side)) {
      tiles.push_back(parts_.kernel.take(xs_, part.count, columns.count));
      parts_.kernel.load(tiles.back(), parts_.x.window(part.first, columns.first, part.count, columns.count));
    }
    for (const Range& out : cut(all_of(columns.count), parts_.side)) {
      const TileView row = parts_.kernel.take(ys_, out.count, rows.count);
      for (const Range& piece : cut(all_of(rows.count), bank_)) fill(row, tiles, out, piece);
      parts_.kernel.store(parts_.y.window(columns.first + out.first, rows.first, out.count, rows.count), row,
                          Queue::kGpSimd);
    }
  }

  // Columns `out` of the rows `piece` of a strip, through one bank.
  void fill(const TileView& row, const std::vector<TileView>& tiles, const Range& out, const Range& piece) {
    const TileView bank = parts_.kernel.take(banks_, out.count, piece.count);
    for (const Range& part : cut(piece, parts_.side)) {
      const TileView& tile = tiles[part.first / parts_.side];
      parts_.kernel.transpose(bank.columns(static_cast<unsigned>(part.first - piece.first), part.count),
                              tile.columns(static_cast<unsigned>(out.first), out.count),
                              identity_.partitions(0, part.count).columns(0, part.count));
    }
    parts_.kernel.copy(row.columns(static_cast<unsigned>(piece.first), piece.count), bank);
  }

  TransposeShape shape_;
  Parts parts_;
  unsigned height_, width_, bank_;
  Pool xs_, ys_, banks_;
  TileView identity_;
};

class ByDma {
 public:
  ByDma(Kernel& kernel, const model::MachineParams& machine, const TransposeShape& shape,
        const TransposeViews& views)
      : shape_(shape),
        parts_(kernel, machine, shape, views),
        height_(static_cast<unsigned>(std::min<std::uint64_t>(parts_.most, shape.rows))),
        ys_(parts_.kernel.sbuf("y", parts_.x.dtype, height_, 8)) {}

  void emit() {
    for (const Range& rows : cut(all_of(shape_.rows), height_))
      for (const Range& columns : cut(all_of(shape_.count), parts_.side)) {
        const TileView row = parts_.kernel.take(ys_, columns.count, rows.count);
        load(row, rows, columns);
        parts_.kernel.store(parts_.y.window(columns.first, rows.first, columns.count, rows.count), row,
                            Queue::kGpSimd);
      }
  }

 private:
  static constexpr unsigned kRows = 16;  // the transposing path takes multiples of them

  void load(const TileView& row, const Range& rows, const Range& columns) {
    const HbmView from = parts_.x.window(rows.first, columns.first, rows.count, columns.count);
    if (rows.count < kRows) return load_elements(row, from);
    const unsigned whole = rows.count / kRows * kRows;
    parts_.kernel.load_transposed(row.columns(0, whole), from.window(0, 0, whole, columns.count));
    if (whole == rows.count) return;
    const unsigned last = rows.count - kRows;
    parts_.kernel.load_transposed(row.columns(last, kRows), from.window(last, 0, kRows, columns.count));
  }

  void load_elements(const TileView& row, HbmView from) {
    std::swap(from.rows, from.columns);
    std::swap(from.row_stride, from.column_stride);
    parts_.kernel.load(row, from);
  }

  TransposeShape shape_;
  Parts parts_;
  unsigned height_;
  Pool ys_;
};

}  // namespace

DType carrier(unsigned element_bytes) { return element_bytes == 2 ? DType::kBf16 : DType::kFp32; }

void emit_transpose(Kernel& kernel, const model::MachineParams& machine, const TransposeShape& shape,
                    const TransposeViews& views) {
  if (shape.by == TransposeBy::kTensor)
    ByTensor(kernel, machine, shape, views).emit();
  else
    ByDma(kernel, machine, shape, views).emit();
}

isa::Program transpose_program(const model::MachineParams& machine, const TransposeShape& shape) {
  Kernel kernel("transpose", machine);
  const HbmView x = kernel.argument("x", carrier(shape.element_bytes), shape.rows, shape.columns),
                y = kernel.argument("y", carrier(shape.element_bytes), shape.count, shape.rows);
  emit_transpose(kernel, machine, shape, {x, y});
  return kernel.finish();
}

}  // namespace tahoma::workloads
