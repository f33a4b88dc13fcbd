// SPDX-License-Identifier: Apache-2.0
// Transfers: copy, cast and accumulate between HBM and the on-chip memories.
#include "isa/row_access.h"
#include "isa/semantics.h"
#include "isa/walk.h"

namespace tahoma::isa {
namespace {

// A descriptor has four dimensions; the walk's outermost stays 1. On chip, one of them walks
// partitions.
Operand dma_operand(const CoreView& core, const DmaSide& side, std::byte* hbm) {
  Operand o{hbm, side.dtype, {}};
  for (std::size_t d = 0; d < kFreeDims; ++d) {
    o.step[d + 1] = side.stride[d] * static_cast<std::ptrdiff_t>(size_of(side.dtype));
  }
  if (side.space == Space::kHbm) return o;
  o.at = core.at(side.space, side.partition, side.offset);
  o.step[1U + side.across] = static_cast<std::ptrdiff_t>(side.space == Space::kPsum ? core.psum_stride : core.sbuf_stride);
  return o;
}

void copy(const Walk<2>& walk) {
  const std::size_t size = size_of(walk.operand[0].dtype);
  walk.for_each_row([&](const std::array<std::byte*, 2>& at) {
    copy_row(at[0], walk.row_step(0), at[1], walk.row_step(1), size, walk.row_length());
  });
}

void cast(const Walk<2>& walk) {
  ScratchRow scratch;
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, 2>& at, std::size_t n) {
    const float* row = load_dense_row(at[1], walk.row_step(1), walk.operand[1].dtype, n, scratch);
    store_row(at[0], walk.row_step(0), walk.operand[0].dtype, n, row);
  });
}

void accumulate(const Walk<2>& walk) {
  ScratchRow a, b, sum;
  const DType dtype = walk.operand[0].dtype;
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, 2>& at, std::size_t n) {
    const float* held = load_dense_row(at[0], walk.row_step(0), dtype, n, a);
    const float* added = load_dense_row(at[1], walk.row_step(1), walk.operand[1].dtype, n, b);
    float* out = result_row(at[0], walk.row_step(0), dtype, sum);
    alu_row(AluOp::kAdd, dense_row(held), dense_row(added), out, n);
    store_row(at[0], walk.row_step(0), dtype, n, out);
  });
}

}  // namespace

void execute_dma(const Descriptor& descriptor, const CoreView& core, std::byte* hbm_dst,
                 const std::byte* hbm_src) {
  const auto& c = descriptor.count;
  // Operands are one type for sources and destinations; a walk only ever reads its source.
  auto* readable = const_cast<std::byte*>(hbm_src);
  Walk<2> walk{{1, c[0], c[1], c[2], c[3]},
               {dma_operand(core, descriptor.dst, hbm_dst), dma_operand(core, descriptor.src, readable)}};
  walk.merge();
  walk.prefer_long_rows();
  if (descriptor.accumulate) return accumulate(walk);
  if (descriptor.dst.dtype == descriptor.src.dtype) return copy(walk);
  cast(walk);
}

}  // namespace tahoma::isa
