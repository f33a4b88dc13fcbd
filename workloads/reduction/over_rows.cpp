// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "workloads/norm/column_sums.h"
#include "workloads/norm/row_tiles.h"
#include "workloads/reduction/directions.h"

namespace tahoma::workloads {

namespace {

using isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

constexpr unsigned kTileBytes = 8192;  // of a partition: 1 MiB a load
constexpr unsigned kTiles = 6;         // in flight

unsigned tile_width(const ReductionShape& shape) {
  return static_cast<unsigned>(
      std::min<std::uint64_t>(shape.columns, kTileBytes / isa::size_of(shape.dtype)));
}

void sum_over_rows(Kernel& kernel, const model::MachineParams& machine, const ReductionShape& shape,
                   const ReductionViews& views) {
  const Pool xs = kernel.sbuf("x", shape.dtype, tile_width(shape), kTiles);
  ColumnSums sums(kernel, machine, "sums", shape.dtype, static_cast<unsigned>(shape.columns));
  for (const Range& rows : row_tiles(machine, shape.rows))
    for (const Range& columns : cut(all_of(shape.columns), tile_width(shape))) {
      const TileView tile = kernel.take(xs, rows.count, columns.count);
      kernel.load(tile, views.x.window(rows.first, columns.first, rows.count, columns.count));
      sums.add(tile, columns);
    }
  sums.store(views.y, shape.op == ReductionOp::kMean ? 1.0F / static_cast<float>(shape.rows) : 1.0F);
}

class ExtremumOverRows {
 public:
  ExtremumOverRows(Kernel& kernel, const model::MachineParams& machine, const ReductionShape& shape,
                   const ReductionViews& views)
      : machine_(machine),
        shape_(shape),
        side_(static_cast<unsigned>(machine.chip.core.sbuf.partitions)),
        height_(static_cast<unsigned>(std::min<std::uint64_t>(side_, shape.rows))),
        columns_(static_cast<unsigned>(shape.columns)),
        blocks_((columns_ + side_ - 1) / side_),
        bank_blocks_(static_cast<unsigned>(machine.chip.core.psum.bank.count / isa::size_of(shape.dtype)) /
                     side_),
        op_(shape.op == ReductionOp::kMax ? AluOp::kMax : AluOp::kMin),
        kernel_(kernel),
        x_(views.x),
        y_(views.y),
        xs_(kernel_.sbuf("x", shape.dtype, tile_width(shape), kTiles)),
        banks_(kernel_.psum("transposed", shape.dtype, bank_blocks_ * side_, 4)),
        best_(kernel_.take(kernel_.sbuf("best of each partition", shape.dtype, columns_), height_, columns_)),
        results_(kernel_.take(kernel_.sbuf("y", DType::kFp32, blocks_), side_, blocks_)),
        identity_(kernel_.take(kernel_.sbuf("identity", shape.dtype, side_), side_, side_)) {
    const TileView ones = kernel_.take(kernel_.sbuf("ones", shape.dtype, side_), side_, side_);
    kernel_.memset(ones, 1.0F, Queue::kGpSimd);
    kernel_.affine_select(identity_, ones, 0, 1, -1, isa::CompareOp::kEq, 0.0F);
  }

  void emit() {
    for (const Range& rows : row_tiles(machine_, shape_.rows))
      for (const Range& columns : cut(all_of(columns_), tile_width(shape_))) fold(rows, columns);
    const unsigned whole = columns_ / side_, rest = columns_ % side_;
    for (const Range& blocks : cut(all_of(whole), bank_blocks_)) transpose(blocks, side_);
    if (rest > 0) transpose({whole, 1}, rest);
  }

 private:
  void fold(const Range& rows, const Range& columns) {
    const TileView best =
        best_.partitions(0, rows.count).columns(static_cast<unsigned>(columns.first), columns.count);
    const HbmView window = x_.window(rows.first, columns.first, rows.count, columns.count);
    if (rows.first == 0) return kernel_.load(best, window);
    const TileView tile = kernel_.take(xs_, rows.count, columns.count);
    kernel_.load(tile, window);
    kernel_.tensor_tensor(best, best, tile, op_);
  }

  // Blocks of `width` columns become partitions, and their rows become elements.
  void transpose(const Range& blocks, unsigned width) {
    const TileView bank = kernel_.take(banks_, width, blocks.count * side_);
    for (unsigned b = 0; b < blocks.count; ++b)
      kernel_.transpose(bank.columns(b * side_, height_),
                        best_.columns((static_cast<unsigned>(blocks.first) + b) * side_, width),
                        identity_.partitions(0, height_).columns(0, height_));
    const TileView results =
        results_.partitions(0, width).columns(static_cast<unsigned>(blocks.first), blocks.count);
    kernel_.reduce(results.grid(0, blocks.count, 1, 1), bank.grid(0, blocks.count, side_, height_), op_);
    HbmView y = y_.window(0, blocks.first * side_, 1, 1);
    y.rows = width;
    y.row_stride = 1;
    y.columns = blocks.count;
    y.column_stride = side_;
    kernel_.store(y, results, Queue::kGpSimd);
  }

  const model::MachineParams& machine_;
  ReductionShape shape_;
  unsigned side_, height_, columns_, blocks_, bank_blocks_;
  AluOp op_;
  Kernel& kernel_;
  HbmView x_, y_;
  Pool xs_, banks_;
  TileView best_, results_, identity_;
};

}  // namespace

void emit_over_rows(Kernel& kernel, const model::MachineParams& machine, const ReductionShape& shape,
                    const ReductionViews& views) {
  if (shape.op == ReductionOp::kSum || shape.op == ReductionOp::kMean)
    return sum_over_rows(kernel, machine, shape, views);
  ExtremumOverRows(kernel, machine, shape, views).emit();
}

}  // namespace tahoma::workloads
