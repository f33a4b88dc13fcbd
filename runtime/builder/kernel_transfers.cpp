// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/kernel_transfers.h"

#include "runtime/builder/dma_operation.h"

namespace tahoma::runtime {

namespace {

// Dimension 0 of the window is indexed by these row numbers.
void number_rows(KernelRecord& record, Op& op, isa::Indirection direction, const HbmView& window,
                 const TileView& rows) {
  const isa::DType dtype = rows.tile.dtype;
  record.require(dtype == isa::DType::kInt32 || dtype == isa::DType::kUint32,
                 "row numbers must be int32 or uint32");
  record.require(free_elements(rows.shape) == 1, "row numbers must be a [P,1] column");
  record.require(rows.shape.partitions == record.program.descriptors[op.instruction.descriptor].count[0],
                 "the tile must have one partition for each row number");
  op.instruction.indirect = direction;
  op.instruction.result = {true, rows.tile.space, dtype, rows.tile.partition, rows.tile.offset};
  op.instruction.extent = static_cast<std::uint32_t>(window.rows);
  op.instruction.dge = isa::Dge::kSw;
  record.reads(op, rows);
}

}  // namespace

void KernelTransfers::load(const TileView& dst, const HbmView& src, isa::Queue on) {
  record_.require(dst.shape.count[0] == 1, "load: the tile may have at most three free dimensions");
  record_.require(src.repeated()
                      ? counts_of(src) == transfer_counts(dst.shape)
                      : dst.shape.partitions == src.rows && free_elements(dst.shape) == src.columns,
                  "load: the tile's partitions x elements must equal the window's rows x columns");
  Op& op =
      append_dma(record_, on, {transfer_counts(dst.shape), side_of(dst), side_of(src, &dst.shape), false});
  record_.writes_to(op, dst);
  record_.touches(op, src, false);
}

void KernelTransfers::load_transposed(const TileView& dst, const HbmView& src, isa::Queue on) {
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  record_.require(free_elements(dst.shape) == dst.shape.count[kInner],
                  "load_transposed: the tile must have one free dimension");
  record_.require(dst.shape.partitions == src.columns && free_elements(dst.shape) == src.rows,
                  "load_transposed: the tile's elements x partitions must equal the window's rows x columns");
  isa::DmaSide side = side_of(dst);
  side.across = kInner;
  side.stride = {dst.tile.stride[kInner], 0, 0, 0};
  const isa::Shape row{1, {1, 1, 1, static_cast<std::uint16_t>(src.columns)}};
  Op& op = append_dma(
      record_, on,
      {{static_cast<std::uint32_t>(src.rows), 1, 1, row.count[kInner]}, side, side_of(src, &row), false});
  op.instruction.op = isa::Opcode::kDmaTranspose;
  record_.writes_to(op, dst);
  record_.touches(op, src, false);
}

void KernelTransfers::store(const HbmView& dst, const TileView& src, isa::Queue on, bool accumulate) {
  record_.require(src.shape.count[0] == 1, "store: the tile may have at most three free dimensions");
  record_.require(dst.repeated()
                      ? counts_of(dst) == transfer_counts(src.shape)
                      : src.shape.partitions == dst.rows && free_elements(src.shape) == dst.columns,
                  "store: the tile's partitions x elements must equal the window's rows x columns");
  Op& op = append_dma(record_, on,
                      {transfer_counts(src.shape), side_of(dst, &src.shape), side_of(src), accumulate});
  record_.touches(op, dst, true);
  record_.reads(op, src);
}

void KernelTransfers::move(const HbmView& dst, const HbmView& src, isa::Queue on) {
  record_.touches(append_move(record_, dst, src, on), dst, true);
}

void KernelTransfers::move(const TileView& dst, const TileView& src, isa::Queue on) {
  record_.require_same(dst, src, "move");
  record_.require(dst.shape.count[0] == 1, "move: the tile may have at most three free dimensions");
  Op& op = append_dma(record_, on, {transfer_counts(dst.shape), side_of(dst), side_of(src), false});
  record_.reads(op, src);
  record_.writes_to(op, dst);
}

void KernelTransfers::gather(const TileView& dst, const HbmView& src, const TileView& rows) {
  record_.require(dst.shape.count[0] == 1, "gather: the tile may have at most three free dimensions");
  record_.require(free_elements(dst.shape) == src.columns,
                  "gather: the tile must have as many elements in a partition as the window has columns");
  Op& op = append_dma(record_, isa::Queue::kGpSimd,
                      {transfer_counts(dst.shape), side_of(dst), side_of(src, &dst.shape), false});
  number_rows(record_, op, isa::Indirection::kGather, src, rows);
  record_.touches(op, src, false);
  record_.writes_to(op, dst);
}

void KernelTransfers::scatter(const HbmView& dst, const TileView& src, const TileView& rows) {
  record_.require(src.shape.count[0] == 1, "scatter: the tile may have at most three free dimensions");
  record_.require(free_elements(src.shape) == dst.columns,
                  "scatter: the tile must have as many elements in a partition as the window has columns");
  Op& op = append_dma(record_, isa::Queue::kGpSimd,
                      {transfer_counts(src.shape), side_of(dst, &src.shape), side_of(src), false});
  number_rows(record_, op, isa::Indirection::kScatter, dst, rows);
  record_.reads(op, src);
  record_.touches(op, dst, true);
}

}  // namespace tahoma::runtime
