// SPDX-License-Identifier: Apache-2.0
#include "workloads/norm/layer_norm_kernel.h"

#include "workloads/norm/row_in_psum.h"
#include "workloads/norm/row_sum.h"
#include "workloads/norm/row_tiles.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr unsigned kCentredColumns = 4096;  // columns of a piece; only the sum of the squares is kept

constexpr unsigned kAddedCopies = 4;

class LayerNorm {
 public:
  LayerNorm(Kernel& kernel, const model::MachineParams& machine, const LayerNormShape& shape,
            const LayerNormViews& views)
      : machine_(machine),
        shape_(shape),
        columns_(static_cast<unsigned>(shape.columns)),
        kernel_(kernel),
        views_(views),
        selector_(kernel_, machine),
        gain_(kernel_, selector_, "g", views.g, psum_banks(machine) / (views.b ? 2 : 1)) {
    if (views.b) bias_.emplace(kernel_, selector_, "b", *views.b, psum_banks(machine) / 2);
    const unsigned piece = std::min(columns_, kCentredColumns);
    const std::uint64_t size = isa::size_of(shape.dtype), added = views.add ? piece * size * kAddedCopies : 0;
    const unsigned copies = copies_in(machine, shape.columns * 2 * size, 5, (32U << 10) + added);
    xs_ = kernel_.sbuf("x", shape.dtype, columns_, copies);
    ys_ = kernel_.sbuf("y", views.y.dtype, columns_, copies);
    squares_ = kernel_.sbuf("squares", DType::kBf16, piece);
    centred_ = kernel_.sbuf("centred", DType::kFp32, gain_.width(), 2);
    sums_ = kernel_.sbuf("sums", DType::kFp32, 1, 4);
    means_ = kernel_.sbuf("mean", DType::kFp32, 1, 4);
    rstds_ = kernel_.sbuf("rstd", DType::kFp32, 1, 4);
    if (views.add) added_ = kernel_.sbuf("add", shape.dtype, piece, kAddedCopies);
  }

  void emit() {
    for (const Range& rows : row_tiles(machine_, shape_.rows)) {
      const TileView in = kernel_.take(xs_, rows.count, columns_);
      kernel_.load(in, views_.x.window(rows.first, 0, rows.count, columns_));
      if (views_.add) add(in, rows);
      normalise(rows, in, statistics(in));
    }
  }

 private:
  void add(const TileView& in, const Range& rows) {
    for (const Range& piece : cut(all_of(columns_), kCentredColumns)) {
      const TileView more = kernel_.take(*added_, rows.count, piece.count),
                     part = in.columns(static_cast<unsigned>(piece.first), piece.count);
      kernel_.load(more, views_.add->window(rows.first, piece.first, rows.count, piece.count));
      kernel_.tensor_tensor(part, part, more, AluOp::kAdd);
    }
    if (views_.sum)
      kernel_.store(views_.sum->window(rows.first, 0, rows.count, columns_), in, Queue::kGpSimd);
  }

  struct Statistics {
    TileView mean, rstd;
  };

  // Everything here runs on the scalar engine, which thus runs ahead of the vector engine by the number of
  // buffered tiles.
  Statistics statistics(const TileView& in) {
    const unsigned rows = in.shape.partitions;
    const TileView sum = kernel_.take(sums_, rows, 1), squares = kernel_.take(sums_, rows, 1);
    const Statistics s{kernel_.take(means_, rows, 1), kernel_.take(rstds_, rows, 1)};
    const float share = 1.0F / static_cast<float>(columns_);
    kernel_.activation_reduce(in, sum, in, ActFn::kCopy);
    kernel_.activation(s.mean, sum, ActFn::kCopy, {share, nullptr});
    RowSum distance(kernel_, squares);
    for (const Range& piece : cut(all_of(columns_), kCentredColumns))
      distance.add(kernel_.take(squares_, rows, piece.count),
                   in.columns(static_cast<unsigned>(piece.first), piece.count), ActFn::kSquare,
                   piece.end() == columns_, {-1.0F, nullptr}, {0, &s.mean});
    kernel_.activation(s.rstd, squares, ActFn::kRsqrt, {share, nullptr}, {shape_.epsilon, nullptr});
    return s;
  }

  void normalise(const Range& rows, const TileView& in, const Statistics& s) {
    const TileView out = kernel_.take(ys_, rows.count, columns_);
    for (const Range& piece : cut(all_of(columns_), gain_.width())) {
      const auto first = static_cast<unsigned>(piece.first);
      const TileView centred = kernel_.take(centred_, rows.count, piece.count);
      kernel_.scalar_tensor_tensor(centred, in.columns(first, piece.count), AluOp::kSubtract, {0, &s.mean},
                                   AluOp::kMult, gain_.columns(piece, rows.count));
      const TileView made = out.columns(first, piece.count);
      if (bias_)
        kernel_.scalar_tensor_tensor(made, centred, AluOp::kMult, {0, &s.rstd}, AluOp::kAdd,
                                     bias_->columns(piece, rows.count));
      else
        kernel_.tensor_scalar(made, centred, AluOp::kMult, {0, &s.rstd});
    }
    kernel_.store(views_.y.window(rows.first, 0, rows.count, columns_), out, Queue::kGpSimd);
    if (views_.mean) kernel_.store(views_.mean->window(rows.first, 0, rows.count, 1), s.mean, Queue::kGpSimd);
    if (views_.rstd) kernel_.store(views_.rstd->window(rows.first, 0, rows.count, 1), s.rstd, Queue::kGpSimd);
  }

  const model::MachineParams& machine_;
  LayerNormShape shape_;
  unsigned columns_;
  Kernel& kernel_;
  LayerNormViews views_;
  PieceSelector selector_;
  RowInPsum gain_;
  std::optional<RowInPsum> bias_;
  Pool xs_, ys_, squares_, centred_, sums_, means_, rstds_;
  std::optional<Pool> added_;
};

}  // namespace

void emit_layer_norm(Kernel& kernel, const model::MachineParams& machine, const LayerNormShape& shape,
                     const LayerNormViews& views) {
  LayerNorm(kernel, machine, shape, views).emit();
}

isa::Program layer_norm_program(const model::MachineParams& machine, const LayerNormShape& shape) {
  Kernel kernel("layer_norm", machine);
  LayerNormViews views;
  views.x = kernel.argument("x", shape.dtype, shape.rows, shape.columns);
  views.g = kernel.argument("g", DType::kFp32, 1, shape.columns);
  views.b = kernel.argument("b", DType::kFp32, 1, shape.columns);
  views.y = kernel.argument("y", shape.dtype, shape.rows, shape.columns);
  views.mean = kernel.argument("mean", DType::kFp32, shape.rows, 1);
  views.rstd = kernel.argument("rstd", DType::kFp32, shape.rows, 1);
  emit_layer_norm(kernel, machine, shape, views);
  return kernel.finish();
}

}  // namespace tahoma::workloads
