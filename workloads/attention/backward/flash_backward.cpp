// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/backward/flash_backward.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "workloads/attention/backward/flash_backward_exchange.h"
#include "workloads/attention/backward/flash_backward_memory.h"
#include "workloads/attention/flash_schedule.h"

namespace tahoma::workloads {

namespace {

using isa::ActFn, isa::AluOp, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::TileView;

constexpr Queue kBackwardStores =
    Queue::kGpSimd;  // so that loads never wait behind a store that waits for its tile

// A unit in the stages of the pipeline. Columns of p, ds and transposed begin with the unit's first chunk.
struct BackwardWork {
  const BackwardSegment* segment = nullptr;
  const BackwardBlock* block = nullptr;
  const BackwardUnit* unit = nullptr;
  bool last_of_block = false;
  BackwardKeys keys;
  BackwardQueries queries;
  TileView p, ds;                    // [queries, keys]
  std::vector<TileView> transposed;  // dS per chunk: [keys, queries]
};

class BackwardBuilder {
 public:
  BackwardBuilder(Kernel& kernel, const model::MachineParams& machine, const FlashShape& shape,
                  const FlashBackwardViews& views)
      : kernel_(kernel),
        shape_(shape),
        tiling_(backward_tiling_of(machine, shape)),
        segments_(backward_segments(shape, tiling_)),
        memory_(kernel_, shape, tiling_, views),
        scale_(static_cast<float>(1 / std::sqrt(static_cast<double>(shape.d)))) {
    if (shape.parts > 1) exchange_.emplace(kernel_, shape);
  }

  // A software pipeline of three stages: the array computes a unit's products while the scalar and the vector
  // engine compute the probabilities of the next unit.
  void emit() {
    for (const BackwardSegment& segment : segments_) {
      memory_.open_segment(segment);
      for (const BackwardBlock& block : segment.blocks) {
        if (block.units.empty()) {
          drain();
          started_.fill(false);
          finish_block(block);
          continue;
        }
        const BackwardKeys keys = memory_.load_keys(block);
        for (const BackwardUnit& unit : block.units) {
          BackwardWork work;
          work.segment = &segment;
          work.block = &block;
          work.unit = &unit;
          work.last_of_block = &unit == &block.units.back();
          work.keys = keys;
          push(std::move(work));
        }
      }
      drain();
      if (exchange_) store_unseen(segment);
    }
    if (exchange_) add_up();
  }

 private:
  // One round: the scores of the new unit, the products of the previous one, dQ of the one before that.
  void push(BackwardWork work) {
    make_scores(work);
    if (second_.unit != nullptr) multiply_keys(second_);
    if (third_.unit != nullptr) multiply_queries(third_);
    third_ = std::exchange(second_, std::move(work));
  }

  void drain() {
    if (second_.unit != nullptr) multiply_keys(second_);
    if (third_.unit != nullptr) multiply_queries(third_);
    if (second_.unit != nullptr) multiply_queries(second_);
    second_ = third_ = BackwardWork{};
  }

  unsigned chunk_keys(std::uint64_t chunk) const {
    return static_cast<unsigned>(
        std::min<std::uint64_t>(tiling_.chunk, shape_.kv_len - chunk * tiling_.chunk));
  }
  // Returns the number of a chunk in its block.
  unsigned number_of(std::uint64_t chunk) const {
    return static_cast<unsigned>(chunk % tiling_.block_chunks);
  }
  // Returns the columns of a chunk in the unit's tiles.
  TileView of_chunk(const BackwardWork& work, const TileView& all, std::uint64_t chunk) const {
    return all.columns(static_cast<unsigned>(chunk - work.unit->begin) * tiling_.chunk, chunk_keys(chunk));
  }

  // dst += stationary^T moving, d columns of it.
  void multiply(const TileView& dst, const TileView& stationary, const TileView& moving, bool accumulate) {
    const unsigned columns = moving.shape.count.back();
    for (unsigned at = 0; at < columns; at += tiling_.d_columns) {
      const unsigned count = std::min(tiling_.d_columns, columns - at);
      kernel_.matmul(dst.columns(at, count), stationary, moving.columns(at, count), accumulate);
    }
  }

  // P = exp(scale Q K^T - LSE) and dS = (dO V^T - D) o P.
  void make_scores(BackwardWork& work) {
    work.queries = memory_.queries(*work.segment, *work.unit);
    const BackwardUnit& unit = *work.unit;
    const unsigned rows = work.segment->tiles[unit.tile].rows;
    const unsigned keys =
        static_cast<unsigned>(unit.end - unit.begin - 1) * tiling_.chunk + chunk_keys(unit.end - 1);
    const unsigned column = number_of(unit.begin) * tiling_.chunk;
    const auto cut = [&](const TileView& v) { return v.partitions(0, rows).columns(0, keys); };
    const TileView scores = cut(memory_.take_scores()), dp = cut(memory_.take_dp());
    for (std::size_t part = 0; part < work.queries.qt.size(); ++part)
      kernel_.matmul(scores, work.queries.qt[part], work.keys.kt[part].columns(column, keys), part > 0);
    hide(work, scores);
    for (std::size_t part = 0; part < work.queries.dot.size(); ++part)
      kernel_.matmul(dp, work.queries.dot[part], work.keys.vt[part].columns(column, keys), part > 0);
    work.p = cut(memory_.take_p());
    work.ds = cut(memory_.take_ds());
    kernel_.activation(work.p, scores, ActFn::kExp, {scale_, nullptr}, {0, &work.queries.negated_lse});
    kernel_.scalar_tensor_tensor(work.ds, dp, AluOp::kSubtract, {0, &work.queries.delta}, AluOp::kMult,
                                 work.p);
  }

  void hide(const BackwardWork& work, const TileView& scores) {
    const BackwardTile& tile = work.segment->tiles[work.unit->tile];
    for (std::uint64_t chunk = work.unit->begin; chunk < work.unit->end; ++chunk) {
      const Visibility v =
          visibility(shape_, tile.query, tile.rows, chunk * tiling_.chunk, chunk_keys(chunk));
      if (!v.all) memory_.masks().hide(of_chunk(work, scores, chunk), v.edges());
    }
  }

  // dV += P^T dO, dK += dS^T Q, and dS is transposed for the product with K: one load of a chunk of dS as
  // stationary operand serves both.
  void multiply_keys(BackwardWork& work) {
    const BackwardUnit& unit = *work.unit;
    const unsigned rows = work.segment->tiles[unit.tile].rows;
    for (std::uint64_t chunk = unit.begin; chunk < unit.end; ++chunk)
      multiply(memory_.dv_psum(number_of(chunk), chunk_keys(chunk)), of_chunk(work, work.p, chunk),
               work.queries.d_o, started_[number_of(chunk)]);
    const TileView transposed = memory_.take_transposed_psum(), copy = memory_.take_transposed();
    unsigned whole = 0;  // chunks of full length are copied together, a shorter last one separately
    for (std::uint64_t chunk = unit.begin; chunk < unit.end; ++chunk) {
      const TileView ds = of_chunk(work, work.ds, chunk);
      const auto place = [&](const TileView& all) {
        return all.partitions(0, chunk_keys(chunk))
            .columns(static_cast<unsigned>(chunk - unit.begin) * rows, rows);
      };
      kernel_.transpose(place(transposed), ds, memory_.identity(rows));
      multiply(memory_.dk_psum(number_of(chunk), chunk_keys(chunk)), ds, work.queries.q,
               started_[number_of(chunk)]);
      started_[number_of(chunk)] = true;
      work.transposed.push_back(place(copy));
      if (chunk_keys(chunk) == tiling_.chunk) ++whole;
    }
    if (whole > 0)
      kernel_.copy(copy.columns(0, whole * rows), transposed.columns(0, whole * rows), Queue::kScalar);
    if (whole < work.transposed.size()) {
      const TileView& last = work.transposed.back();
      kernel_.copy(last, transposed.partitions(0, last.shape.partitions).columns(whole * rows, rows),
                   Queue::kScalar);
    }
    if (!work.last_of_block) return;
    finish_block(*work.block);
    started_.fill(false);
  }

  // dQ += dS K; the last block of a tile scales and stores it.
  void multiply_queries(const BackwardWork& work) {
    const BackwardUnit& unit = *work.unit;
    const BackwardTile& tile = work.segment->tiles[unit.tile];
    const TileView product = memory_.take_dq_psum().partitions(0, tile.rows),
                   sum = memory_.dq(unit.tile, tile.rows);
    for (std::uint64_t chunk = unit.begin; chunk < unit.end; ++chunk)
      multiply(product, work.transposed[chunk - unit.begin], work.keys.k[number_of(chunk)],
               chunk > unit.begin);
    if (unit.opens)
      kernel_.copy(sum, product);
    else
      kernel_.tensor_tensor(sum, sum, product, AluOp::kAdd);
    if (!unit.closes) return;
    if (!exchange_) return finish_tile(tile, sum);
    hand_over(*work.segment, unit.tile);
  }

  void finish_tile(const BackwardTile& tile, const TileView& sum) {
    const TileView result = memory_.take_result().partitions(0, tile.rows);
    kernel_.tensor_scalar(result, sum, AluOp::kMult, {scale_, nullptr}, AluOp::kBypass, {}, Queue::kGpSimd);
    kernel_.store(memory_.dq_window(tile), result, kBackwardStores);
  }

  // Stores sums that the other core completes, and sums that make room for those of the next segment.
  void hand_over(const BackwardSegment& segment, std::size_t tile) {
    if (segments_.size() > 1 || !exchange_->owns(segment, tile))
      exchange_->store(segment.tiles[tile], memory_.dq(tile, segment.tiles[tile].rows));
  }

  // Tiles that see none of this core's keys have sums of zero.
  void store_unseen(const BackwardSegment& segment) {
    std::vector<bool> seen(segment.tiles.size());
    for (const BackwardBlock& block : segment.blocks)
      for (const BackwardUnit& unit : block.units) seen[unit.tile] = true;
    for (std::size_t t = 0; t < seen.size(); ++t) {
      if (seen[t]) continue;
      kernel_.memset(memory_.dq(t, segment.tiles[t].rows), 0.0F);
      hand_over(segment, t);
    }
  }

  // Adds the other core's sums of dQ to this one's.
  void add_up() {
    exchange_->swap(segments_);
    for (const BackwardSegment& segment : segments_) {
      const auto [first, end] = exchange_->own_tiles(segment);
      for (std::size_t t = first; t < end; ++t) {
        const BackwardTile& tile = segment.tiles[t];
        const auto take = [&] { return memory_.take_sum().partitions(0, tile.rows); };
        const TileView sum = segments_.size() > 1 ? take() : memory_.dq(t, tile.rows), other = take();
        if (segments_.size() > 1) exchange_->load_own(sum, tile);
        exchange_->load_other(other, tile);
        kernel_.tensor_tensor(sum, sum, other, AluOp::kAdd);
        finish_tile(tile, sum);
      }
    }
  }

  // Moves dK and dV of a block out of PSUM: as results, or as sums between segments.
  void finish_block(const BackwardBlock& block) {
    const FlashBackwardViews& views = memory_.views();
    for (unsigned at = 0, c = 0; at < block.keys; at += tiling_.chunk, ++c) {
      const unsigned keys = std::min(tiling_.chunk, block.keys - at);
      finish_chunk(block, c, memory_.dv_psum(c, keys), 1, views.dv, views.dv_sum);
      finish_chunk(block, c, memory_.dk_psum(c, keys), scale_, views.dk, views.dk_sum);
    }
  }

  void finish_chunk(const BackwardBlock& block, unsigned chunk, const TileView& product, float scale,
                    const HbmView& results, const HbmView& sums) {
    TileView sum = product;
    const unsigned keys = product.shape.partitions;
    if (block.adds) {
      const TileView before = memory_.take_sum().partitions(0, keys);
      kernel_.load(before, memory_.key_window(sums, block, chunk));
      if (started_[chunk]) kernel_.tensor_tensor(before, before, product, AluOp::kAdd);
      sum = before;
    } else if (!started_[chunk]) {  // keys that no query sees
      sum = memory_.take_sum().partitions(0, keys);
      kernel_.memset(sum, 0.0F);
    }
    if (block.leaves) {
      if (sum.tile.space == isa::Space::kPsum) {
        sum = memory_.take_sum().partitions(0, keys);
        kernel_.copy(sum, product);
      }
      kernel_.store(memory_.key_window(sums, block, chunk), sum, kBackwardStores);
      return;
    }
    const TileView result = memory_.take_result().partitions(0, keys);
    kernel_.tensor_scalar(result, sum, AluOp::kMult, {scale, nullptr});
    kernel_.store(memory_.key_window(results, block, chunk), result, kBackwardStores);
  }

  Kernel& kernel_;
  FlashShape shape_;
  BackwardTiling tiling_;
  std::vector<BackwardSegment> segments_;
  BackwardMemory memory_;
  float scale_;
  std::optional<BackwardExchange> exchange_;
  BackwardWork second_, third_;
  std::array<bool, 4> started_{};  // chunks of the block that have sums in PSUM
};

// The arguments, in the order of build_flash_backward.
FlashBackwardViews arguments_of(Kernel& kernel, const FlashShape& s, const BackwardTiling& tiling) {
  constexpr isa::DType kFp32 = isa::DType::kFp32;
  const std::uint64_t queries = s.heads * s.q_len, keys = s.kv_heads() * s.kv_len;
  FlashBackwardViews views;
  views.qt = kernel.argument("qt", s.dtype, s.heads * s.d, s.q_len);
  views.q = kernel.argument("q", s.dtype, queries, s.d);
  views.kt = kernel.argument("kt", s.dtype, s.kv_heads() * s.d, s.kv_len);
  views.k = kernel.argument("k", s.dtype, keys, s.d);
  views.vt = kernel.argument("vt", s.dtype, s.kv_heads() * s.d, s.kv_len);
  views.dot = kernel.argument("dot", s.dtype, s.heads * s.d, s.q_len);
  views.d_o = kernel.argument("do", s.dtype, queries, s.d);
  views.lse = kernel.argument("lse", kFp32, s.heads, s.q_len);
  views.delta = kernel.argument("delta", kFp32, s.heads, s.q_len);
  views.dq = kernel.argument("dq", s.dtype, queries, s.d);
  views.dk = kernel.argument("dk", s.dtype, keys, s.d);
  views.dv = kernel.argument("dv", s.dtype, keys, s.d);
  if (!in_segments(s, tiling)) return views;
  views.dk_sum = kernel.argument("dk_sum", kFp32, keys, s.d);
  views.dv_sum = kernel.argument("dv_sum", kFp32, keys, s.d);
  return views;
}

}  // namespace

void emit_flash_backward(Kernel& kernel, const model::MachineParams& machine, const FlashShape& shape,
                         const FlashBackwardViews& views) {
  TAHOMA_INVARIANT(!shape.by_rows || shape.parts == 1,
                   "token-major tensors need a core that shares no heads");
  if (shape.by_rows) {
    const unsigned chunk = backward_tiling_of(machine, shape).chunk;
    check_transposable(chunk, chunk);
  }
  BackwardBuilder(kernel, machine, shape, views).emit();
}

isa::Program build_flash_backward(const FlashShape& shape, const model::MachineParams& machine) {
  TAHOMA_INVARIANT(!shape.by_rows, "token-major tensors are only supported as part of a larger kernel");
  Kernel kernel("flash_attention_backward", machine);
  emit_flash_backward(kernel, machine, shape,
                      arguments_of(kernel, shape, backward_tiling_of(machine, shape)));
  return kernel.finish();
}

}  // namespace tahoma::workloads
