// SPDX-License-Identifier: Apache-2.0
#include "workloads/norm/row_in_psum.h"

#include <algorithm>

namespace tahoma::workloads {

using isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::TileView;

namespace {

constexpr unsigned kParts = 3,
                   kPartitionGroup = isa::kQuadrant;  // partitions of a part, where tiles may begin

}  // namespace

PieceSelector::PieceSelector(Kernel& kernel)
    : identities_(kernel.take(kernel.sbuf("selector", DType::kBf16, kPartitionGroup),
                              kParts * kPartitionGroup, kPartitionGroup)) {
  const TileView ones = kernel.take(kernel.sbuf("ones of the selector", DType::kBf16, kPartitionGroup),
                                    kParts * kPartitionGroup, kPartitionGroup);
  kernel.memset(ones, 1.0F, Queue::kGpSimd);
  for (unsigned part = 0; part < kParts; ++part)
    kernel.affine_select(identities_.partitions(part * kPartitionGroup, kPartitionGroup),
                         ones.partitions(part * kPartitionGroup, kPartitionGroup), 0, 1, -1,
                         isa::CompareOp::kEq, 0.0F);
}

TileView PieceSelector::of(unsigned piece, unsigned partitions) const {
  return identities_.columns(piece, 1).broadcast_columns(partitions);
}

TileView PieceSelector::of_parts(unsigned first, unsigned step, unsigned rows, unsigned parts) const {
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  TileView view =
      parts == 1 ? identities_.columns(first, 1) : identities_.every(first, step).columns(0, parts);
  view.shape.count[kInner - 1] = static_cast<std::uint16_t>(rows);
  view.tile.stride[kInner - 1] = 0;
  return view;
}

RowInPsum::RowInPsum(Kernel& kernel, const model::MachineParams& machine, const PieceSelector& selector,
                     const std::string& name, const HbmView& row, unsigned banks, Fold fold)
    : kernel_(kernel),
      selector_(selector),
      fold_(fold),
      height_(fold.parts > 1 ? fold.rows * fold.parts
                             : static_cast<unsigned>(machine.chip.core.sbuf.partitions)),
      columns_(static_cast<unsigned>(row.columns) / fold.parts),
      width_(std::min(columns_, banks * kPiece)),
      stays_(columns_ <= banks * kPiece),
      parts_(kernel.take(kernel.sbuf(name + " in parts", DType::kBf16, kPiece), kParts * kPartitionGroup,
                         kPiece)) {
  if (!stays_) width_ = banks / 2 * kPiece;
  pool_ = kernel.psum(name, DType::kFp32, width_, stays_ ? 1 : 2);
  split(name, row);
  if (!stays_) return;
  resident_ = kernel.take(pool_, height_, columns_);
  fill(resident_, all_of(columns_));
}

// Loads piece c of the row into partition c.
void RowInPsum::split(const std::string& name, const HbmView& row) {
  const auto columns = static_cast<unsigned>(row.columns);
  const unsigned whole = columns / kPiece, rest = columns % kPiece, pieces = whole + (rest > 0 ? 1 : 0);
  const TileView left = kernel_.take(kernel_.sbuf(name, DType::kFp32, kPiece), pieces, kPiece);
  if (rest > 0) kernel_.memset(left, 0.0F);
  if (whole > 0) {
    HbmView folded = row.window(0, 0, 1, kPiece);
    folded.rows = whole;
    folded.row_stride = kPiece;
    kernel_.load(left.partitions(0, whole), folded);
  }
  if (rest > 0)
    kernel_.load(left.partitions(whole, 1).columns(0, rest),
                 row.window(0, std::uint64_t{whole} * kPiece, 1, rest));
  kernel_.memset(parts_, 0.0F);
  for (unsigned part = 0; part < kParts; ++part) {
    const TileView taken = parts_.partitions(part * kPartitionGroup, pieces);
    kernel_.copy(taken, left);
    if (part + 1 < kParts) kernel_.tensor_tensor(left, left, taken, AluOp::kSubtract);
  }
}

TileView RowInPsum::selected(unsigned piece) const {
  if (fold_.parts == 1) return selector_.of(piece, height_);
  return selector_.of_parts(piece, columns_ / kPiece, fold_.rows, fold_.parts);
}

void RowInPsum::fill(const TileView& tile, const Range& range) {
  for (const Range& piece : cut(range, kPiece)) {
    const auto number = static_cast<unsigned>(piece.first / kPiece);
    kernel_.matmul(tile.columns(static_cast<unsigned>(piece.first - range.first), piece.count),
                   selected(number), parts_.columns(0, piece.count), false);
  }
}

TileView RowInPsum::columns(const Range& range, unsigned partitions) {
  if (stays_)
    return resident_.partitions(0, partitions).columns(static_cast<unsigned>(range.first), range.count);
  const TileView tile = kernel_.take(pool_, height_, range.count);
  fill(tile, range);
  return tile.partitions(0, partitions);
}

}  // namespace tahoma::workloads
