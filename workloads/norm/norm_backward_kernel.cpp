// SPDX-License-Identifier: Apache-2.0
#include "workloads/norm/norm_backward_kernel.h"

#include <deque>
#include <optional>
#include <utility>

#include "workloads/norm/column_sums.h"
#include "workloads/norm/row_in_psum.h"
#include "workloads/norm/row_tiles.h"

namespace tahoma::workloads {

namespace {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

enum class Norm : std::uint8_t { kLayer, kRms };

constexpr unsigned kGainBanks = 6;  // of PSUM; each sum over rows takes a bank

struct Tensors {
  HbmView x, dy, g;
  std::optional<HbmView> mean, rstd;
  HbmView dx, dg;
  std::optional<HbmView> db, add;
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

// The dtype of rows that the tensor engine sums.
DType summed(DType dtype) { return dtype == DType::kFp32 ? dtype : DType::kBf16; }

// A tile of rows goes through three stages, piece by piece: statistics (RMS norm's squares), h with all sums,
// and dx. If they fit, three tiles are in progress, one in each stage, so that no engine waits for another at
// the end of a row. Each piece contributes one number to the sums over columns; these are added up when the
// tile moves on.
class NormBackward {
 public:
  NormBackward(Kernel& kernel, const model::MachineParams& machine, Norm norm, const NormBackwardShape& shape,
               const Tensors& tensors)
      : kernel_(kernel),
        machine_(machine),
        norm_(norm),
        shape_(shape),
        columns_(static_cast<unsigned>(shape.columns)),
        tensors_(tensors),
        selector_(kernel_, machine),
        gain_(kernel_, selector_, "g", tensors_.g, kGainBanks),
        dg_(kernel_, machine, "dg", summed(shape.dtype), columns_),
        pieces_(cut(all_of(columns_), width())),
        overlaps_(copies_in(machine, row_bytes(), 3, kSmall + pieces_[0].count * bytes_per_column()) == 3),
        xs_(kernel_.sbuf("x", shape.dtype, columns_, overlaps_ ? 4 : 1)),
        hs_(kernel_.sbuf("h", DType::kFp32, columns_, overlaps_ ? 2 : 1)),
        dys_(piece_pool("dy", shape.dtype, kDys)),
        dxs_(piece_pool("dx", shape.dtype, kDxs)),
        normalised_(piece_pool("normalised", DType::kFp32, kNormalised)),
        products_(piece_pool("h n", DType::kFp32, kProducts)),
        terms_(piece_pool("dy n", summed(shape.dtype), kTerms)),
        remainders_(piece_pool("rest", DType::kFp32, rests())),
        columns_pool_(kernel_.sbuf("columns", DType::kFp32, 1, 48)),
        partials_(kernel_.sbuf("partial sums", DType::kFp32, static_cast<unsigned>(pieces_.size()), 12)) {
    if (tensors_.db) db_.emplace(kernel_, machine, "db", summed(shape.dtype), columns_);
    if (tensors_.add) adds_ = piece_pool("add", shape.dtype, kAdds);
  }

  void emit() {
    const std::vector<Range> rows = row_tiles(machine_, shape_.rows);
    if (overlaps_)
      build_overlapped(rows);
    else
      for (const Range& r : rows) build_alone(r);
    dg_.store(tensors_.dg);
    if (db_) db_->store(*tensors_.db);
  }

 private:
  // Buffers of a piece of a row: those between two engines, and one more each.
  static constexpr unsigned kDys = 5, kDxs = 3, kNormalised = 3, kProducts = 3, kTerms = 4, kRests = 2,
                            kAdds = 3;
  static constexpr unsigned kSmall = 24 << 10;  // bytes for everything else
  static constexpr unsigned kWidest = 2048;     // columns per piece
  // of this many pieces, GpSimd takes one from the scalar engine
  static constexpr std::size_t kPiecesOfGpSimd = 3;
  static constexpr std::size_t kSumsBehind = 2;  // pieces by which the tensor engine's sums lag

  struct Tile {
    Range rows;
    TileView x, h, rstd, shift;  // n = x rstd + shift
    TileView products, sums;     // of each piece: sum of h n, sum of h
    std::optional<TileView> squares;
    std::optional<TileView> factor, offset;  // dx = h + factor x + offset
  };
  // A term that is still to be added to h.
  struct Rest {
    Tile tile;
    Range columns;
    TileView rest;
  };
  // A piece that the tensor engine sums.
  struct Piece {
    Range columns;
    TileView dy, term;
  };

  std::uint64_t row_bytes() const {
    return shape_.columns * (isa::size_of(shape_.dtype) + isa::size_of(DType::kFp32));
  }
  std::uint64_t bytes_per_column() const {
    return (kDys + kDxs + (tensors_.add ? kAdds : 0)) * isa::size_of(shape_.dtype) +
           kTerms * isa::size_of(summed(shape_.dtype)) +
           (kNormalised + kProducts + rests()) * isa::size_of(DType::kFp32);
  }
  // As wide as the pieces of the gain, unless a whole row then does not fit.
  unsigned width() const {
    const auto usable = static_cast<std::uint64_t>(machine_.chip.core.sbuf.usable.count);
    unsigned width = std::min(gain_.width(), kWidest);
    while (width > kPiece && kSmall + row_bytes() + width * bytes_per_column() > usable)
      width = (width - 1) / kPiece * kPiece;
    return width;
  }
  unsigned rests() const { return tensors_.add ? 2 * kRests : kRests; }
  Pool piece_pool(const char* name, DType dtype, unsigned copies) {
    return kernel_.sbuf(name, dtype, pieces_[0].count, copies);
  }
  TileView column(const Range& rows) { return kernel_.take(columns_pool_, rows.count, 1); }
  TileView partials(const Range& rows) {
    return kernel_.take(partials_, rows.count, static_cast<unsigned>(pieces_.size()));
  }
  float share() const { return 1.0F / static_cast<float>(columns_); }

  void build_alone(const Range& rows) {
    Tile tile = begin(rows);
    for (std::size_t i = 0; i < pieces_.size(); ++i) square(tile, i);
    start_terms(tile);
    for (std::size_t i = 0; i < pieces_.size(); ++i) make(tile, i);
    know_factors(tile);
    for (std::size_t i = 0; i < pieces_.size(); ++i) finish(tile, i);
    flush();
  }

  void build_overlapped(const std::vector<Range>& rows) {
    std::deque<Tile> under_way;  // at most three, oldest first
    for (std::size_t step = 0; step < rows.size() + 2; ++step) {
      const bool first = step < rows.size(), second = step >= 1 && step - 1 < rows.size(), third = step >= 2;
      if (first) under_way.push_back(begin(rows[step]));
      Tile* const oldest = third ? &under_way.front() : nullptr;
      Tile* const middle = second ? &under_way[third ? 1 : 0] : nullptr;
      while (!pending_.empty()) add_rest();  // of a tile whose h is about to be freed
      if (oldest != nullptr) know_factors(*oldest);
      if (middle != nullptr) start_terms(*middle);
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        if (middle != nullptr) make(*middle, i);
        if (first) square(under_way.back(), i);
        if (oldest != nullptr) finish(*oldest, i);
      }
      if (third) under_way.pop_front();
    }
    flush();
  }

  Tile begin(const Range& rows) {
    Tile tile;
    tile.rows = rows;
    tile.x = kernel_.take(xs_, rows.count, columns_);
    tile.rstd = column(rows);
    kernel_.load(tile.x, tensors_.x.window(rows.first, 0, rows.count, columns_));
    if (norm_ == Norm::kRms) {
      tile.squares = partials(rows);
      return tile;
    }
    tile.shift = column(rows);
    const TileView mean = column(rows);
    kernel_.load(mean, tensors_.mean->window(rows.first, 0, rows.count, 1));
    kernel_.load(tile.rstd, tensors_.rstd->window(rows.first, 0, rows.count, 1));
    kernel_.tensor_scalar(tile.shift, mean, AluOp::kMult, {0, &tile.rstd}, AluOp::kMult, {-1.0F, nullptr},
                          Queue::kGpSimd);
    return tile;
  }

  static TileView part(const TileView& row, const Range& columns) {
    return row.columns(static_cast<unsigned>(columns.first), columns.count);
  }
  TileView take(Pool pool, const Tile& tile, const Range& columns) {
    return kernel_.take(pool, tile.rows.count, columns.count);
  }
  // The scalar engine adds up the parts, which it computed itself.
  TileView total(const Tile& tile, const TileView& parts) {
    const TileView sum = column(tile.rows);
    kernel_.activation_reduce(parts, sum, parts, ActFn::kCopy);
    return sum;
  }

  // The squares are not needed themselves; they pass through the buffer of a product.
  void square(const Tile& tile, std::size_t i) {
    if (!tile.squares) return;
    kernel_.activation_reduce(take(products_, tile, pieces_[i]),
                              tile.squares->columns(static_cast<unsigned>(i), 1), part(tile.x, pieces_[i]),
                              ActFn::kSquare);
  }
  void start_terms(Tile& tile) {
    if (tile.squares)
      kernel_.activation(tile.rstd, total(tile, *tile.squares), ActFn::kRsqrt, {share(), nullptr},
                         {shape_.epsilon, nullptr});
    tile.h = kernel_.take(hs_, tile.rows.count, columns_);
    tile.products = partials(tile.rows);
    if (norm_ == Norm::kLayer) tile.sums = partials(tile.rows);
  }

  // Computes h and all sums that contain it or n. A piece is summed after the next one has started, so that
  // no engine waits for results that another derives from its own.
  void make(const Tile& tile, std::size_t i) {
    const Range& columns = pieces_[i];
    const Piece piece{columns, take(dys_, tile, columns), take(terms_, tile, columns)};
    const TileView n = take(normalised_, tile, columns), product = take(products_, tile, columns),
                   h = part(tile.h, columns), x = part(tile.x, columns);
    const auto number = static_cast<unsigned>(i);
    kernel_.load(piece.dy,
                 tensors_.dy.window(tile.rows.first, columns.first, tile.rows.count, columns.count));
    if (norm_ == Norm::kLayer)
      kernel_.activation(n, x, ActFn::kCopy, {0, &tile.rstd}, {0, &tile.shift});
    else
      kernel_.activation(n, x, ActFn::kCopy, {0, &tile.rstd});
    add_up_columns();
    kernel_.scalar_tensor_tensor(h, piece.dy, AluOp::kMult, {0, &tile.rstd}, AluOp::kMult,
                                 gain_.columns(columns, tile.rows.count));
    kernel_.tensor_tensor(product, h, n, AluOp::kMult);
    kernel_.tensor_tensor(piece.term, piece.dy, n, AluOp::kMult, Queue::kGpSimd);
    unsummed_.push_back({product, tile.products.columns(number, 1)});
    if (norm_ == Norm::kLayer) unsummed_.push_back({h, tile.sums.columns(number, 1)});
    made_.push_back(piece);
    if (made_.size() > kSumsBehind) add_up_rows();
  }
  void add_up_columns() {
    for (; !unsummed_.empty(); unsummed_.pop_front()) {
      const auto& [values, sum] = unsummed_.front();
      kernel_.activation_reduce(values, sum, values, ActFn::kCopy);
    }
  }
  void add_up_rows() {
    dg_.add(made_.front().term, made_.front().columns);
    if (db_) db_->add(made_.front().dy, made_.front().columns);
    made_.pop_front();
  }

  void know_factors(Tile& tile) {
    add_up_columns();
    const TileView products = total(tile, tile.products);
    tile.factor = column(tile.rows);
    kernel_.tensor_scalar(*tile.factor, products, AluOp::kMult, {0, &tile.rstd}, AluOp::kMult,
                          {-share(), nullptr}, Queue::kGpSimd);
    if (norm_ == Norm::kRms) return;
    const TileView sum = total(tile, tile.sums), moved = column(tile.rows);
    tile.offset = column(tile.rows);
    kernel_.tensor_scalar(moved, products, AluOp::kMult, {0, &tile.shift}, AluOp::kAdd, {0, &sum},
                          Queue::kGpSimd);
    kernel_.tensor_scalar(*tile.offset, moved, AluOp::kMult, {-share(), nullptr}, AluOp::kBypass, {},
                          Queue::kGpSimd);
  }

  // dx = h + rest, where rest is factor x + offset plus the gradient of the residual stream, if any. GpSimd
  // then adds that gradient instead of computing its share of the rest.
  void finish(const Tile& tile, std::size_t i) {
    const Range& columns = pieces_[i];
    const TileView rest = take(remainders_, tile, columns), x = part(tile.x, columns);
    if (!tensors_.add && i % kPiecesOfGpSimd == kPiecesOfGpSimd - 1)
      kernel_.tensor_scalar(rest, x, AluOp::kMult, {0, &*tile.factor},
                            tile.offset ? AluOp::kAdd : AluOp::kBypass,
                            {0, tile.offset ? &*tile.offset : nullptr}, Queue::kGpSimd);
    else
      kernel_.activation(rest, x, ActFn::kCopy, {0, &*tile.factor},
                         {0, tile.offset ? &*tile.offset : nullptr});
    if (tensors_.add) {
      const TileView add = take(adds_, tile, columns);
      kernel_.load(add, tensors_.add->window(tile.rows.first, columns.first, tile.rows.count, columns.count));
      kernel_.tensor_tensor(rest, rest, add, AluOp::kAdd, Queue::kGpSimd);
    }
    pending_.push_back({tile, columns, rest});
    if (pending_.size() > (tensors_.add ? 1 : 0)) add_rest();
  }
  // Runs a piece later if a third engine has something to add.
  void add_rest() {
    const auto& [tile, columns, rest] = pending_.front();
    const TileView out = take(dxs_, tile, columns);
    kernel_.tensor_tensor(out, part(tile.h, columns), rest, AluOp::kAdd);
    unstored_.emplace_back(tensors_.dx.window(tile.rows.first, columns.first, tile.rows.count, columns.count),
                           out);
    pending_.pop_front();
    if (unstored_.size() > 1) store();
  }
  // The vector engine's queue stores: it has moved on meanwhile. On any other queue later work would wait
  // behind the store.
  void store() {
    kernel_.store(unstored_.front().first, unstored_.front().second, Queue::kVector);
    unstored_.pop_front();
  }

  void flush() {
    while (!made_.empty()) add_up_rows();
    while (!pending_.empty()) add_rest();
    while (!unstored_.empty()) store();
  }

  Kernel& kernel_;
  const model::MachineParams& machine_;
  Norm norm_;
  NormBackwardShape shape_;
  unsigned columns_;
  Tensors tensors_;
  PieceSelector selector_;
  RowInPsum gain_;
  ColumnSums dg_;
  std::optional<ColumnSums> db_;
  std::vector<Range> pieces_;
  bool overlaps_;
  Pool xs_, hs_, dys_, dxs_, normalised_, products_, terms_, remainders_, columns_pool_, partials_, adds_;
  std::deque<std::pair<TileView, TileView>> unsummed_;  // values and their sum
  std::deque<Piece> made_;
  std::deque<Rest> pending_;
  std::deque<std::pair<HbmView, TileView>> unstored_;
};

isa::Program program_of(const model::MachineParams& machine, Norm norm, const char* name,
                        const NormBackwardShape& shape) {
  Kernel kernel(name, machine);
  NormBackward(kernel, machine, norm, shape, tensors_of(kernel, norm, shape)).emit();
  return kernel.finish();
}

}  // namespace

void emit_rms_norm_backward(Kernel& kernel, const model::MachineParams& machine,
                            const NormBackwardShape& shape, const RmsNormBackwardViews& views) {
  const Tensors tensors{.x = views.x,
                        .dy = views.dy,
                        .g = views.g,
                        .mean = {},
                        .rstd = {},
                        .dx = views.dx,
                        .dg = views.dg,
                        .db = {},
                        .add = views.add};
  NormBackward(kernel, machine, Norm::kRms, shape, tensors).emit();
}

isa::Program layer_norm_backward_program(const model::MachineParams& machine,
                                         const NormBackwardShape& shape) {
  return program_of(machine, Norm::kLayer, "layer_norm_backward", shape);
}

isa::Program rms_norm_backward_program(const model::MachineParams& machine, const NormBackwardShape& shape) {
  return program_of(machine, Norm::kRms, "rms_norm_backward", shape);
}

}  // namespace tahoma::workloads
