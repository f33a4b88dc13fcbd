// SPDX-License-Identifier: Apache-2.0
#include "workloads/rms_norm/rms_norm_kernel.h"

#include <algorithm>

#include "workloads/norm/row_in_psum.h"
#include "workloads/norm/row_sum.h"
#include "workloads/norm/row_tiles.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr unsigned kSquares = 4096;  // columns of a piece; only the sum of the squares is kept
constexpr unsigned kAddCopies = 4;

bool dense(const std::optional<HbmView>& view) {
  return !view || view->row_stride == static_cast<std::int64_t>(view->columns);
}

// A small number of dense rows is folded over the partitions: part p of row r, the columns [p width, (p + 1)
// width), is in partition r parts + p. The parts are consecutive in HBM, so a transfer only sees more and
// shorter rows. There are as many parts as the partitions allow and as divide the pieces of kPiece columns; 1
// if a view is not dense.
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

// Returns a dense view [rows, columns] as [rows parts, columns / parts].
HbmView folded(const HbmView& view, unsigned parts) {
  if (parts == 1) return view;
  HbmView folded = view;
  folded.rows = view.rows * parts;
  folded.columns = view.columns / parts;
  folded.row_stride = static_cast<std::int64_t>(folded.columns);
  return folded;
}

// Adds up the results of the parts of a row: an fp32 product with the matrix that marks which partitions
// share a row. It owns two PSUM banks.
class FoldedSum {
 public:
  static unsigned banks(const Fold& fold) { return fold.parts > 1 ? 2 : 0; }

  // The matrix is the identity with each column repeated `parts` times, contracted with itself over the rows.
  FoldedSum(Kernel& kernel, const Fold& fold)
      : kernel_(kernel),
        banks_(kernel.psum("sums over parts", DType::kFp32, fold.rows * fold.parts, banks(fold))) {
    const unsigned height = fold.rows * fold.parts;
    const TileView ones = kernel.take(kernel.sbuf("ones of rows", DType::kBf16, fold.rows), fold.rows,
                                      fold.rows),
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

  // `sums` [rows parts, 1] of fp32; the result, in PSUM, is the same for all parts of a row.
  TileView of(const TileView& sums) {
    const TileView total = kernel_.take(banks_, sums.shape.partitions, 1);
    kernel_.matmul(total, same_row_, sums, false);
    return total;
  }

 private:
  Kernel& kernel_;
  Pool banks_;
  TileView same_row_;  // [rows parts, rows parts]
};

class RmsNorm {
 public:
  RmsNorm(Kernel& kernel, const model::MachineParams& machine, const RmsNormShape& shape,
          const RmsNormViews& views)
      : kernel_(kernel),
        machine_(machine),
        shape_(shape),
        views_(views),
        fold_(views.squares ? Fold{} : fold_of(machine, shape, views)),
        columns_(static_cast<unsigned>(shape.columns) / fold_.parts),
        piece_(std::min(columns_, kSquares)),
        selector_(kernel, machine),
        gain_(kernel, selector_, "g", views.g, psum_banks(machine) - FoldedSum::banks(fold_), fold_) {
    const std::uint64_t size = isa::size_of(shape.dtype), adds = views.add ? piece_ * size * kAddCopies : 0;
    const unsigned copies = copies_in(machine, columns_ * size * 2, 6, (32U << 10) + adds);
    xs_ = kernel.sbuf("x", shape.dtype, columns_, copies);
    squares_ = kernel.sbuf("squares", DType::kBf16, piece_);
    sums_ = kernel.sbuf("sum", DType::kFp32, 1, 4);
    roots_ = kernel.sbuf("1 / rms", DType::kFp32, 1, 4);
    ys_ = kernel.sbuf("y", views.y.dtype, columns_, copies);
    if (views.add) adds_ = kernel.sbuf("add", shape.dtype, piece_, kAddCopies);
    if (fold_.parts > 1) over_parts_.emplace(kernel, fold_);
  }

  void emit() {
    for (const Range& rows : row_tiles(machine_, shape_.rows * fold_.parts)) normalise(rows);
  }

 private:
  // Returns rows of a tensor in their layout on the partitions.
  HbmView window(const HbmView& view, const Range& rows, const Range& columns) const {
    return folded(view, fold_.parts).window(rows.first, columns.first, rows.count, columns.count);
  }

  void normalise(const Range& rows) {
    const Range all = all_of(columns_);
    const TileView in = kernel_.take(xs_, rows.count, columns_), sum = kernel_.take(sums_, rows.count, 1),
                   root = kernel_.take(roots_, rows.count, 1), out = kernel_.take(ys_, rows.count, columns_);
    kernel_.load(in, window(views_.x, rows, all));
    if (views_.squares)
      kernel_.load(sum, views_.squares->window(rows.first, 0, rows.count, 1));
    else
      add_up(sum, in, rows);
    // Not on the loads' queue: a store that waits for its tile would delay the next load.
    if (views_.sum) kernel_.store(window(*views_.sum, rows, all), in, Queue::kGpSimd);
    kernel_.activation(
        root, over_parts_ ? over_parts_->of(sum) : sum, ActFn::kRsqrt,
        {1.0F / static_cast<float>(views_.squares ? shape_.elements : shape_.columns), nullptr},
        {shape_.epsilon, nullptr});
    for (const Range& piece : cut(all, gain_.width())) {
      const auto first = static_cast<unsigned>(piece.first);
      kernel_.scalar_tensor_tensor(out.columns(first, piece.count), in.columns(first, piece.count),
                                   AluOp::kMult, {0, &root}, AluOp::kMult, gain_.columns(piece, rows.count));
    }
    kernel_.store(window(views_.y, rows, all), out, Queue::kGpSimd);
  }

  void add_up(const TileView& sum, const TileView& in, const Range& rows) {
    RowSum square(kernel_, sum);
    for (const Range& piece : cut(all_of(columns_), kSquares)) {
      const TileView part = in.columns(static_cast<unsigned>(piece.first), piece.count);
      if (adds_) add(part, rows, piece);
      square.add(kernel_.take(squares_, rows.count, piece.count), part, ActFn::kSquare,
                 piece.end() == columns_);
    }
  }

  void add(const TileView& part, const Range& rows, const Range& piece) {
    const TileView more = kernel_.take(*adds_, rows.count, piece.count);
    kernel_.load(more, window(*views_.add, rows, piece));
    kernel_.tensor_tensor(part, part, more, AluOp::kAdd);
  }

  Kernel& kernel_;
  const model::MachineParams& machine_;
  RmsNormShape shape_;
  RmsNormViews views_;
  Fold fold_;
  unsigned columns_, piece_;  // of a partition
  PieceSelector selector_;
  RowInPsum gain_;
  Pool xs_, squares_, sums_, roots_, ys_;
  std::optional<Pool> adds_;
  std::optional<FoldedSum> over_parts_;
};

}  // namespace

void emit_rms_norm(Kernel& kernel, const model::MachineParams& machine, const RmsNormShape& shape,
                   const RmsNormViews& views) {
  RmsNorm(kernel, machine, shape, views).emit();
}

isa::Program rms_norm_program(const model::MachineParams& machine, const RmsNormShape& shape, bool residual) {
  Kernel kernel("rms_norm", machine);
  RmsNormViews views;
  views.x = kernel.argument("x", shape.dtype, shape.rows, shape.columns);
  views.g = kernel.argument("g", DType::kFp32, 1, shape.columns);
  views.y = kernel.argument("y", shape.dtype, shape.rows, shape.columns);
  if (residual) {
    views.add = kernel.argument("add", shape.dtype, shape.rows, shape.columns);
    views.sum = kernel.argument("sum", shape.dtype, shape.rows, shape.columns);
  }
  emit_rms_norm(kernel, machine, shape, views);
  return kernel.finish();
}

}  // namespace tahoma::workloads
