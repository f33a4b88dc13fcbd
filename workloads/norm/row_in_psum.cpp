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

PieceSelector::PieceSelector(Kernel& kernel, const model::MachineParams& machine)
    : partitions_(static_cast<unsigned>(machine.chip.core.sbuf.partitions)),
      group_(std::min(partitions_, kPartitionGroup)) {
  const unsigned copies = partitions_ < kParts * kPartitionGroup ? 1 : kParts;
  identities_ = kernel.take(kernel.sbuf("selector", DType::kBf16, group_), copies * group_, group_);
  const TileView ones =
      kernel.take(kernel.sbuf("ones of the selector", DType::kBf16, group_), copies * group_, group_);
  kernel.memset(ones, 1.0F, Queue::kGpSimd);
  for (unsigned copy = 0; copy < copies; ++copy)
    kernel.affine_select(identities_.partitions(copy * group_, group_),
                         ones.partitions(copy * group_, group_), 0, 1, -1, isa::CompareOp::kEq, 0.0F);
}

TileView PieceSelector::of(unsigned piece, unsigned partitions) const {
  return identities_.columns(piece % group_, 1).broadcast_columns(partitions);
}

TileView PieceSelector::of_parts(unsigned first, unsigned step, unsigned rows, unsigned parts) const {
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  TileView view =
      parts == 1 ? identities_.columns(first, 1) : identities_.every(first, step).columns(0, parts);
  view.shape.count[kInner - 1] = static_cast<std::uint16_t>(rows);
  view.tile.stride[kInner - 1] = 0;
  return view;
}

RowInPsum::RowInPsum(Kernel& kernel, const PieceSelector& selector, const std::string& name,
                     const HbmView& row, unsigned banks, Fold fold)
    : kernel_(kernel),
      selector_(selector),
      fold_(fold),
      height_(fold.parts > 1 ? fold.rows * fold.parts : selector.partitions()),
      columns_(static_cast<unsigned>(row.columns) / fold.parts),
      width_(std::min(columns_, banks * kPiece)),
      stays_(columns_ <= banks * kPiece) {
  const unsigned width = selector.stacks() ? kPiece : kParts * layers() * kPiece;
  parts_ = kernel.take(kernel.sbuf(name + " in parts", DType::kBf16, width),
                       (selector.stacks() ? kParts : 1) * selector.group(), width);
  if (!stays_) width_ = banks / 2 * kPiece;
  pool_ = kernel.psum(name, DType::kFp32, width_, stays_ ? 1 : 2);
  split(name, row);
  if (!stays_) return;
  resident_ = kernel.take(pool_, height_, columns_);
  fill(resident_, all_of(columns_));
}

unsigned RowInPsum::layers() const {
  const unsigned pieces = (columns_ * fold_.parts + kPiece - 1) / kPiece;
  return (pieces + selector_.group() - 1) / selector_.group();
}

// Loads piece c of a layer into partition c.
void RowInPsum::split(const std::string& name, const HbmView& row) {
  const auto columns = static_cast<unsigned>(row.columns);
  const unsigned whole = columns / kPiece, rest = columns % kPiece, pieces = whole + (rest > 0 ? 1 : 0);
  const unsigned group = selector_.group(), wide = layers() * kPiece;
  const TileView left = kernel_.take(kernel_.sbuf(name, DType::kFp32, wide), std::min(pieces, group), wide);
  if (rest > 0 || layers() > 1) kernel_.memset(left, 0.0F);
  for (const Range& layer : cut(all_of(whole), group)) {
    HbmView folded = row.window(0, layer.first * kPiece, 1, kPiece);
    folded.rows = layer.count;
    folded.row_stride = kPiece;
    kernel_.load(
        left.partitions(0, layer.count).columns(static_cast<unsigned>(layer.first) / group * kPiece, kPiece),
        folded);
  }
  if (rest > 0)
    kernel_.load(left.partitions(whole % group, 1).columns(whole / group * kPiece, rest),
                 row.window(0, std::uint64_t{whole} * kPiece, 1, rest));
  kernel_.memset(parts_, 0.0F);
  for (unsigned part = 0; part < kParts; ++part) {
    const TileView taken = selector_.stacks()
                               ? parts_.partitions(part * group, left.shape.partitions)
                               : parts_.partitions(0, left.shape.partitions).columns(part * wide, wide);
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
    const TileView to = tile.columns(static_cast<unsigned>(piece.first - range.first), piece.count);
    const unsigned layer = number / selector_.group();
    for (unsigned part = 0; part < (selector_.stacks() ? 1 : kParts); ++part)
      kernel_.matmul(to, selected(number), parts_.columns((part * layers() + layer) * kPiece, piece.count),
                     part > 0);
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
