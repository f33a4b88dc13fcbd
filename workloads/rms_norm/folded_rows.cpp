// SPDX-License-Identifier: Apache-2.0
#include "workloads/rms_norm/folded_rows.h"

#include <algorithm>

namespace tahoma::workloads {

using isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::TileView;

namespace {

bool dense(const std::optional<HbmView>& view) {
  return !view || view->row_stride == static_cast<std::int64_t>(view->columns);
}

}  // namespace

Fold fold_of(const model::MachineParams& machine, const RmsNormShape& shape, const RmsNormViews& views) {
  const model::CoreParams& core = machine.chip.core;
  const std::uint64_t pieces = shape.columns / kPiece,
                      height = std::min({core.sbuf.partitions, core.tensor.rows, core.tensor.columns});
  Fold fold{static_cast<unsigned>(std::min(core.sbuf.partitions, shape.rows)), 1};
  const auto all_dense = [&] {
    return dense(views.x) && dense(views.y) && dense(views.add) && dense(views.sum);
  };
  if (shape.rows * 2 > height || shape.columns % kPiece != 0 || pieces > core.sbuf.partitions || !all_dense())
    return fold;
  for (auto parts = static_cast<unsigned>(std::min(pieces, height / shape.rows)); parts > 1; --parts)
    if (pieces % parts == 0) return {fold.rows, parts};
  return fold;
}

HbmView folded(const HbmView& view, unsigned parts) {
  if (parts == 1) return view;
  HbmView folded = view;
  folded.rows = view.rows * parts;
  folded.columns = view.columns / parts;
  folded.row_stride = static_cast<std::int64_t>(folded.columns);
  return folded;
}

// The identity with each column repeated `parts` times, contracted with itself over the rows.
FoldedSum::FoldedSum(Kernel& kernel, const Fold& fold)
    : kernel_(kernel),
      banks_(kernel.psum("sums over parts", DType::kFp32, fold.rows * fold.parts, banks(fold))) {
  const unsigned height = fold.rows * fold.parts;
  const TileView ones =
                     kernel.take(kernel.sbuf("ones of rows", DType::kBf16, fold.rows), fold.rows, fold.rows),
                 identity = kernel.take(kernel.sbuf("rows", DType::kBf16, fold.rows), fold.rows, fold.rows);
  kernel.memset(ones, 1.0F, Queue::kGpSimd);
  kernel.affine_select(identity, ones, 0, 1, -1, isa::CompareOp::kEq, 0.0F);
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  TileView repeated = identity;
  repeated.shape.count[kInner - 1] = static_cast<std::uint16_t>(fold.rows);
  repeated.tile.stride[kInner - 1] = 1;
  repeated.shape.count[kInner] = static_cast<std::uint16_t>(fold.parts);
  repeated.tile.stride[kInner] = 0;
  const TileView product = kernel.take(banks_, height, height);
  kernel.matmul(product.grid(0, fold.rows, fold.parts, fold.parts), repeated, repeated, false);
  same_row_ = kernel.take(kernel.sbuf("same row", DType::kFp32, height), height, height);
  kernel.copy(same_row_, product, Queue::kScalar);
}

TileView FoldedSum::of(const TileView& sums) {
  const TileView total = kernel_.take(banks_, sums.shape.partitions, 1);
  kernel_.matmul(total, same_row_, sums, false);
  return total;
}

}  // namespace tahoma::workloads
