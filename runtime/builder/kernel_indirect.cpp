// SPDX-License-Identifier: Apache-2.0
// Transfers of the kernel builder whose rows in HBM are selected by row number.
#include "runtime/builder/kernel.h"
#include "runtime/builder/kernel_impl.h"

namespace tahoma::runtime {

void Kernel::Impl::number_rows(Op& op, isa::Indirection direction, const HbmView& window,
                               const TileView& rows) {
  const isa::DType dtype = rows.tile.dtype;
  require(dtype == isa::DType::kInt32 || dtype == isa::DType::kUint32, "row numbers must be int32 or uint32");
  require(free_elements(rows.shape) == 1, "row numbers must be a [P,1] column");
  require(rows.shape.partitions == program.descriptors[op.instruction.descriptor].count[0],
          "the tile must have one partition for each row number");
  op.instruction.indirect = direction;
  op.instruction.result = {true, rows.tile.space, dtype, rows.tile.partition, rows.tile.offset};
  op.instruction.extent = static_cast<std::uint32_t>(window.rows);
  op.instruction.dge = isa::Dge::kSw;
  reads(op, rows);
}

void Kernel::gather(const TileView& dst, const HbmView& src, const TileView& rows) {
  impl_->require(dst.shape.count[0] == 1, "gather: the tile may have at most three free dimensions");
  impl_->require(free_elements(dst.shape) == src.columns,
                 "gather: the tile must have as many elements in a partition as the window has columns");
  Op& op = impl_->append_dma(isa::Queue::kGpSimd, {transfer_counts(dst.shape), impl_->side_of(dst),
                                                   impl_->side_of(src, &dst.shape), false});
  impl_->number_rows(op, isa::Indirection::kGather, src, rows);
  impl_->touches(op, src, false);
  impl_->writes_to(op, dst);
}

void Kernel::scatter(const HbmView& dst, const TileView& src, const TileView& rows) {
  impl_->require(src.shape.count[0] == 1, "scatter: the tile may have at most three free dimensions");
  impl_->require(free_elements(src.shape) == dst.columns,
                 "scatter: the tile must have as many elements in a partition as the window has columns");
  Op& op = impl_->append_dma(
      isa::Queue::kGpSimd,
      {transfer_counts(src.shape), impl_->side_of(dst, &src.shape), impl_->side_of(src), false});
  impl_->number_rows(op, isa::Indirection::kScatter, dst, rows);
  impl_->reads(op, src);
  impl_->touches(op, dst, true);
}

}  // namespace tahoma::runtime
