// SPDX-License-Identifier: Apache-2.0
#include "workloads/rms_norm/rms_norm_kernel.h"

#include "workloads/norm/row_in_psum.h"
#include "workloads/norm/row_sum.h"
#include "workloads/norm/row_tiles.h"
#include "workloads/rms_norm/folded_rows.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr unsigned kSquares = 4096;  // columns of a piece; only the sum of the squares is kept
constexpr unsigned kAddCopies = 4;

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
    if (views_.sum) kernel_.store(window(*views_.sum, rows, all), in, isa::Queue::kGpSimd);
    kernel_.activation(
        root, over_parts_ ? over_parts_->of(sum) : sum, ActFn::kRsqrt,
        {1.0F / static_cast<float>(views_.squares ? shape_.elements : shape_.columns), nullptr},
        {shape_.epsilon, nullptr});
    for (const Range& piece : cut(all, gain_.width())) {
      const auto first = static_cast<unsigned>(piece.first);
      kernel_.scalar_tensor_tensor(out.columns(first, piece.count), in.columns(first, piece.count),
                                   AluOp::kMult, {0, &root}, AluOp::kMult, gain_.columns(piece, rows.count));
    }
    kernel_.store(window(views_.y, rows, all), out, isa::Queue::kGpSimd);
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
