// SPDX-License-Identifier: Apache-2.0
#include "workloads/norm/norm_backward_kernel.h"

#include <deque>
#include <optional>

#include "workloads/norm/column_sums.h"
#include "workloads/norm/row_in_psum.h"
#include "workloads/norm/row_sum.h"
#include "workloads/norm/row_tiles.h"

namespace tahoma::workloads {

namespace {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

enum class Norm : std::uint8_t { kLayer, kRms };

constexpr unsigned kGainBanks = 6;  // of PSUM; the sums over rows take a bank each

struct Tensors {
  HbmView x, dy, g;
  std::optional<HbmView> mean, rstd;
  HbmView dx, dg;
  std::optional<HbmView> db;
};

Tensors tensors_of(Kernel& kernel, Norm norm, const NormBackwardShape& s) {
  Tensors t;
  t.x = kernel.argument("x", s.dtype, s.rows, s.columns);
  t.dy = kernel.argument("dy", s.dtype, s.rows, s.columns);
  t.g = kernel.argument("g", DType::kFp32, 1, s.columns);
  if (norm == Norm::kLayer) {
    t.mean = kernel.argument("mean", DType::kFp32, s.rows, 1);
    t.rstd = kernel.argument("rstd", DType::kFp32, s.rows, 1);
  }
  t.dx = kernel.argument("dx", s.dtype, s.rows, s.columns);
  t.dg = kernel.argument("dg", DType::kFp32, 1, s.columns);
  if (norm == Norm::kLayer) t.db = kernel.argument("db", DType::kFp32, 1, s.columns);
  return t;
}

// The dtype of rows that the tensor engine sums up.
DType summed(DType dtype) { return dtype == DType::kFp32 ? dtype : DType::kBf16; }

class NormBackward {
 public:
  NormBackward(const model::MachineParams& machine, Norm norm, const NormBackwardShape& shape)
      : machine_(machine),
        norm_(norm),
        shape_(shape),
        columns_(static_cast<unsigned>(shape.columns)),
        kernel_(norm == Norm::kLayer ? "layer_norm_backward" : "rms_norm_backward", machine),
        tensors_(tensors_of(kernel_, norm, shape)),
        selector_(kernel_),
        gain_(kernel_, machine, selector_, "g", tensors_.g, kGainBanks),
        dg_(kernel_, machine, "dg", summed(shape.dtype), columns_),
        width_(width()),
        copies_(copies_in(machine, row_bytes(), 3, kSmall + width_ * bytes_per_column())),
        xs_(kernel_.sbuf("x", shape.dtype, columns_, copies_)),
        hs_(kernel_.sbuf("h", DType::kFp32, columns_, copies_)),
        dys_(kernel_.sbuf("dy", shape.dtype, width_, kDys)),
        dxs_(kernel_.sbuf("dx", shape.dtype, width_, kDxs)),
        normalised_(kernel_.sbuf("normalised", DType::kFp32, width_, kNormalised)),
        products_(kernel_.sbuf("h n", DType::kFp32, width_, kProducts)),
        terms_(kernel_.sbuf("dy n", summed(shape.dtype), width_, kTerms)),
        rests_(kernel_.sbuf("rest", DType::kFp32, width_, kRests)),
        columns_pool_(kernel_.sbuf("columns", DType::kFp32, 1, 48)) {
    if (norm == Norm::kLayer) db_.emplace(kernel_, machine, "db", summed(shape.dtype), columns_);
  }

  isa::Program build() {
    std::deque<Tile> begun;
    for (const Range& rows : row_tiles(machine_, shape_.rows)) {
      begun.push_back(first_look(rows));
      if (begun.size() < 2 && copies_ > 1) continue;
      second_look(begun.front());
      begun.pop_front();
    }
    for (const Tile& tile : begun) second_look(tile);
    dg_.store(tensors_.dg);
    if (db_) db_->store(*tensors_.db);
    return kernel_.finish();
  }

 private:
  // Buffers of a piece of a row: what stands between two engines, and one more for each.
  static constexpr unsigned kDys = 4, kDxs = 3, kNormalised = 3, kProducts = 3, kTerms = 3, kRests = 2;
  static constexpr unsigned kSmall = 24 << 10;  // bytes of everything else
  static constexpr unsigned kWidest = 2048;     // columns of a piece

  std::uint64_t row_bytes() const { return shape_.columns * (isa::size_of(shape_.dtype) + 4); }
  std::uint64_t bytes_per_column() const {
    return (kDys + kDxs) * isa::size_of(shape_.dtype) + kTerms * isa::size_of(summed(shape_.dtype)) +
           (kNormalised + kProducts + kRests) * 4;
  }
  // As wide as the gain comes, unless that leaves no room for a whole row.
  unsigned width() const {
    const auto usable = static_cast<std::uint64_t>(machine_.chip.core.sbuf.usable.count);
    unsigned width = std::min(gain_.width(), kWidest);
    while (width > kPiece && kSmall + row_bytes() + width * bytes_per_column() > usable)
      width = (width - 1) / kPiece * kPiece;
    return width;
  }

  struct Tile {
    Range rows;
    TileView x, h;
    TileView rstd, shift;         // n = x rstd + shift
    TileView products;            // sum of h n
    std::optional<TileView> sum;  // of h
  };

  TileView column(const Range& rows) { return kernel_.take(columns_pool_, rows.count, 1); }

  Tile begin(const Range& rows) {
    Tile tile{rows,         kernel_.take(xs_, rows.count, columns_), kernel_.take(hs_, rows.count, columns_),
              column(rows), column(rows),                            column(rows),
              std::nullopt};
    kernel_.load(tile.x, tensors_.x.window(rows.first, 0, rows.count, columns_));
    if (norm_ == Norm::kLayer) {
      const TileView mean = column(rows);
      kernel_.load(mean, tensors_.mean->window(rows.first, 0, rows.count, 1));
      kernel_.load(tile.rstd, tensors_.rstd->window(rows.first, 0, rows.count, 1));
      kernel_.tensor_scalar(tile.shift, mean, AluOp::kMult, {0, &tile.rstd}, AluOp::kMult, {-1.0F, nullptr},
                            Queue::kGpSimd);
    } else {
      // The squares themselves are not needed: they pass through the place of h.
      const TileView squares = column(rows);
      kernel_.activation_reduce(tile.h, squares, tile.x, ActFn::kSquare);
      kernel_.activation(tile.rstd, squares, ActFn::kRsqrt, {share(), nullptr}, {shape_.epsilon, nullptr});
    }
    return tile;
  }

  float share() const { return 1.0F / static_cast<float>(columns_); }

  // What the tensor and the scalar engine do with a piece once others have made it.
  struct Piece {
    Range columns;
    TileView dy, product, term;
  };

  // A piece is summed up behind the next one's start: neither engine then waits for its own results.
  Tile first_look(const Range& rows) {
    Tile tile = begin(rows);
    RowSum products(kernel_, tile.products);
    std::optional<Piece> made;
    for (const Range& columns : cut(all_of(columns_), width_)) {
      const Piece next = make(tile, columns);
      if (made) sum_up(*made, products);
      made = next;
    }
    sum_up(*made, products);
    if (norm_ == Norm::kLayer) {
      tile.sum = column(rows);
      kernel_.activation_reduce(tile.h, *tile.sum, tile.h, ActFn::kCopy);
    }
    return tile;
  }

  Piece make(const Tile& tile, const Range& columns) {
    const auto take = [&](Pool pool) { return kernel_.take(pool, tile.rows.count, columns.count); };
    const auto first = static_cast<unsigned>(columns.first);
    const Piece piece{columns, take(dys_), take(products_), take(terms_)};
    const TileView n = take(normalised_), h = tile.h.columns(first, columns.count);
    kernel_.load(piece.dy,
                 tensors_.dy.window(tile.rows.first, columns.first, tile.rows.count, columns.count));
    normalise(n, tile.x.columns(first, columns.count), tile);
    kernel_.scalar_tensor_tensor(h, piece.dy, AluOp::kMult, {0, &tile.rstd}, AluOp::kMult,
                                 gain_.columns(columns, tile.rows.count));
    kernel_.tensor_tensor(piece.product, h, n, AluOp::kMult);
    kernel_.tensor_tensor(piece.term, piece.dy, n, AluOp::kMult, Queue::kGpSimd);
    return piece;
  }

  void sum_up(const Piece& piece, RowSum& products) {
    products.add(piece.product, piece.product, ActFn::kCopy, piece.columns.end() == columns_);
    dg_.add(piece.term, piece.columns);
    if (db_) db_->add(piece.dy, piece.columns);
  }

  void normalise(const TileView& n, const TileView& x, const Tile& tile) {
    if (norm_ == Norm::kLayer)
      kernel_.activation(n, x, ActFn::kCopy, {0, &tile.rstd}, {0, &tile.shift});
    else
      kernel_.activation(n, x, ActFn::kCopy, {0, &tile.rstd});
  }

  // dx = h + factor x + offset
  void second_look(const Tile& tile) {
    const TileView factor = column(tile.rows), offset = column(tile.rows);
    kernel_.tensor_scalar(factor, tile.products, AluOp::kMult, {0, &tile.rstd}, AluOp::kMult,
                          {-share(), nullptr}, Queue::kGpSimd);
    if (tile.sum) {
      const TileView moved = column(tile.rows);
      kernel_.tensor_scalar(moved, tile.products, AluOp::kMult, {0, &tile.shift}, AluOp::kAdd,
                            {0, &*tile.sum}, Queue::kGpSimd);
      kernel_.tensor_scalar(offset, moved, AluOp::kMult, {-share(), nullptr}, AluOp::kBypass, {},
                            Queue::kGpSimd);
    }
    for (const Range& piece : cut(all_of(columns_), width_)) {
      const auto first = static_cast<unsigned>(piece.first);
      const TileView rest = kernel_.take(rests_, tile.rows.count, piece.count),
                     out = kernel_.take(dxs_, tile.rows.count, piece.count);
      const TileView x = tile.x.columns(first, piece.count);
      if (tile.sum)
        kernel_.activation(rest, x, ActFn::kCopy, {0, &factor}, {0, &offset});
      else
        kernel_.activation(rest, x, ActFn::kCopy, {0, &factor});
      kernel_.tensor_tensor(out, tile.h.columns(first, piece.count), rest, AluOp::kAdd);
      kernel_.store(tensors_.dx.window(tile.rows.first, piece.first, tile.rows.count, piece.count), out,
                    Queue::kGpSimd);
    }
  }

  const model::MachineParams& machine_;
  Norm norm_;
  NormBackwardShape shape_;
  unsigned columns_;
  Kernel kernel_;
  Tensors tensors_;
  PieceSelector selector_;
  RowInPsum gain_;
  ColumnSums dg_;
  std::optional<ColumnSums> db_;
  unsigned width_, copies_;
  Pool xs_, hs_, dys_, dxs_, normalised_, products_, terms_, rests_, columns_pool_;
};

}  // namespace

isa::Program layer_norm_backward_program(const model::MachineParams& machine,
                                         const NormBackwardShape& shape) {
  return NormBackward(machine, Norm::kLayer, shape).build();
}

isa::Program rms_norm_backward_program(const model::MachineParams& machine, const NormBackwardShape& shape) {
  return NormBackward(machine, Norm::kRms, shape).build();
}

}  // namespace tahoma::workloads
