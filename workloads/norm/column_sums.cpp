// SPDX-License-Identifier: Apache-2.0
#include "workloads/norm/column_sums.h"

namespace tahoma::workloads {

using isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::TileView;

namespace {

constexpr unsigned kSumPiece = 512;  // as the tensor engine moves them: one bank of PSUM

}  // namespace

ColumnSums::ColumnSums(Kernel& kernel, const model::MachineParams& machine, const std::string& name,
                       DType rows, unsigned columns)
    : kernel_(kernel),
      name_(name),
      columns_(columns),
      pieces_((columns + kSumPiece - 1) / kSumPiece),
      weights_(kernel.take(kernel.sbuf(name + ", weights", rows, 2 * pieces_ - 1),
                           static_cast<unsigned>(machine.chip.core.sbuf.partitions), 2 * pieces_ - 1)),
      sums_(kernel.take(kernel.psum(name, DType::kFp32, kSumPiece), pieces_, kSumPiece)) {
  kernel.memset(weights_, 0.0F);
  kernel.memset(weights_.columns(pieces_ - 1, 1), 1.0F);
}

void ColumnSums::add(const TileView& rows, const Range& range) {
  for (const Range& piece : cut(range, kSumPiece)) {
    const auto number = static_cast<unsigned>(piece.first / kSumPiece);
    // A window around the column of ones, which becomes column `number` of the array's operand.
    const TileView weights =
        weights_.partitions(0, rows.shape.partitions).columns(pieces_ - 1 - number, pieces_);
    kernel_.matmul(sums_.columns(0, piece.count), weights,
                   rows.columns(static_cast<unsigned>(piece.first - range.first), piece.count), begun_);
    begun_ = true;
  }
}

void ColumnSums::store(const HbmView& sums, float factor) {
  const unsigned whole = columns_ / kSumPiece, rest = columns_ % kSumPiece;
  const unsigned width = whole > 0 ? kSumPiece : rest;
  const TileView held = kernel_.take(kernel_.sbuf(name_, DType::kFp32, width), pieces_, width);
  kernel_.tensor_scalar(held, sums_.columns(0, width), isa::AluOp::kMult, {factor, nullptr});
  if (whole > 0) {
    HbmView folded = sums.window(0, 0, 1, kSumPiece);
    folded.rows = whole;
    folded.row_stride = kSumPiece;
    kernel_.store(folded, held.partitions(0, whole), Queue::kGpSimd);
  }
  if (rest > 0)
    kernel_.store(sums.window(0, std::uint64_t{whole} * kSumPiece, 1, rest),
                  held.partitions(whole, 1).columns(0, rest), Queue::kGpSimd);
}

}  // namespace tahoma::workloads
