// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "workloads/common/ranges.h"
#include "workloads/delta/chunk_parts.h"
#include "workloads/delta/scan_kernel.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::CompareOp, isa::DType;
using runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr unsigned kScanChunk = 128;

class ScanChunks : ChunkParts {
 public:
  ScanChunks(Kernel& kernel, const DeltaHeads& heads, float epsilon, const DeltaViews& views, unsigned bank)
      : ChunkParts(kernel, heads, views, epsilon, kScanChunk),
        key_parts_(narrow(heads.key_parts())),
        group_(narrow(heads.group_values())),
        together_(std::min(group_, bank / width_ * width_)) {
    const auto pool = [&](const char* name, DType dtype, unsigned columns, unsigned copies) {
      return kernel.sbuf(name, dtype, columns, copies);
    };
    states_ = pool("states", DType::kFp32, narrow(heads.values()), key_parts_);
    before_ = pool("states before", DType::kBf16, together_, 2 * key_parts_);
    masks_ = pool("shares", DType::kBf16, kScanChunk, 4);
    outputs_ = pool("values read", DType::kFp32, group_, 2);
    values_ = pool("weighted values", DType::kBf16, together_, 4);
    totals_ = pool("decays of chunks", DType::kFp32, narrow(heads.value_heads), 2);
    square_psum_ = kernel.psum("squares", DType::kFp32, kScanChunk, 2);
    wide_psum_ = kernel.psum("products", DType::kFp32, std::max(together_, narrow(heads.value_heads)), 4);
  }

  void emit(std::uint64_t sequences, std::uint64_t tokens) {
    for (std::uint64_t s = 0; s < sequences; ++s) {
      state_.clear();
      for (unsigned p = 0; p < key_parts_; ++p) {
        state_.push_back(kernel_.take(states_, d_, narrow(heads_.values())));
        kernel_.memset(state_.back(), 0);
      }
      for (const Range& rows : cut(all_of(tokens), kScanChunk))
        chunk(s * tokens + rows.first, static_cast<unsigned>(rows.count));
      for (std::uint64_t g = 0; g < heads_.key_heads; ++g)
        for (unsigned p = 0; p < key_parts_; ++p)
          kernel_.store(
              views_.states.window((s * heads_.key_heads + g) * heads_.key_dim + p * d_, 0, d_, group_),
              state_[p].columns(narrow(g) * group_, group_), isa::Queue::kGpSimd);
    }
  }

 private:
  // Of the tokens of a chunk, [rows, value_heads]; `left`: of a state at the end of the chunk.
  struct Factors {
    TileView rate, sum, minus_sum, decay, left, whole;  // whole: [128, value_heads], of the chunk
  };
  // Of a head of queries and keys: parts of the features.
  struct Keys {
    std::vector<TileView> k, q_turned;
    TileView with_queries;  // products of all pairs of tokens, [j, i]
  };

  Factors factors_of(const DeltaParts::Tokens& tokens) {
    const unsigned count = narrow(heads_.value_heads);
    Factors f;
    f.rate = tokens.rate;
    f.sum = scaled(sums(tokens.decay, wide_psum_), ActFn::kCopy, 1);
    f.minus_sum = scaled(f.sum, ActFn::kCopy, -1);
    f.decay = scaled(f.sum, ActFn::kExp, 1);
    // Every row of this product is the sum of all tokens.
    const TileView total = kernel_.take(wide_psum_, parts_.ones().shape.count[isa::kFreeDims - 1], count);
    kernel_.matmul(total,
                   runtime::Stationary(parts_.ones().partitions(0, n_), isa::MatmulMode::kOneZeroStationary),
                   tokens.decay, false);
    f.whole = kernel_.take(totals_, total.shape.partitions, count);
    kernel_.activation(f.whole, total, ActFn::kExp);
    f.left = take(factors_, count);
    kernel_.tensor_tensor(f.left, total.partitions(0, n_), f.sum, AluOp::kSubtract);
    kernel_.activation(f.left, f.left, ActFn::kExp);
    return f;
  }

  Keys keys_of(const DeltaParts::Tokens& tokens, std::uint64_t head) {
    const TileView q = tokens.query(heads_, head), k = tokens.key(heads_, head);
    Keys keys;
    const TileView made = square(square_psum_);
    for (unsigned p = 0; p < key_parts_; ++p) {
      keys.k.push_back(k.columns(p * d_, d_));
      keys.q_turned.push_back(turned(q.columns(p * d_, d_)));
      kernel_.matmul(made, turned(keys.k.back()), keys.q_turned.back(), p > 0);
    }
    keys.with_queries = copied(scores_, made);
    return keys;
  }

  void chunk(std::uint64_t first, unsigned rows) {
    n_ = rows;
    const DeltaParts::Tokens tokens = parts_.load(first, rows);
    const Factors factors = factors_of(tokens);
    const TileView out = parts_.output(rows);
    for (std::uint64_t g = 0; g < heads_.key_heads; ++g) {
      const Keys keys = keys_of(tokens, g);
      const TileView o = take(outputs_, group_);
      const auto begin = narrow(g) * group_;
      for (const Range& columns : cut(all_of(group_), together_))
        read_and_write(tokens, factors, keys, begin + narrow(columns.first), columns.count,
                       o.columns(narrow(columns.first), columns.count));
      parts_.finish(o, tokens, begin, out);
    }
    parts_.store(out, first);
  }

  // The values of some heads that share keys, from column `first` on: o, and the states behind the chunk.
  void read_and_write(const DeltaParts::Tokens& tokens, const Factors& factors, const Keys& keys,
                      unsigned first, unsigned columns, const TileView& o) {
    const TileView of_state = take(wide_psum_, columns), of_tokens = take(wide_psum_, columns),
                   change = take(values_, columns), kept = take(values_, columns);
    for (unsigned p = 0; p < key_parts_; ++p)
      kernel_.matmul(of_state, keys.q_turned[p], copied(before_, state_[p].columns(first, columns)), p > 0);
    for (unsigned at = 0; at < columns; at += width_) {
      const auto own = [&](const TileView& all) { return all.columns(at, width_); };
      const auto of_head = [&](const TileView& all) { return all.columns((first + at) / width_, 1); };
      const TileView rate = of_head(factors.rate), left = of_head(factors.left), sum = of_head(factors.sum),
                     minus_sum = of_head(factors.minus_sum), decay = of_head(factors.decay),
                     skip = of_head(parts_.skip().partitions(0, n_)),
                     value = tokens.value(heads_, (first + at) / width_);
      kernel_.tensor_scalar(own(change), value, AluOp::kMult, {0, &rate});
      kernel_.tensor_scalar(own(kept), value, AluOp::kMult, {0, &rate}, AluOp::kMult, {0, &left});
      const TileView share = square(masks_), spread = parts_.spread(sum, squares_, spread_psum_);
      kernel_.tensor_tensor(share, keys.with_queries, decays(spread, 1, minus_sum, -1, 1, CompareOp::kGe),
                            AluOp::kMult);
      kernel_.matmul(own(of_tokens), share, own(change), false);
      kernel_.scalar_tensor_tensor(own(o), value, AluOp::kMult, {0, &skip}, AluOp::kAdd, own(of_tokens));
      kernel_.scalar_tensor_tensor(own(o), own(of_state), AluOp::kMult, {0, &decay}, AluOp::kAdd, own(o));
    }
    for (unsigned p = 0; p < key_parts_; ++p) {
      const TileView added = product(keys.k[p], kept, wide_psum_);
      for (unsigned at = 0; at < columns; at += width_) {
        const TileView state = state_[p].columns(first + at, width_),
                       whole = factors.whole.partitions(0, d_).columns((first + at) / width_, 1);
        kernel_.scalar_tensor_tensor(state, state, AluOp::kMult, {0, &whole}, AluOp::kAdd,
                                     added.columns(at, width_));
      }
    }
  }

  unsigned key_parts_, group_, together_;  // values that share keys; those of a product
  Pool states_, before_, masks_, outputs_, values_, totals_, square_psum_, wide_psum_;
  std::vector<TileView> state_;  // by part of a key: [its features, values]
};

}  // namespace

void emit_scan_chunks(Kernel& kernel, const model::MachineParams& machine, const DeltaHeads& heads,
                      std::uint64_t tokens, float epsilon, const DeltaViews& views) {
  const auto bank = static_cast<unsigned>(machine.chip.core.psum.bank.count / sizeof(float));
  ScanChunks(kernel, heads, epsilon, views, bank).emit(views.states.rows / heads.state_rows(), tokens);
}

}  // namespace tahoma::workloads
