// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/flash_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "model/base/error.h"
#include "workloads/attention/flash_lse.h"
#include "workloads/attention/flash_memory.h"
#include "workloads/attention/flash_order.h"
#include "workloads/attention/flash_schedule.h"
#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

namespace {

using isa::ActFn, isa::AluOp, isa::Queue;
using runtime::Kernel, runtime::TileView;
using Stage = std::function<void()>;

// The state of a group of queries between blocks; columns are tiles of the group.
struct GroupState {
  std::vector<TileView> q;         // [part of d, rows]
  TileView row_max;                // running maximum of the latest step, in bf16
  std::optional<TileView> output;  // [queries, tiles x value_pitch]: output, followed by its running sum
};

// A step in the stages of the pipeline.
struct Work {
  std::shared_ptr<GroupState> group;
  TileView maxima;         // per tile and piece of its keys
  TileView row_max;        // per tile
  TileView row_max_delta;  // per tile: old maximum - new maximum
  TileView corrections;    // per tile: exp(scale row_max_delta)
  TileView row;            // the maxima in a row, on one partition of every lane
};

// Adjacent tiles of a step with the same number of rows and pieces, which are processed together.
struct Run {
  unsigned first, count, rows, pieces;
  bool opens;
};

class FlashBuilder {
 public:
  FlashBuilder(Kernel& kernel, const model::MachineParams& machine, const FlashShape& shape,
               const FlashViews& views)
      : shape_(shape),
        tiling_(tiling_of(machine, shape)),
        steps_(flash_steps(shape, tiling_)),
        order_(flash_order(steps_, tiling_)),
        kernel_(kernel),
        memory_(kernel, shape, tiling_, machine, views),
        scale_(shape.score_scale()),
        work_(steps_.size()) {
    if (shape.lse) lse_.emplace(kernel, views.lse, tiling_, scale_, memory_.scores());
  }

  void emit() {
    while (pieces_ < order_.before.pieces_end) find_maxima(order_.pieces[pieces_++]);
    while (rows_ < order_.before.rows_end) make_row(rows_++);
    for (std::size_t round = 0; round <= order_.quads.size(); ++round) emit_round(round);
    if (lse_) lse_->finish();
  }

 private:
  // Interleaves the exponentials of this round's quad, the products of the previous round's quad and the
  // maxima of later steps evenly, so that the array always has work whose operands are ready.
  void emit_round(std::size_t round) {
    std::vector<Stage> stages;
    std::vector<TileView> probabilities;
    if (round < order_.quads.size()) add_exponentials(stages, round, probabilities);
    if (round > 0) add_products(stages, order_.quads[round - 1]);
    const std::size_t pieces = round < order_.rounds.size() ? order_.rounds[round].pieces_end - pieces_ : 0;
    std::size_t done = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      stages[s]();
      for (; done * stages.size() < (s + 1) * pieces; ++done) find_maxima(order_.pieces[pieces_++]);
    }
    probabilities_ = std::move(probabilities);
  }

  bool capped() const { return shape_.cap > 0; }

  // --- maxima, some rounds ahead

  void find_maxima(const FlashPiece& piece) {
    const FlashStep& step = steps_[piece.step];
    const FlashTile& tile = step.tiles[piece.tile];
    Work& work = work_[piece.step];
    if (!work.group) start(piece.step);
    if (capped()) return;
    const auto keys = static_cast<unsigned>(piece.end - piece.begin);
    const TileView scores = memory_.take_scores().partitions(0, tile.rows).columns(0, keys);
    multiply_scores(scores, step, piece, tile);
    kernel_.reduce(
        work.maxima.partitions(0, tile.rows).columns(tile.index * memory_.pieces() + piece.number, 1), scores,
        AluOp::kMax);
    if (piece.last) move_row_max(piece.step);
  }

  void start(std::size_t number) {
    const FlashStep& step = steps_[number];
    Work& work = work_[number];
    if (step.opens) {
      work.group = std::make_shared<GroupState>();
      work.group->q = memory_.load_queries(step);
    } else {
      work.group = work_[number - 1].group;
    }
    if (!capped()) work.maxima = memory_.take_maxima();
  }

  void multiply_scores(const TileView& scores, const FlashStep& step, const FlashPiece& piece,
                       const FlashTile& tile) {
    const FlashBlock& block = memory_.block(step);
    const std::vector<TileView>& q = work_[piece.step].group->q;
    const auto column = static_cast<unsigned>(piece.begin - step.block * tiling_.block_keys());
    const unsigned keys = scores.shape.count.back();
    for (std::size_t part = 0; part < q.size(); ++part)
      kernel_.matmul(scores, q[part].columns(tile.first, tile.rows), block.k[part].columns(column, keys),
                     part > 0);
    memory_.added().add(scores, step, tile, piece.begin);
    for (unsigned at = 0; at < keys; at += tiling_.chunk) {
      const unsigned count = std::min(tiling_.chunk, keys - at);
      const Visibility v = visibility(shape_, step.query + tile.first, tile.rows, piece.begin + at,
                                      chunk_keys(piece.begin + at));
      if (!v.all) memory_.masks().hide(scores.columns(at, count), v.edges());
    }
  }

  std::vector<Run> runs_of(const FlashStep& step) const {
    std::vector<Run> runs;
    for (const FlashTile& tile : step.tiles) {
      const auto keys = static_cast<unsigned>(tile.key_end - tile.key_begin);
      const unsigned pieces = (keys + tiling_.score_keys - 1) / tiling_.score_keys;
      Run* last = runs.empty() ? nullptr : &runs.back();
      if (last != nullptr && last->rows == tile.rows && last->pieces == pieces && last->opens == tile.opens)
        ++last->count;
      else
        runs.push_back({tile.index, 1, tile.rows, pieces, tile.opens});
    }
    return runs;
  }

  // The running maximum, in bf16: any nearby value works if all use the same one. Earlier sums are scaled by
  // exp(scale (old - new)).
  void move_row_max(std::size_t number) {
    Work& work = work_[number];
    const TileView old = work.group->row_max;
    work.group->row_max = work.row_max = memory_.take_row_max();
    work.corrections = memory_.take_corrections();
    const TileView found = memory_.take_column();
    work.row_max_delta = memory_.take_column();
    for (const Run& run : runs_of(steps_[number])) {
      const TileView pieces =
          work.maxima.partitions(0, run.rows)
              .grid(run.first * memory_.pieces(), run.count, memory_.pieces(), run.pieces);
      const TileView& largest = run.opens ? work.row_max : found;
      kernel_.reduce(largest.partitions(0, run.rows).grid(run.first, run.count, 1, 1), pieces, AluOp::kMax);
      if (run.opens) continue;
      kernel_.tensor_tensor(of_run(run, work.row_max), of_run(run, found), of_run(run, old), AluOp::kMax);
      kernel_.tensor_tensor(of_run(run, work.row_max_delta), of_run(run, old), of_run(run, work.row_max),
                            AluOp::kSubtract);
    }
  }

  static TileView of_run(const Run& run, const TileView& columns) {
    return columns.partitions(0, run.rows).columns(run.first, run.count);
  }

  // The maxima of all tiles side by side, on one partition of every lane: a repeated column as stationary
  // operand, against the identity.
  void make_row(std::size_t number) {
    if (capped()) return;
    const FlashStep& step = steps_[number];
    Work& work = work_[number];
    const unsigned copies = memory_.lane_partitions();
    const TileView bank = memory_.take_scores().partitions(0, copies);
    work.row = memory_.take_maxima_row().partitions(0, copies);
    for (const FlashTile& tile : step.tiles)
      kernel_.matmul(bank.columns(tile.first, tile.rows),
                     work.row_max.partitions(0, tile.rows).columns(tile.index, 1).broadcast_columns(copies),
                     memory_.masks().identity(tile.rows), false);
    const unsigned first = step.tiles.front().first, end = step.tiles.back().first + step.tiles.back().rows;
    kernel_.copy(work.row.columns(first, end - first), bank.columns(first, end - first), Queue::kScalar);
    for (const Run& run : runs_of(step))
      if (!run.opens)
        kernel_.activation(of_run(run, work.corrections), of_run(run, work.row_max_delta), ActFn::kExp,
                           {scale_, nullptr});
  }

  // --- probabilities

  unsigned chunk_keys(std::uint64_t key) const {
    return static_cast<unsigned>(std::min<std::uint64_t>(tiling_.chunk, shape_.kv_len - key));
  }

  // The adjacent tiles of a step that see a chunk.
  std::vector<const FlashTile*> tiles_at(const FlashStep& step, std::uint64_t key) const {
    std::vector<const FlashTile*> tiles;
    for (const FlashTile& tile : step.tiles)
      if (tile.key_begin < key + tiling_.chunk && key < tile.key_end) tiles.push_back(&tile);
    return tiles;
  }

  // All rows of maxima come first, because their matmuls run side by side on different rows of the array.
  void add_exponentials(std::vector<Stage>& stages, std::size_t round, std::vector<TileView>& probabilities) {
    const FlashQuad& quad = order_.quads[round];
    stages.emplace_back([this, &quad] { subtract_maxima(quad); });
    for (std::uint64_t chunk = quad.begin; chunk < quad.end; ++chunk)
      stages.emplace_back(
          [this, &quad, &probabilities, chunk] { probabilities.push_back(exponentiate(quad, chunk)); });
    stages.insert(stages.begin() + 2, [this, round] {
      while (rows_ < order_.rounds[round].rows_end) make_row(rows_++);
    });
  }

  void subtract_maxima(const FlashQuad& quad) {
    const FlashStep& step = steps_[quad.step];
    transposed_.clear();
    unsigned lane = 0;
    for (std::uint64_t chunk = quad.begin; chunk < quad.end; ++chunk) {
      const std::uint64_t key = chunk * tiling_.chunk;
      const auto tiles = tiles_at(step, key);
      const unsigned first = tiles.front()->first, end = tiles.back()->first + tiles.back()->rows;
      const TileView scores =
          memory_.take_transposed().partitions(0, chunk_keys(key)).columns(first, end - first);
      const unsigned on = lane++ % tiling_.lanes;
      transposed_.push_back(scores);
      if (capped()) continue;
      kernel_.matmul(scores, memory_.minus_one(on, chunk_keys(key)),
                     FlashMemory::row_of_lane(work_[quad.step].row, on).columns(first, end - first), false);
    }
  }

  // [keys, queries] of exp(scale (score - maximum)).
  TileView exponentiate(const FlashQuad& quad, std::uint64_t chunk) {
    const FlashStep& step = steps_[quad.step];
    const FlashBlock& block = memory_.block(step);
    const std::uint64_t key = chunk * tiling_.chunk;
    const auto tiles = tiles_at(step, key);
    const unsigned first = tiles.front()->first, count = tiles.back()->first + tiles.back()->rows - first;
    const TileView& scores = transposed_[chunk - quad.begin];
    const auto column = static_cast<unsigned>(key - step.block * tiling_.block_keys());
    const std::vector<TileView>& q = work_[quad.step].group->q;
    for (std::size_t part = 0; part < q.size(); ++part)
      kernel_.matmul(scores, block.k[part].columns(column, chunk_keys(key)), q[part].columns(first, count),
                     part > 0 || !capped());
    const TileView all = memory_.take_probabilities().partitions(0, chunk_keys(key));
    if (capped()) {
      exponentiate_capped(all.columns(first, count), scores);
      for_edges(step, tiles, key, [&](const FlashTile& tile, const Visibility& v) {
        const TileView hidden = all.columns(tile.first, tile.rows);
        kernel_.tensor_tensor(hidden, hidden, memory_.masks().seen(v.edges(), chunk_keys(key), tile.rows),
                              AluOp::kMult);
      });
      return all;
    }
    for (const FlashTile* tile : tiles)
      memory_.added().add_transposed(scores.columns(tile->first - first, tile->rows), step, *tile, key);
    for_edges(step, tiles, key, [&](const FlashTile& tile, const Visibility& v) {
      memory_.masks().hide_transposed(scores.columns(tile.first - first, tile.rows), v.edges());
    });
    kernel_.activation(all.columns(first, count), scores, ActFn::kExp, {scale_, nullptr});
    return all;
  }

  void exponentiate_capped(const TileView& probabilities, const TileView& scores) {
    const TileView bounded =
        memory_.take_bounded().partitions(0, scores.shape.partitions).columns(0, scores.shape.count.back());
    kernel_.activation(bounded, scores, ActFn::kTanh, {scale_ / shape_.cap, nullptr});
    kernel_.activation(probabilities, bounded, ActFn::kExp, {shape_.cap, nullptr});
  }

  // The tiles that see only some keys of a chunk.
  template <class Body>
  void for_edges(const FlashStep& step, const std::vector<const FlashTile*>& tiles, std::uint64_t key,
                 const Body& body) const {
    for (const FlashTile* tile : tiles) {
      const Visibility v = visibility(shape_, step.query + tile->first, tile->rows, key, chunk_keys(key));
      if (!v.all) body(*tile, v);
    }
  }

  // --- products

  void add_products(std::vector<Stage>& stages, const FlashQuad& quad) {
    for (const FlashTile& tile : steps_[quad.step].tiles)
      stages.emplace_back([this, &quad, &tile] { multiply_values(quad, tile); });
  }

  void multiply_values(const FlashQuad& quad, const FlashTile& tile) {
    const FlashStep& step = steps_[quad.step];
    const FlashBlock& block = memory_.block(step);
    const TileView product = memory_.product(tile);
    const std::uint64_t tile_begin = tile.key_begin / tiling_.chunk,
                        tile_end = (tile.key_end + tiling_.chunk - 1) / tiling_.chunk;
    const unsigned columns = product.shape.count.back();
    for (std::uint64_t c = std::max(quad.begin, tile_begin); c < std::min(quad.end, tile_end); ++c) {
      const auto number = static_cast<unsigned>(c - step.block * tiling_.block_chunks);
      const unsigned keys = chunk_keys(c * tiling_.chunk);
      const TileView p = probabilities_[c - quad.begin].columns(tile.first, tile.rows);
      for (unsigned at = 0; at < columns; at += tiling_.d_columns) {
        const unsigned count = std::min(tiling_.d_columns, columns - at);
        kernel_.matmul(product.columns(at, count), p,
                       block.v.partitions(0, keys).columns(number * tiling_.value_pitch + at, count),
                       c > tile_begin);
      }
    }
    if (quad.begin < tile_end && tile_end <= quad.end) accumulate(quad.step, tile, product);
  }

  // Adds to the tile's output or starts it. The tile of the last block is divided by its sum and stored.
  void accumulate(std::size_t number, const FlashTile& tile, const TileView& product) {
    GroupState& group = *work_[number].group;
    if (tile.opens && tile.closes) return finish_tile(number, tile, product);
    if (!group.output) group.output = memory_.take_output();
    const TileView output = group.output->partitions(0, tile.rows)
                                .columns(tile.index * tiling_.value_pitch, product.shape.count.back());
    TileView correction;
    if (!capped()) correction = work_[number].corrections.partitions(0, tile.rows).columns(tile.index, 1);
    if (tile.opens)
      kernel_.copy(output, product);
    else if (capped())
      kernel_.tensor_tensor(output, output, product, AluOp::kAdd);
    else
      kernel_.scalar_tensor_tensor(output, output, AluOp::kMult, {0, &correction}, AluOp::kAdd, product);
    if (tile.closes) finish_tile(number, tile, output);
  }

  void finish_tile(std::size_t number, const FlashTile& tile, const TileView& numerator) {
    const auto d = static_cast<unsigned>(shape_.values());
    const TileView inverse = memory_.take_inverse().partitions(0, tile.rows),
                   result = memory_.take_result().partitions(0, tile.rows);
    kernel_.reciprocal(inverse, numerator.columns(d, 1));
    // GpSimd is otherwise idle, but cannot reach PSUM.
    const bool in_sbuf = numerator.tile.space == isa::Space::kSbuf;
    kernel_.tensor_scalar(result, numerator.columns(0, d), AluOp::kMult, {0, &inverse}, AluOp::kBypass, {},
                          in_sbuf ? Queue::kGpSimd : Queue::kVector);
    memory_.store(steps_[number], tile, result);
    if (lse_)
      lse_->record(steps_[number], tile,
                   work_[number].row_max.partitions(0, tile.rows).columns(tile.index, 1),
                   numerator.columns(d, 1));
  }

  FlashShape shape_;
  FlashTiling tiling_;
  std::vector<FlashStep> steps_;
  FlashOrder order_;
  Kernel& kernel_;
  FlashMemory memory_;
  float scale_;
  std::vector<Work> work_;  // per step
  std::size_t pieces_ = 0, rows_ = 0;
  std::optional<FlashLse> lse_;
  std::vector<TileView> transposed_;     // of this round's quad, per chunk
  std::vector<TileView> probabilities_;  // of the last round's
};

}  // namespace

void check_transposable(unsigned chunk, unsigned keys) {
  if (chunk % kTransposeRows == 0 && keys % kTransposeRows == 0) return;
  throw base::UserError(
      "E-ATT-006", "machine.chip.core.tensor",
      fmt::format("tiles of {} by {}; expected multiples of {}, to transpose queries and keys", chunk, keys,
                  kTransposeRows));
}

void emit_flash(Kernel& kernel, const model::MachineParams& machine, const FlashShape& shape,
                const FlashViews& views) {
  const FlashTiling tiling = tiling_of(machine, shape);
  if (shape.by_rows) check_transposable(tiling.chunk, tiling.score_keys);
  FlashBuilder(kernel, machine, shape, views).emit();
}

isa::Program build_flash_kernel(const FlashShape& shape, const model::MachineParams& machine) {
  Kernel kernel("flash_attention", machine);
  const auto argument = [&](const char* name, std::uint64_t rows, std::uint64_t columns) {
    return kernel.argument(name, shape.dtype, rows, columns);
  };
  FlashViews views;
  if (shape.by_rows) {
    const std::uint64_t columns = shape.heads * shape.d, kv_columns = shape.kv_heads() * shape.d;
    views.q = argument("q", transposed_load_rows(shape.q_len), columns);
    views.k = argument("k", transposed_load_rows(shape.kv_len), kv_columns);
    views.v = argument("v", shape.kv_len, kv_columns);
    views.o = argument("o", shape.q_len, columns);
  } else {
    views.q = argument("qt", shape.heads * shape.d, shape.q_len);
    views.k = argument("kt", shape.kv_heads() * shape.d, shape.kv_len);
    views.v = argument("v", shape.kv_heads() * shape.kv_len, shape.d);
    views.o = argument("o", shape.heads * shape.q_len, shape.d);
  }
  if (shape.lse) views.lse = kernel.argument("lse", isa::DType::kFp32, shape.heads, shape.q_len);
  emit_flash(kernel, machine, shape, views);
  return kernel.finish();
}

}  // namespace tahoma::workloads
