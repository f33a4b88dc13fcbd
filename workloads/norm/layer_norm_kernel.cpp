// SPDX-License-Identifier: Apache-2.0
#include "workloads/norm/layer_norm_kernel.h"

#include "workloads/norm/row_in_psum.h"
#include "workloads/norm/row_sum.h"
#include "workloads/norm/row_tiles.h"

namespace tahoma::workloads {

namespace {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

constexpr unsigned kCentredColumns = 4096;  // columns of a piece; only the sum of the squares is kept

class LayerNorm {
 public:
  LayerNorm(const model::MachineParams& machine, const LayerNormShape& shape)
      : machine_(machine),
        shape_(shape),
        columns_(static_cast<unsigned>(shape.columns)),
        kernel_("layer_norm", machine),
        x_(kernel_.argument("x", shape.dtype, shape.rows, shape.columns)),
        g_(kernel_.argument("g", DType::kFp32, 1, shape.columns)),
        b_(kernel_.argument("b", DType::kFp32, 1, shape.columns)),
        y_(kernel_.argument("y", shape.dtype, shape.rows, shape.columns)),
        mean_(kernel_.argument("mean", DType::kFp32, shape.rows, 1)),
        rstd_(kernel_.argument("rstd", DType::kFp32, shape.rows, 1)),
        selector_(kernel_),
        gain_(kernel_, machine, selector_, "g", g_, psum_banks(machine) / 2),
        bias_(kernel_, machine, selector_, "b", b_, psum_banks(machine) / 2),
        copies_(copies_in(machine, shape.columns * 2 * isa::size_of(shape.dtype), 5)),
        xs_(kernel_.sbuf("x", shape.dtype, columns_, copies_)),
        ys_(kernel_.sbuf("y", shape.dtype, columns_, copies_)),
        squares_(kernel_.sbuf("squares", DType::kBf16, std::min(columns_, kCentredColumns))),
        centred_(kernel_.sbuf("centred", DType::kFp32, gain_.width(), 2)),
        sums_(kernel_.sbuf("sums", DType::kFp32, 1, 4)),
        means_(kernel_.sbuf("mean", DType::kFp32, 1, 4)),
        rstds_(kernel_.sbuf("rstd", DType::kFp32, 1, 4)) {}

  isa::Program build() {
    for (const Range& rows : row_tiles(machine_, shape_.rows)) {
      const TileView in = kernel_.take(xs_, rows.count, columns_);
      kernel_.load(in, x_.window(rows.first, 0, rows.count, columns_));
      normalise(rows, in, statistics(in));
    }
    return kernel_.finish();
  }

 private:
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
      kernel_.scalar_tensor_tensor(out.columns(first, piece.count), centred, AluOp::kMult, {0, &s.rstd},
                                   AluOp::kAdd, bias_.columns(piece, rows.count));
    }
    kernel_.store(y_.window(rows.first, 0, rows.count, columns_), out, Queue::kGpSimd);
    kernel_.store(mean_.window(rows.first, 0, rows.count, 1), s.mean, Queue::kGpSimd);
    kernel_.store(rstd_.window(rows.first, 0, rows.count, 1), s.rstd, Queue::kGpSimd);
  }

  const model::MachineParams& machine_;
  LayerNormShape shape_;
  unsigned columns_;
  Kernel kernel_;
  HbmView x_, g_, b_, y_, mean_, rstd_;
  PieceSelector selector_;
  RowInPsum gain_, bias_;
  unsigned copies_;
  Pool xs_, ys_, squares_, centred_, sums_, means_, rstds_;
};

}  // namespace

isa::Program layer_norm_program(const model::MachineParams& machine, const LayerNormShape& shape) {
  return LayerNorm(machine, shape).build();
}

}  // namespace tahoma::workloads
