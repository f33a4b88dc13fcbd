// SPDX-License-Identifier: Apache-2.0
#include "workloads/mlp/gated.h"

#include <optional>

#include "model/base/error.h"
#include "workloads/norm/row_tiles.h"

namespace tahoma::workloads {

using isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr unsigned kMostColumns = 2048;  // of a tile: 4 KiB of 16-bit elements, the full rate of a DMA engine
constexpr unsigned kCopies = 4;

// 1 + gate t and dgate of a tile are computed one tile later, so that the scalar engine does not wait for the
// vector engine. If only one tile fits, they are computed at once.
class GatedBackward {
 public:
  GatedBackward(Kernel& kernel, const model::MachineParams& machine, const GatedShape& shape,
                const GatedBackwardViews& views)
      : kernel_(kernel), machine_(machine), shape_(shape), views_(views) {
    width_ = static_cast<unsigned>(std::min<std::uint64_t>(shape.columns, kMostColumns));
    const std::uint64_t bytes = std::uint64_t{width_} * (5 * isa::size_of(shape.dtype) + 5 * sizeof(float));
    copies_ = copies_in(machine, bytes, kCopies, 0);
    const auto pool = [&](const char* name, DType dtype) {
      return kernel.sbuf(name, dtype, width_, copies_);
    };
    gates_ = pool("gate", shape.dtype);
    ups_ = pool("up", shape.dtype);
    dys_ = pool("dy", shape.dtype);
    dgates_ = pool("dgate", shape.dtype);
    dups_ = pool("dup", shape.dtype);
    sigmoids_ = pool("sigmoid", DType::kFp32);
    mirrored_ = pool("sigmoid of -gate", DType::kFp32);
    shares_ = pool("dy s", DType::kFp32);
    products_ = pool("dy s up", DType::kFp32);
    slopes_ = pool("1 + gate t", DType::kFp32);
  }

  void emit() {
    std::optional<Tile> begun;
    for (const Range& rows : row_tiles(machine_, shape_.tokens))
      for (const Range& columns : cut(all_of(shape_.columns), width_)) {
        const Tile tile = begin(rows, columns);
        if (begun) finish(*begun);
        begun = tile;
        if (copies_ > 1) continue;
        finish(*begun);
        begun.reset();
      }
    if (begun) finish(*begun);
  }

 private:
  struct Tile {
    Range rows, columns;
    TileView product, slope;
  };

  TileView take(Pool pool, const Range& rows, const Range& columns) {
    return kernel_.take(pool, rows.count, columns.count);
  }
  static HbmView window(const HbmView& view, const Range& rows, const Range& columns) {
    return view.window(rows.first, columns.first, rows.count, columns.count);
  }

  Tile begin(const Range& rows, const Range& columns) {
    const TileView gate = take(gates_, rows, columns), up = take(ups_, rows, columns),
                   dy = take(dys_, rows, columns), s = take(sigmoids_, rows, columns),
                   t = take(mirrored_, rows, columns), share = take(shares_, rows, columns),
                   dup = take(dups_, rows, columns);
    const Tile tile{rows, columns, take(products_, rows, columns), take(slopes_, rows, columns)};
    kernel_.load(gate, window(views_.gate, rows, columns));
    kernel_.load(dy, window(views_.dy, rows, columns));
    kernel_.load(up, window(views_.up, rows, columns));
    kernel_.activation(s, gate, isa::ActFn::kSigmoid);
    kernel_.activation(t, gate, isa::ActFn::kSigmoid, {-1.0F, nullptr});
    kernel_.tensor_tensor(share, dy, s, AluOp::kMult, Queue::kGpSimd);
    kernel_.tensor_tensor(tile.product, share, up, AluOp::kMult, Queue::kGpSimd);
    kernel_.tensor_tensor(tile.slope, gate, t, AluOp::kMult);
    kernel_.tensor_tensor(dup, share, gate, AluOp::kMult);
    // The engine that computed it also stores it: no other engine then waits for it because of a store.
    kernel_.store(window(views_.dup, rows, columns), dup, Queue::kVector);
    return tile;
  }

  void finish(const Tile& tile) {
    const TileView dgate = take(dgates_, tile.rows, tile.columns);
    kernel_.activation(tile.slope, tile.slope, isa::ActFn::kCopy, {1.0F, nullptr}, {1.0F, nullptr});
    kernel_.tensor_tensor(dgate, tile.product, tile.slope, AluOp::kMult);
    kernel_.store(window(views_.dgate, tile.rows, tile.columns), dgate, Queue::kVector);
  }

  Kernel& kernel_;
  const model::MachineParams& machine_;
  GatedShape shape_;
  GatedBackwardViews views_;
  unsigned width_ = 0, copies_ = 0;
  Pool gates_, ups_, dys_, dgates_, dups_, sigmoids_, mirrored_, shares_, products_, slopes_;
};

}  // namespace

void emit_gated(Kernel& kernel, const model::MachineParams& machine, const GatedShape& shape,
                const GatedViews& views) {
  const auto width = static_cast<unsigned>(std::min<std::uint64_t>(shape.columns, kMostColumns));
  const std::uint64_t bytes = std::uint64_t{width} * (3 * isa::size_of(shape.dtype) + sizeof(float));
  const unsigned copies = copies_in(machine, bytes, kCopies, 0);
  const Pool gates = kernel.sbuf("gate", shape.dtype, width, copies),
             ups = kernel.sbuf("up", shape.dtype, width, copies),
             activated = kernel.sbuf("activated", DType::kFp32, width, copies),
             ys = kernel.sbuf("y", views.y.dtype, width, copies);
  for (const Range& rows : row_tiles(machine, shape.tokens))
    for (const Range& columns : cut(all_of(shape.columns), width)) {
      const auto take = [&](Pool pool) { return kernel.take(pool, rows.count, columns.count); };
      const auto window = [&](const HbmView& view) {
        return view.window(rows.first, columns.first, rows.count, columns.count);
      };
      const TileView gate = take(gates), up = take(ups), factor = take(activated), y = take(ys);
      kernel.load(gate, window(views.gate));
      kernel.load(up, window(views.up));
      if (shape.limit > 0) {
        kernel.tensor_scalar(gate, gate, AluOp::kMin, {shape.limit, nullptr});
        kernel.tensor_scalar(up, up, AluOp::kMin, {shape.limit, nullptr}, AluOp::kMax,
                             {-shape.limit, nullptr});
      }
      kernel.activation(factor, gate, shape.activation);
      if (shape.limit > 0)
        kernel.scalar_tensor_tensor(y, up, AluOp::kAdd, {1, nullptr}, AluOp::kMult, factor);
      else
        kernel.tensor_tensor(y, factor, up, AluOp::kMult);
      kernel.store(window(views.y), y, Queue::kGpSimd);
    }
}

void emit_gated_backward(Kernel& kernel, const model::MachineParams& machine, const GatedShape& shape,
                         const GatedBackwardViews& views) {
  TAHOMA_INVARIANT(shape.activation == isa::ActFn::kSilu, "the backward pass is that of silu");
  GatedBackward(kernel, machine, shape, views).emit();
}

}  // namespace tahoma::workloads
