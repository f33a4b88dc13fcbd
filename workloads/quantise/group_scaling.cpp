// SPDX-License-Identifier: Apache-2.0
#include "workloads/quantise/group_scaling.h"

#include "workloads/common/ranges.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::Queue;
using runtime::Kernel, runtime::TileView;

namespace {

constexpr unsigned kWholeShare = 16;

unsigned columns_of(const TileView& view) { return view.shape.count[isa::kFreeDims - 1]; }

void scale_row(Kernel& kernel, const TileView& dst, const TileView& src, const TileView& scale,
               unsigned vector_share) {
  const unsigned columns = columns_of(src), here = columns * vector_share / kWholeShare;
  if (here > 0) kernel.tensor_scalar(dst.columns(0, here), src.columns(0, here), AluOp::kMult, {0, &scale});
  if (here < columns)
    kernel.activation(dst.columns(here, columns - here), src.columns(here, columns - here), ActFn::kCopy,
                      {0, &scale});
}

// Views each of the columns repeated over the width of a block.
TileView repeated(const TileView& columns, unsigned width) {
  TileView view = columns;
  view.shape.count = {1, 1, columns.shape.count[isa::kFreeDims - 1], static_cast<std::uint16_t>(width)};
  view.tile.stride = {0, 0, columns.tile.stride[isa::kFreeDims - 1], 0};
  return view;
}

}  // namespace

void scale_groups(Kernel& kernel, Group group, const TileView& dst, const TileView& src,
                  const TileView& scales, unsigned vector_share) {
  if (group == Group::kRow) return scale_row(kernel, dst, src, scales, vector_share);
  const unsigned whole = columns_of(src) / kBlockColumns, rest = columns_of(src) % kBlockColumns,
                 here = (whole * vector_share + kWholeShare - 1) / kWholeShare;
  // Consecutive blocks of one width.
  const auto scale_blocks = [&](const Range& blocks, unsigned width, Queue on) {
    if (blocks.count == 0) return;
    const auto first = static_cast<unsigned>(blocks.first);
    const auto seen = [&](const TileView& view) {
      return view.grid(first * kBlockColumns, blocks.count, kBlockColumns, width);
    };
    kernel.tensor_tensor(seen(dst), seen(src), repeated(scales.columns(first, blocks.count), width),
                         AluOp::kMult, on);
  };
  scale_blocks({0, here}, kBlockColumns, Queue::kVector);
  scale_blocks({here, whole - here}, kBlockColumns, Queue::kGpSimd);
  if (rest > 0) scale_blocks({whole, 1}, rest, Queue::kVector);
}

}  // namespace tahoma::workloads
