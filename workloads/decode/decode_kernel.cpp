// SPDX-License-Identifier: Apache-2.0
// Scores are transposed, [keys, heads of the group]: the cache is the array's stationary operand and the few
// queries stream, so that a chunk of 128 keys costs one weight load instead of 128 columns for 8 useful rows.
// The maximum and the sum over all keys that softmax needs are then over partitions. The array computes both,
// by transposing the partitions' maxima and by a product with ones, and writes them to every partition.
#include "workloads/decode/decode_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "model/base/error.h"
#include "workloads/decode/decode_batch.h"
#include "workloads/decode/decode_cache.h"
#include "workloads/decode/decode_lse.h"

namespace tahoma::workloads {

namespace {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

// Below any score, yet finite, for positions of a chunk without a key: exp makes it 0 for every maximum.
constexpr float kHidden = -1e30F;

constexpr std::uint64_t kMostDoubledRow = 32768;  // bytes of a batch's queries in a partition, in two copies

// [P, group] viewed as [P, group, 1].
TileView one_each(const TileView& columns) { return columns.grid(0, columns.shape.count[3], 1, 1); }

// The state of a sequence between blocks, the same in every partition: [chunk, group].
struct Sequence {
  std::uint64_t number = 0;       // over all heads
  std::vector<TileView> queries;  // [part of d, group]
  std::optional<TileView> row_max, sum;
  std::vector<TileView> output;  // [part of d, group]
};

struct Block {
  Sequence* sequence = nullptr;
  bool first = false, last = false;  // of its sequence
  unsigned chunks = 0;
  std::vector<DecodeCache::Loaded> pieces;
  TileView scores, probabilities;  // [chunk, group * chunks], a head's scores are adjacent
  TileView row_max;                // maximum so far
  std::optional<TileView> correction;
  TileView products;  // [chunk, (parts of d + 1) group]: outputs and sums of this block
};

class DecodeBuilder {
 public:
  DecodeBuilder(Kernel& kernel, const model::MachineParams& machine, const DecodeShape& shape,
                const DecodeViews& views)
      : shape_(shape),
        tiling_(decode_tiling(machine, shape)),
        kernel_(kernel),
        views_(views),
        cache_(kernel, shape, tiling_, views),
        group_(static_cast<unsigned>(shape.group)),
        values_(static_cast<unsigned>(shape.values())),
        parts_(static_cast<unsigned>(tiling_.parts.size())),
        score_scale_(shape.scale > 0 ? shape.scale
                                     : static_cast<float>(1 / std::sqrt(static_cast<double>(shape.d)))),
        scale_(shape.cap > 0 ? shape.cap : score_scale_),
        bank_(static_cast<unsigned>(machine.chip.core.psum.bank.count / isa::size_of(shape.dtype))) {
    make_pools();
    make_constants();
    cache_.make_pools(identity_);
    if (shape_.lse) lse_.emplace(kernel_, shape_, tiling_, scale_, views_.lse);
  }

  // The array receives the scores of a block before the outputs of the previous one, whose exponentials are
  // computed meanwhile.
  void emit() {
    for (std::uint64_t head = 0; head < shape_.kv_heads; ++head)
      for (std::uint64_t b = 0; b < shape_.lengths.size(); ++b) {
        begin_sequence(head * shape_.lengths.size() + b);
        const std::vector<DecodeBlock> blocks = decode_blocks(shape_, tiling_, shape_.lengths[b]);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
          Block block;
          block.sequence = &sequences_[(started_ - 1) % sequences_.size()];
          block.first = i == 0;
          block.last = i + 1 == blocks.size();
          block.chunks = blocks[i].chunks();
          for (const DecodePiece& piece : blocks[i].pieces)
            block.pieces.push_back(cache_.load(head, b, piece));
          advance(block);
        }
      }
    if (before_) finish_block(*before_);
  }

 private:
  void make_pools() {
    const unsigned chunk = tiling_.chunk, scores = group_ * tiling_.block_chunks,
                   row = row_columns(shape_, values_),
                   row_copies = row * isa::size_of(shape_.dtype) > kMostDoubledRow ? 1 : 2;
    const auto pool = [&](const char* name, DType dtype, unsigned columns, unsigned copies) {
      return kernel_.sbuf(name, dtype, columns, copies);
    };
    query_rows_ = pool("query rows", shape_.dtype, row, row_copies);
    if (shape_.d > values_)
      last_rows_ = pool("last query rows", shape_.dtype, row_columns(shape_, shape_.d - values_), row_copies);
    queries_ = pool("queries", shape_.dtype, chunk, 2 * parts_);
    if (shape_.cap > 0) bounded_ = pool("bounded scores", DType::kFp32, scores, 2);
    shifted_ = pool("shifted scores", DType::kFp32, scores, 2);
    probabilities_ = pool("probabilities", shape_.dtype, scores, 3);
    maxima_ = pool("maxima", DType::kFp32, group_, 3);
    diagonals_ = pool("diagonal", DType::kFp32, group_, 2);
    small_ = pool("columns of a block", DType::kFp32, group_, 16);  // up to 5 a block, alive for two blocks
    sums_ = pool("sums", DType::kFp32, group_, 2);
    outputs_ = pool("outputs", DType::kFp32, group_, 2 * tiling_.value_parts);
    results_ = pool("results", shape_.dtype, chunk, 2 * tiling_.value_parts);
    result_rows_ = pool("result rows", views_.o.dtype, row, row_copies);
    scores_psum_ = kernel_.psum("scores", DType::kFp32, scores, 2);
    products_psum_ = kernel_.psum("outputs and sums", DType::kFp32, (tiling_.value_parts + 1) * group_, 2);
    row_max_psum_ = kernel_.psum("maxima", DType::kFp32, chunk + group_, 1);
    transposed_psum_ = kernel_.psum("transposed", shape_.dtype, std::max(chunk, bank_), 1);
  }

  TileView constant(const char* name, DType dtype) {
    return kernel_.take(kernel_.sbuf(name, dtype, tiling_.chunk), tiling_.chunk, tiling_.chunk);
  }

  void make_constants() {
    ones_ = constant("ones", shape_.dtype);
    wide_ones_ = constant("fp32 ones", DType::kFp32);
    identity_ = constant("identity", shape_.dtype);
    wide_identity_ = constant("fp32 identity", DType::kFp32);
    kernel_.memset(ones_, 1.0F, Queue::kVector);
    kernel_.memset(wide_ones_, 1.0F, Queue::kVector);
    kernel_.affine_select(identity_, ones_, 0, 1, -1, isa::CompareOp::kEq, 0.0F);
    kernel_.affine_select(wide_identity_, wide_ones_, 0, 1, -1, isa::CompareOp::kEq, 0.0F);
  }

  void begin_sequence(std::uint64_t number) {
    const DecodeBatch batch = batch_of(shape_, tiling_, number);
    if (batch.place == 0) load_queries(batch);
    Sequence& sequence = sequences_[started_++ % sequences_.size()];
    sequence = {};
    sequence.number = number;
    for (const TileView& part : transposed_queries_)
      sequence.queries.push_back(of_sequence(shape_, batch, part));
  }

  void load_queries(const DecodeBatch& batch) {
    transposed_queries_.clear();
    transpose_queries(batch, query_rows_, views_.q, value_parts());
    if (shape_.d > values_)
      transpose_queries(batch, last_rows_, views_.q_last,
                        std::span(tiling_.parts).subspan(tiling_.value_parts));
  }

  // The parts of the elements of a head that a view has.
  void transpose_queries(const DecodeBatch& batch, Pool pool, const HbmView& view,
                         std::span<const Range> parts) {
    const auto first = static_cast<unsigned>(parts.front().first),
               features = static_cast<unsigned>(parts.back().end()) - first;
    const unsigned columns = batch.count * group_, rows = rows_of(shape_, batch);
    const TileView in = kernel_.take(pool, rows, row_columns(shape_, features));
    kernel_.load(in, rows_of(shape_, batch, view, features), cache_.other_queue());
    for (const Range& part : parts) {
      const TileView transposed = kernel_.take(transposed_psum_, part.count, columns);
      transposed_queries_.push_back(kernel_.take(queries_, part.count, columns));
      for (unsigned at = 0; at * rows < columns; ++at)
        kernel_.transpose(transposed.columns(at * rows, rows),
                          in.columns(at * features + first_of(part) - first, part.count),
                          identity_.partitions(0, rows).columns(0, rows));
      kernel_.copy(transposed_queries_.back(), transposed, Queue::kScalar);
    }
  }

  static unsigned first_of(const Range& part) { return static_cast<unsigned>(part.first); }

  void advance(Block& block) {
    multiply_queries(block);
    if (shape_.cap > 0) bound_scores(block);
    if (before_) multiply_values(*before_);
    find_row_max(block);
    if (before_) combine(*before_);
    exponentiate(block);
    before_ = block;
  }

  void finish_block(Block& block) {
    multiply_values(block);
    combine(block);
  }

  // Returns the position of a chunk in the scores and probabilities: [keys, group].
  TileView of_chunk(const TileView& all, const Block& block, unsigned chunk) const {
    return all.every(chunk, block.chunks);
  }

  template <class Use>  // use(piece, chunk of the piece, chunk of the block)
  void for_each_chunk(const Block& block, Use&& use) {
    unsigned at = 0;
    for (const DecodeCache::Loaded& piece : block.pieces)
      for (unsigned c = 0; c < piece.piece.depth; ++c) use(piece, c, at++);
  }

  // Every partition has a key in every chunk.
  bool is_full(const Block& block) const {
    return std::all_of(block.pieces.begin(), block.pieces.end(), [&](const DecodeCache::Loaded& loaded) {
      return loaded.piece.rows == tiling_.chunk && loaded.piece.whole == loaded.piece.depth;
    });
  }

  // Keys of a piece are transposed while those of the previous one are multiplied by the queries.
  void multiply_queries(Block& block) {
    block.scores = kernel_.take(scores_psum_, tiling_.chunk, group_ * block.chunks);
    if (!is_full(block) && shape_.cap == 0) kernel_.memset(block.scores, kHidden);
    unsigned at = 0;
    for (std::size_t i = 0; i <= block.pieces.size(); ++i) {
      if (i < block.pieces.size()) cache_.transpose_keys(block.pieces[i]);
      if (i == 0) continue;
      const DecodeCache::Loaded& piece = block.pieces[i - 1];
      for (unsigned c = 0; c < piece.piece.depth; ++c) {
        const TileView scores = of_chunk(block.scores, block, at++).partitions(0, piece.piece.keys(c));
        for (unsigned part = 0; part < parts_; ++part)
          kernel_.matmul(scores, cache_.keys(piece, c, part), block.sequence->queries[part], part > 0);
      }
    }
  }

  // tanh(scale score / cap) in SBUF takes the place of the scores.
  void bound_scores(Block& block) {
    const TileView bounded = kernel_.take(bounded_, tiling_.chunk, group_ * block.chunks);
    const isa::ActFn tanh = ActFn::kTanh;
    const float scale = score_scale_ / shape_.cap;
    if (is_full(block)) {
      kernel_.activation(bounded, block.scores, tanh, {scale, nullptr});
    } else {
      kernel_.memset(bounded, kHidden);
      for_each_chunk(block, [&](const DecodeCache::Loaded& piece, unsigned c, unsigned at) {
        const auto part = [&](const TileView& all) {
          return of_chunk(all, block, at).partitions(0, piece.piece.keys(c));
        };
        kernel_.activation(part(bounded), part(block.scores), tanh, {scale, nullptr});
      });
    }
    block.scores = bounded;
  }

  // Maximum of each partition, then over partitions, then broadcast to all of them.
  void find_row_max(Block& block) {
    const unsigned chunk = tiling_.chunk;
    const TileView own = kernel_.take(maxima_, chunk, group_),
                   psum = kernel_.take(row_max_psum_, chunk, chunk + group_),
                   transposed = psum.partitions(0, group_).columns(0, chunk),
                   spread = psum.columns(chunk, group_), over_all = kernel_.take(small_, group_, 1),
                   diagonal = kernel_.take(diagonals_, group_, group_);
    kernel_.reduce(one_each(own), by_head(block.scores, block), AluOp::kMax);
    kernel_.transpose(transposed, own, wide_identity_);
    kernel_.reduce(over_all, transposed, AluOp::kMax);
    kernel_.tensor_scalar(diagonal, wide_identity_.partitions(0, group_).columns(0, group_), AluOp::kMult,
                          {0, &over_all});
    kernel_.matmul(spread, wide_ones_.partitions(0, group_), diagonal, false);
    block.row_max = kernel_.take(small_, chunk, group_);
    std::optional<TileView>& held = block.sequence->row_max;
    if (held) {
      kernel_.tensor_tensor(block.row_max, *held, spread, AluOp::kMax);
      const TileView row_max_delta = kernel_.take(small_, chunk, group_);
      block.correction = kernel_.take(small_, chunk, group_);
      kernel_.tensor_tensor(row_max_delta, *held, block.row_max, AluOp::kSubtract);
      kernel_.activation(*block.correction, row_max_delta, ActFn::kExp, {scale_, nullptr});
    } else {
      kernel_.copy(block.row_max, spread);
    }
    held = block.row_max;
  }

  TileView by_head(const TileView& scores, const Block& block) const {
    return scores.grid(0, group_, block.chunks, block.chunks);
  }

  void exponentiate(Block& block) {
    const TileView shifted = kernel_.take(shifted_, tiling_.chunk, group_ * block.chunks);
    kernel_.tensor_tensor(by_head(shifted, block), by_head(block.scores, block),
                          one_each(block.row_max).broadcast_columns(block.chunks), AluOp::kSubtract);
    block.probabilities = kernel_.take(probabilities_, tiling_.chunk, group_ * block.chunks);
    kernel_.activation(block.probabilities, shifted, ActFn::kExp, {scale_, nullptr});
  }

  void multiply_values(Block& block) {
    block.products = kernel_.take(products_psum_, tiling_.chunk, (tiling_.value_parts + 1) * group_);
    const std::vector<TileView> output = outputs_of(block);
    for_each_chunk(block, [&](const DecodeCache::Loaded& piece, unsigned c, unsigned at) {
      for (unsigned part = 0; part < tiling_.value_parts; ++part)
        kernel_.matmul(output[part], cache_.values(piece, c, part),
                       of_chunk(block.probabilities, block, at).partitions(0, piece.piece.keys(c)), at > 0);
    });
    for (unsigned at = 0; at < block.chunks; ++at)
      kernel_.matmul(sums_of(block), ones_, of_chunk(block.probabilities, block, at), at > 0);
  }

  std::vector<TileView> outputs_of(const Block& block) const {
    std::vector<TileView> outputs;
    for (const Range& part : value_parts())
      outputs.push_back(block.products.partitions(0, part.count)
                            .columns(static_cast<unsigned>(outputs.size()) * group_, group_));
    return outputs;
  }

  TileView sums_of(const Block& block) const {
    return block.products.columns(tiling_.value_parts * group_, group_);
  }

  std::span<const Range> value_parts() const { return std::span(tiling_.parts).first(tiling_.value_parts); }

  // Sum and output so far, rescaled to the new maximum.
  void combine(Block& block) {
    Sequence& sequence = *block.sequence;
    const std::vector<TileView> output = outputs_of(block);
    const TileView sum = sums_of(block);
    if (block.first && block.last) return finish_sequence(sequence, output, sum);
    if (block.first) {
      sequence.sum = kernel_.take(sums_, tiling_.chunk, group_);
      for (const Range& part : value_parts())
        sequence.output.push_back(kernel_.take(outputs_, part.count, group_));
      kernel_.copy(*sequence.sum, sum);
      for (unsigned part = 0; part < tiling_.value_parts; ++part)
        kernel_.copy(sequence.output[part], output[part]);
      return;
    }
    const auto move = [&](const TileView& held, const TileView& more) {
      kernel_.tensor_tensor(held, held, block.correction->partitions(0, held.shape.partitions), AluOp::kMult);
      kernel_.tensor_tensor(held, held, more, AluOp::kAdd);
    };
    move(*sequence.sum, sum);
    for (unsigned part = 0; part < tiling_.value_parts; ++part) move(sequence.output[part], output[part]);
    if (block.last) finish_sequence(sequence, sequence.output, *sequence.sum);
  }

  // Outputs are collected side by side, [d, heads], and transposed together, one PSUM bank at a time.
  void finish_sequence(const Sequence& sequence, const std::vector<TileView>& output, const TileView& sum) {
    const DecodeBatch batch = batch_of(shape_, tiling_, sequence.number);
    const unsigned columns = batch.count * group_;
    if (batch.place == 0) {
      result_.clear();
      for (const Range& part : value_parts()) result_.push_back(kernel_.take(results_, part.count, columns));
    }
    if (lse_) lse_->record(batch, *sequence.row_max, sum);
    const unsigned most = tiling_.parts.front().count;
    const TileView inverse = kernel_.take(small_, most, group_);
    kernel_.reciprocal(inverse, sum.partitions(0, most));
    for (unsigned part = 0; part < tiling_.value_parts; ++part)
      kernel_.tensor_tensor(of_sequence(shape_, batch, result_[part]), output[part],
                            inverse.partitions(0, tiling_.parts[part].count), AluOp::kMult);
    if (batch.place + 1 == batch.count) store_results(batch);
  }

  void store_results(const DecodeBatch& batch) {
    const unsigned rows = rows_of(shape_, batch);
    const unsigned columns = row_columns(shape_, values_);
    const TileView out = kernel_.take(result_rows_, rows, columns);
    const unsigned slices = columns / values_, in_bank = std::max(1U, bank_ / values_);
    for (unsigned first = 0; first < slices; first += in_bank) {
      const unsigned count = std::min(in_bank, slices - first);
      const TileView transposed = kernel_.take(transposed_psum_, rows, count * values_);
      for (unsigned s = 0; s < count; ++s)
        for (unsigned part = 0; part < tiling_.value_parts; ++part) {
          const unsigned features = tiling_.parts[part].count;
          kernel_.transpose(transposed.columns(s * values_ + first_of(tiling_.parts[part]), features),
                            result_[part].columns((first + s) * rows, rows),
                            identity_.partitions(0, features).columns(0, features));
        }
      kernel_.copy(out.columns(first * values_, count * values_), transposed);
    }
    kernel_.store(rows_of(shape_, batch, views_.o, values_), out, cache_.other_queue());
  }

  DecodeShape shape_;
  DecodeTiling tiling_;
  Kernel& kernel_;
  DecodeViews views_;
  DecodeCache cache_;
  unsigned group_, values_, parts_;  // elements of a value, and parts of a key
  float score_scale_, scale_;        // of the scores, and of what exp takes
  unsigned bank_;                    // elements of a PSUM bank
  Pool query_rows_, last_rows_, queries_, bounded_, shifted_, probabilities_, maxima_, diagonals_, small_,
      sums_, outputs_, results_, result_rows_, scores_psum_, products_psum_, row_max_psum_, transposed_psum_;
  TileView ones_, wide_ones_, identity_, wide_identity_;
  std::vector<TileView> transposed_queries_, result_;  // of a batch, per part of d
  std::array<Sequence, 3> sequences_;
  std::uint64_t started_ = 0;
  std::optional<Block> before_;
  std::optional<DecodeLse> lse_;
};

}  // namespace

void emit_decode(Kernel& kernel, const model::MachineParams& machine, const DecodeShape& shape,
                 const DecodeViews& views) {
  DecodeBuilder(kernel, machine, shape, views).emit();
}

isa::Program decode_program(const model::MachineParams& machine, const DecodeShape& shape) {
  Kernel kernel("decode_attention", machine);
  const std::uint64_t sequences = shape.lengths.size(), heads = shape.kv_heads * shape.group;
  const auto argument = [&](const char* name, std::uint64_t rows, std::uint64_t columns) {
    return kernel.argument(name, shape.dtype, rows, columns);
  };
  const auto rows = [&](const char* name, std::uint64_t elements) {
    return shape.by_rows ? argument(name, sequences, heads * elements)
                         : argument(name, heads * sequences, elements);
  };
  DecodeViews views;
  views.q = rows("q", shape.d);
  if (shape.latent > 0) {
    TAHOMA_INVARIANT(!shape.by_rows, "a program of its own has a row for each query");
    views.q_last = views.q.window(0, shape.latent, views.q.rows, shape.d - shape.latent);
    views.q = views.q.window(0, 0, views.q.rows, shape.latent);
  }
  if (shape.latent > 0 && shape.page == 0) {
    views.k = argument("k", shape.kv_heads * sequences * shape.capacity, shape.d);
  } else if (shape.page == 0) {
    views.k = argument("k", shape.kv_heads * sequences * shape.d, shape.capacity);
    views.v = argument("v", shape.kv_heads * sequences * shape.capacity, shape.d);
  } else {
    views.k = argument("k", shape.kv_heads * shape.pages, shape.page * shape.d);
    if (shape.latent == 0) views.v = argument("v", shape.kv_heads * shape.pages, shape.page * shape.d);
    views.table = kernel.argument("table", DType::kInt32, sequences, shape.pages_per_sequence());
    kernel.control(views.table);
  }
  views.o = rows("o", shape.values());
  emit_decode(kernel, machine, shape, views);
  return kernel.finish();
}

}  // namespace tahoma::workloads
