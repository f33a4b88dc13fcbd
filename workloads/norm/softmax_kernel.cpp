// SPDX-License-Identifier: Apache-2.0
#include "workloads/norm/softmax_kernel.h"

#include <deque>

#include "workloads/norm/row_sum.h"
#include "workloads/norm/row_tiles.h"

namespace tahoma::workloads {

namespace {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

// The vector engine's share of a row's division, in 64ths. It also finds maxima, two 16-bit elements per
// cycle, and runs at 0.96 GHz; the scalar engine computes all exponentials at 1.2 GHz.
unsigned vector_share(DType dtype) { return isa::size_of(dtype) == 2 ? 40 : 30; }

class Softmax {
 public:
  Softmax(Kernel& kernel, const model::MachineParams& machine, const RowsShape& shape,
          const SoftmaxViews& views)
      : machine_(machine),
        shape_(shape),
        columns_(static_cast<unsigned>(shape.columns)),
        kernel_(kernel),
        x_(views.x),
        y_(views.y),
        copies_(copies_in(machine, shape.columns * (2 * isa::size_of(shape.dtype) + 4), 3)),
        xs_(kernel_.sbuf("x", shape.dtype, columns_, copies_)),
        exponentials_(kernel_.sbuf("exponentials", DType::kFp32, columns_, copies_)),
        ys_(kernel_.sbuf("y", shape.dtype, columns_, copies_)),
        tops_(kernel_.sbuf("maximum", shape.dtype, 1, 3)),
        shifts_(kernel_.sbuf("-maximum", DType::kFp32, 1, 3)),
        sums_(kernel_.sbuf("sum", DType::kFp32, 1, 3)),
        inverses_(kernel_.sbuf("1 / sum", DType::kFp32, 1, 3)) {}

  void emit() {
    std::deque<Tile> begun;
    for (const Range& rows : row_tiles(machine_, shape_.rows)) {
      begun.push_back(exponentials_of(rows));
      if (begun.size() < 2 && copies_ > 1) continue;
      divide(begun.front());
      begun.pop_front();
    }
    for (const Tile& tile : begun) divide(tile);
  }

 private:
  struct Tile {
    Range rows;
    TileView exponentials, sum;
  };

  Tile exponentials_of(const Range& rows) {
    const TileView in = kernel_.take(xs_, rows.count, columns_), top = kernel_.take(tops_, rows.count, 1),
                   shift = kernel_.take(shifts_, rows.count, 1);
    const Tile tile{rows, kernel_.take(exponentials_, rows.count, columns_),
                    kernel_.take(sums_, rows.count, 1)};
    kernel_.load(in, x_.window(rows.first, 0, rows.count, columns_));
    kernel_.reduce(top, in, AluOp::kMax);
    kernel_.activation(shift, top, ActFn::kCopy, {-1.0F, nullptr});
    kernel_.activation_reduce(tile.exponentials, tile.sum, in, ActFn::kExp, {1.0F, nullptr}, {0, &shift});
    return tile;
  }

  void divide(const Tile& tile) {
    const TileView inverse = kernel_.take(inverses_, tile.rows.count, 1),
                   out = kernel_.take(ys_, tile.rows.count, columns_);
    kernel_.reciprocal(inverse, tile.sum);
    const unsigned here = (columns_ * vector_share(shape_.dtype) + 63) / 64, there = columns_ - here;
    kernel_.tensor_scalar(out.columns(0, here), tile.exponentials.columns(0, here), AluOp::kMult,
                          {0, &inverse});
    if (there > 0)
      kernel_.activation(out.columns(here, there), tile.exponentials.columns(here, there), ActFn::kCopy,
                         {0, &inverse});
    kernel_.store(y_.window(tile.rows.first, 0, tile.rows.count, columns_), out, Queue::kGpSimd);
  }

  const model::MachineParams& machine_;
  RowsShape shape_;
  unsigned columns_;
  Kernel& kernel_;
  HbmView x_, y_;
  unsigned copies_;
  Pool xs_, exponentials_, ys_, tops_, shifts_, sums_, inverses_;
};

class SoftmaxBackward {
 public:
  SoftmaxBackward(const model::MachineParams& machine, const RowsShape& shape)
      : machine_(machine),
        shape_(shape),
        columns_(static_cast<unsigned>(shape.columns)),
        kernel_("softmax_backward", machine),
        y_(kernel_.argument("y", shape.dtype, shape.rows, shape.columns)),
        dy_(kernel_.argument("dy", shape.dtype, shape.rows, shape.columns)),
        dx_(kernel_.argument("dx", shape.dtype, shape.rows, shape.columns)),
        copies_(copies_in(machine, shape.columns * 3 * isa::size_of(shape.dtype), 3)),
        ys_(kernel_.sbuf("y", shape.dtype, columns_, copies_)),
        dys_(kernel_.sbuf("dy", shape.dtype, columns_, copies_)),
        dxs_(kernel_.sbuf("dx", shape.dtype, columns_, copies_)),
        products_(kernel_.sbuf("products", DType::kFp32, std::min(columns_, kProducts), 2)),
        sums_(kernel_.sbuf("sum", DType::kFp32, 1, 3)) {}

  isa::Program build() {
    std::deque<Tile> begun;
    for (const Range& rows : row_tiles(machine_, shape_.rows)) {
      begun.push_back(sum_of(rows));
      if (begun.size() < 2 && copies_ > 1) continue;
      finish(begun.front());
      begun.pop_front();
    }
    for (const Tile& tile : begun) finish(tile);
    return kernel_.finish();
  }

 private:
  static constexpr unsigned kProducts = 2048;  // columns per piece
  struct Tile {
    Range rows;
    TileView y, dy, sum;
  };

  Tile sum_of(const Range& rows) {
    const Tile tile{rows, kernel_.take(ys_, rows.count, columns_), kernel_.take(dys_, rows.count, columns_),
                    kernel_.take(sums_, rows.count, 1)};
    kernel_.load(tile.y, y_.window(rows.first, 0, rows.count, columns_));
    kernel_.load(tile.dy, dy_.window(rows.first, 0, rows.count, columns_));
    RowSum sum(kernel_, tile.sum);
    for (const Range& piece : cut(all_of(columns_), kProducts)) {
      const auto first = static_cast<unsigned>(piece.first);
      const TileView product = kernel_.take(products_, rows.count, piece.count);
      multiply(product, tile.y.columns(first, piece.count), tile.dy.columns(first, piece.count));
      sum.add(product, product, ActFn::kCopy, piece.end() == columns_);
    }
    return tile;
  }

  // GpSimd, at two cycles per element, takes a share from the vector engine.
  void multiply(const TileView& product, const TileView& y, const TileView& dy) {
    const unsigned columns = product.shape.count[isa::kFreeDims - 1], there = columns * 3 / 16,
                   here = columns - there;
    kernel_.tensor_tensor(product.columns(0, here), y.columns(0, here), dy.columns(0, here), AluOp::kMult);
    if (there > 0)
      kernel_.tensor_tensor(product.columns(here, there), y.columns(here, there), dy.columns(here, there),
                            AluOp::kMult, Queue::kGpSimd);
  }

  void finish(const Tile& tile) {
    const TileView out = kernel_.take(dxs_, tile.rows.count, columns_);
    kernel_.scalar_tensor_tensor(out, tile.dy, AluOp::kSubtract, {0, &tile.sum}, AluOp::kMult, tile.y);
    kernel_.store(dx_.window(tile.rows.first, 0, tile.rows.count, columns_), out, Queue::kGpSimd);
  }

  const model::MachineParams& machine_;
  RowsShape shape_;
  unsigned columns_;
  Kernel kernel_;
  HbmView y_, dy_, dx_;
  unsigned copies_;
  Pool ys_, dys_, dxs_, products_, sums_;
};

}  // namespace

void emit_softmax(Kernel& kernel, const model::MachineParams& machine, const RowsShape& shape,
                  const SoftmaxViews& views) {
  Softmax(kernel, machine, shape, views).emit();
}

isa::Program softmax_program(const model::MachineParams& machine, const RowsShape& shape) {
  Kernel kernel("softmax", machine);
  const HbmView x = kernel.argument("x", shape.dtype, shape.rows, shape.columns),
                y = kernel.argument("y", shape.dtype, shape.rows, shape.columns);
  emit_softmax(kernel, machine, shape, {x, y});
  return kernel.finish();
}

isa::Program softmax_backward_program(const model::MachineParams& machine, const RowsShape& shape) {
  return SoftmaxBackward(machine, shape).build();
}

}  // namespace tahoma::workloads
