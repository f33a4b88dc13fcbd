// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/kernel/gemm_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "model/base/error.h"
#include "runtime/builder/kernel.h"
#include "workloads/common/ranges.h"
#include "workloads/gemm/kernel/gemm_evacuation.h"

namespace tahoma::workloads {

namespace {

using runtime::HbmView;
using runtime::Kernel;
using runtime::TileView;

class BlockedGemm {
 public:
  BlockedGemm(Kernel& kernel, const GemmShape& shape, const Blocking& blocking, const GemmViews& views)
      : kernel_(kernel),
        shape_(shape),
        blocking_(blocking),
        views_(views),
        a_pool_(kernel.sbuf("a", shape.dtype, static_cast<unsigned>(shape.a_width(blocking.strip)),
                            blocking.a_copies)),
        b_pool_(kernel.sbuf("b", shape.dtype_of_b(),
                            static_cast<unsigned>(shape.b_width(blocking.panel)) * blocking.b_stack,
                            blocking.b_copies)),
        evacuation_(kernel, shape, blocking, views),
        psum_(kernel.psum("sums", isa::DType::kFp32, blocking.nt, blocking.psum_copies)),
        k_(cut(all_of(shape.partitions()), blocking.kt)),
        strips_(cut(all_of(shape.m), blocking.strip)),
        panels_(cut(all_of(shape.n), blocking.panel)),
        a_strips_(strips_.size()) {
    if (shape.sparse())
      tag_pool_ =
          kernel.sbuf("tags", isa::DType::kUint16,
                      static_cast<unsigned>(GemmShape::tag_columns(blocking.strip)), blocking.a_copies);
  }

  void emit() {
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      take_panel();
      evacuation_.begin_panel(panels_[p], psum_);
      for (std::size_t s = 0; s < strips_.size(); ++s) {
        if (p == 0 || !blocking_.all_strips) a_strips_[s].assign(k_.size(), std::nullopt);
        // The next panel is loaded after the last loads of a.
        const bool no_more_of_a = s + 1 == strips_.size() || (blocking_.all_strips && p > 0);
        emit_block(panels_[p], s, no_more_of_a && p + 1 < panels_.size() ? &panels_[p + 1] : nullptr);
      }
    }
  }

 private:
  // A tile of a, all columns of a strip.
  struct Weights {
    TileView tile;
    std::optional<TileView> tags;
  };

  // The panel that was loaded ahead, or an empty one.
  void take_panel() {
    if (next_b_tiles_.empty()) next_b_tiles_.assign(k_.size(), std::nullopt);
    b_tiles_ = std::move(next_b_tiles_);
    next_b_tiles_.clear();
  }

  void emit_block(const Range& panel, std::size_t strip, const Range* next) {
    for (const Range& rows : cut(strips_[strip], blocking_.group_m * blocking_.mt))
      for (const Range& columns : cut(panel, blocking_.group_n * blocking_.nt)) {
        emit_group(panel, strip, rows, columns);
        if (next != nullptr && blocking_.next_panel && next_b_tiles_.empty()) load_next_panel(*next);
      }
  }

  // Loaded after the last strip's own loads, so that it does not delay them.
  void load_next_panel(const Range& next) {
    next_b_tiles_.assign(k_.size(), std::nullopt);
    for (std::size_t k = 0; k < k_.size(); ++k) load_b(next_b_tiles_, k, next);
  }

  TileView load(runtime::Pool pool, const HbmView& from, unsigned slices, const Range& k,
                const Range& columns) {
    const TileView tile = kernel_.take(pool, k.count, columns.count * slices).slices(slices);
    kernel_.load(tile,
                 from.window(k.first * slices, columns.first, std::uint64_t{k.count} * slices, columns.count)
                     .slices(slices),
                 isa::Queue::kSync);
    return tile;
  }
  // Tile `k` of a panel, with the tiles that share its load.
  const TileView& load_b(std::vector<std::optional<TileView>>& tiles, std::size_t k, const Range& panel) {
    if (tiles[k]) return *tiles[k];
    if (shape_.b_by_rows) {
      tiles[k] = load_transposed_tokens(
          kernel_,
          kernel_.take(b_pool_, k_[k].count, static_cast<unsigned>(transposed_load_rows(panel.count))),
          views_.b, panel, k_[k]);
      return *tiles[k];
    }
    unsigned count = 1;
    while (count < blocking_.b_stack && k + count < k_.size() && k_[k + count].count == k_[k].count) ++count;
    if (count == 1) return *(tiles[k] = load(b_pool_, views_.b, shape_.b_slices(), k_[k], panel));
    const TileView stack = kernel_.take(b_pool_, k_[k].count, panel.count * count).slices(count);
    kernel_.load(stack,
                 views_.b.window(k_[k].first, panel.first, std::uint64_t{k_[k].count} * count, panel.count)
                     .stacked(count));
    for (unsigned s = 0; s < count; ++s) tiles[k + s] = stack.slice(s);
    return *tiles[k];
  }
  const Weights& load_a(std::optional<Weights>& weights, const Range& k, const Range& strip) {
    if (weights) return *weights;
    if (shape_.a_by_rows) {
      const TileView tile =
          kernel_.take(a_pool_, k.count, static_cast<unsigned>(shape_.a_width(strip.count)));
      weights =
          Weights{shape_.turns_pairs() ? load_pairs(tile, strip, k)
                                       : load_transposed_tokens(kernel_, tile, views_.a, strip, k, rows_on()),
                  {}};
      return *weights;
    }
    weights = Weights{load(a_pool_, views_.a, shape_.a_slices(), k, strip), {}};
    if (tag_pool_) weights->tags = load(*tag_pool_, views_.tags, 1, k, tags_of(strip));
    return *weights;
  }
  // Pairs of 8-bit elements are transposed as elements of two bytes.
  TileView load_pairs(const TileView& tile, const Range& tokens, const Range& pairs) {
    constexpr isa::DType kPair = isa::DType::kUint16;
    return load_transposed_tokens(kernel_, tile.as(kPair), views_.a.as(kPair), tokens, pairs, rows_on())
        .as(shape_.dtype)
        .interleaved(shape_.a_slices());
  }
  // The sync engine rings everything else: if all of `a` comes first, b does not wait with it for the
  // producer of `a`.
  isa::Queue rows_on() const { return blocking_.a_first(shape_) ? isa::Queue::kGpSimd : isa::Queue::kSync; }
  // A strip begins with a tile's first row, and a tile's rows are whole elements of tags.
  static Range tags_of(const Range& columns) {
    return {columns.first / 4, static_cast<unsigned>(GemmShape::tag_columns(columns.count))};
  }

  // Returns the rows of C as columns of a strip of a.
  runtime::Stationary stationary(const Weights& strip, unsigned first, unsigned count) const {
    const TileView tile = strip.tile.columns(first, count);
    if (!strip.tags) return {tile, shape_.mode};
    const Range tags = tags_of({first, count});
    return {tile, shape_.mode, strip.tags->columns(static_cast<unsigned>(tags.first), tags.count)};
  }

  void emit_group(const Range& panel, std::size_t number, const Range& rows, const Range& columns) {
    const Range& strip = strips_[number];
    std::vector<std::optional<Weights>>& a_tiles = a_strips_[number];
    const std::vector<Range> row_tiles = cut(rows, blocking_.mt), column_tiles = cut(columns, blocking_.nt);
    std::vector<TileView> sums;
    for (const Range& r : row_tiles)
      for (const Range& c : column_tiles) sums.push_back(kernel_.take(psum_, r.count, c.count));
    if (!blocking_.resident) {
      a_tiles.assign(k_.size(), std::nullopt);
      if (!blocking_.panel_stays) b_tiles_.assign(k_.size(), std::nullopt);
    }
    for (std::size_t k = 0; k < k_.size(); ++k) {
      const TileView& b = load_b(b_tiles_, k, panel);
      const Weights& a = load_a(a_tiles[k], k_[k], strip);
      std::size_t sum = 0;
      for (const Range& r : row_tiles)
        for (const Range& c : column_tiles)
          kernel_.matmul(sums[sum++], stationary(a, static_cast<unsigned>(r.first - strip.first), r.count),
                         b.columns(static_cast<unsigned>(c.first - panel.first), c.count), k > 0);
    }
    evacuation_.finish(sums, row_tiles, panel, columns, column_tiles);
  }

  Kernel& kernel_;
  GemmShape shape_;
  Blocking blocking_;
  GemmViews views_;
  runtime::Pool a_pool_, b_pool_;
  Evacuation evacuation_;
  runtime::Pool psum_;
  std::optional<runtime::Pool> tag_pool_;
  std::vector<Range> k_, strips_, panels_;                     // k_: partitions of the contraction
  std::vector<std::vector<std::optional<Weights>>> a_strips_;  // tiles, by strip
  std::vector<std::optional<TileView>> b_tiles_, next_b_tiles_;
};

void check_length(const model::MachineParams& machine, const GemmShape& shape, const GemmTiles& t) {
  const auto tiles = [](std::uint64_t size, std::uint64_t tile) { return (size + tile - 1) / tile; };
  const std::uint64_t matmuls = tiles(shape.m, t.mt) * tiles(shape.n, t.nt) * tiles(shape.partitions(), t.kt);
  if (matmuls <= kMostMatmuls) return;
  throw base::UserError(
      "E-RUN-031", "workload.shard",
      fmt::format("{}x{}x{} on one core takes {} matmuls, more than the {} a program may have; shard "
                  "over more of the {} cores",
                  shape.m, shape.n, shape.k, matmuls, kMostMatmuls, machine.cores()));
}

}  // namespace

void emit_gemm(const Blocking& blocking, Kernel& kernel, const model::MachineParams& machine,
               const GemmShape& shape, const GemmViews& views) {
  TAHOMA_INVARIANT(!(shape.a_by_rows || shape.b_by_rows) || shape.may_turn(),
                   "a or b by rows needs dense mode and 2- or 4-byte elements or pairs of a");
  TAHOMA_INVARIANT(!shape.b_dtype || (shape.mode == isa::MatmulMode::kDense && !shape.b_by_rows),
                   "b of another dtype needs dense mode, and b not by rows");
  check_length(machine, shape, {blocking.kt, blocking.mt, blocking.nt});
  BlockedGemm(kernel, shape, blocking, views).emit();
}

void emit_gemm(GemmNest nest, Kernel& kernel, const model::MachineParams& machine, const GemmShape& shape,
               const GemmViews& views) {
  if (nest == GemmNest::kChosen)
    return emit_gemm(choose_blocking(machine, shape), kernel, machine, shape, views);
  TAHOMA_INVARIANT(!shape.a_by_rows && !shape.b_by_rows && !shape.b_dtype,
                   "a or b by rows, or b of another dtype, needs the chosen nest");
  check_length(machine, shape, largest_tiles(machine.chip.core));
  if (nest == GemmNest::kNaive) return emit_naive(kernel, machine, shape, views);
  emit_blocked(kernel, machine, shape, views, nest == GemmNest::kRowLoads ? kRowLoadsNest : kBlockedNest);
}

// Inferred from 600 ns a load: README.md.
isa::Program finish_gemm(GemmNest nest, Kernel& kernel) {
  isa::Program program = kernel.finish();
  if (nest == GemmNest::kChosen) return program;
  for (const isa::Queue queue : {isa::Queue::kSync, isa::Queue::kScalar})
    for (isa::Instruction& i : program.stream(queue))
      if (i.op == isa::Opcode::kDmaCopy) i.dge = isa::Dge::kHw;
  return program;
}

isa::Program gemm_program(const model::MachineParams& machine, const GemmShape& shape, GemmNest nest) {
  Kernel kernel("gemm", machine);
  GemmViews views;
  views.a = kernel.argument("a", shape.dtype, shape.a_rows(), shape.a_columns());
  views.b = kernel.argument("b", shape.dtype_of_b(), shape.b_rows(), shape.b_columns());
  views.c = kernel.argument("c", shape.out, shape.m, shape.n);
  if (shape.sparse())
    views.tags =
        kernel.argument("tags", isa::DType::kUint16, shape.a_rows(), GemmShape::tag_columns(shape.m));
  if (shape.epilogue.bias == BiasOf::kRows)
    views.bias = kernel.argument("bias", isa::DType::kFp32, shape.m, 1);
  if (shape.epilogue.bias == BiasOf::kColumns)
    views.bias = kernel.argument("bias", isa::DType::kFp32, 1, shape.n);
  if (shape.epilogue.residual) views.residual = kernel.argument("residual", shape.out, shape.m, shape.n);
  emit_gemm(nest, kernel, machine, shape, views);
  return finish_gemm(nest, kernel);
}

}  // namespace tahoma::workloads
