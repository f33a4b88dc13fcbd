// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "workloads/common/ranges.h"
#include "workloads/delta/chunk_parts.h"
#include "workloads/delta/delta_kernel.h"
#include "workloads/delta/scan_kernel.h"
#include "workloads/delta/taps_kernel.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::CompareOp, isa::DType;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::Stationary, runtime::TileView;

namespace {

constexpr unsigned kChunk = 64;

class DeltaChunks : ChunkParts {
 public:
  DeltaChunks(Kernel& kernel, const DeltaHeads& heads, float epsilon, const DeltaViews& views)
      : ChunkParts(kernel, heads, views, epsilon, kChunk) {
    const auto pool = [&](const char* name, DType dtype, unsigned columns, unsigned copies) {
      return kernel.sbuf(name, dtype, columns, copies);
    };
    states_ = pool("states", DType::kFp32, narrow(heads.values()), 1);
    columns_ = pool("decays of tokens", DType::kFp32, 1, 6);
    rows_ = pool("queries and keys", DType::kBf16, d_, 4);
    masks_ = pool("shares", DType::kBf16, kChunk, 2);
    wide_ = pool("differences", DType::kFp32, width_, 6);
    narrow_ = pool("changes", DType::kBf16, width_, 4);
    square_psum_ = kernel.psum("squares", DType::kFp32, kChunk, 3);
    wide_psum_ = kernel.psum("products", DType::kFp32, width_, 3);
  }

  void emit(std::uint64_t sequences, std::uint64_t tokens) {
    for (std::uint64_t s = 0; s < sequences; ++s) {
      state_ = kernel_.take(states_, d_, narrow(heads_.values()));
      kernel_.memset(state_, 0);
      for (const Range& rows : cut(all_of(tokens), kChunk))
        chunk(s * tokens + rows.first, static_cast<unsigned>(rows.count));
      for (std::uint64_t h = 0; h < heads_.value_heads; ++h)
        kernel_.store(views_.states.window((s * heads_.value_heads + h) * d_, 0, d_, width_), state_of(h),
                      isa::Queue::kGpSimd);
    }
  }

 private:
  // Of the tokens of a chunk, [rows, value_heads].
  struct Factors {
    TileView beta, minus_beta, sum, minus_sum, decay, minus_decay;
  };
  // Of a head of queries and keys: rows, turned, and products of all pairs of tokens.
  struct Keys {
    TileView k, q_turned, k_turned, among_keys, with_queries;  // [j, i] of the last one
  };

  TileView state_of(std::uint64_t head) const { return state_.columns(narrow(head) * width_, width_); }
  Factors factors_of(const DeltaParts::Tokens& tokens) {
    const TileView made = sums(tokens.decay, wide_psum_);
    Factors f;
    f.beta = scaled(tokens.rate, ActFn::kCopy, 1);
    f.minus_beta = scaled(tokens.rate, ActFn::kCopy, -1);
    f.sum = scaled(made, ActFn::kCopy, 1);
    f.minus_sum = scaled(f.sum, ActFn::kCopy, -1);
    f.decay = scaled(f.sum, ActFn::kExp, 1);
    f.minus_decay = scaled(f.decay, ActFn::kCopy, -1);
    return f;
  }

  Keys keys_of(const DeltaParts::Tokens& tokens, std::uint64_t head) {
    const TileView q = take(rows_, d_);
    Keys keys;
    keys.k = take(rows_, d_);
    parts_.normalise(q, tokens.query(heads_, head),
                     static_cast<float>(1 / std::sqrt(static_cast<double>(d_))));
    parts_.normalise(keys.k, tokens.key(heads_, head), 1);
    keys.q_turned = turned(q);
    keys.k_turned = turned(keys.k);
    keys.among_keys = copied(scores_, product(keys.k_turned, keys.k_turned, square_psum_));
    keys.with_queries = copied(scores_, product(keys.k_turned, keys.q_turned, square_psum_));
    return keys;
  }

  // T^T, from -A.
  TileView inverse(TileView power) {
    const TileView identity = parts_.identity().partitions(0, n_).columns(0, n_);
    const TileView made = square(square_psum_);
    kernel_.transpose(made, power, identity);
    TileView turned_power = copied(squares_, made), result = square(squares_);
    kernel_.tensor_tensor(result, turned_power, identity, AluOp::kAdd);
    for (unsigned reach = 2; reach < n_; reach *= 2) {
      const TileView next = copied(squares_, product(turned_power, power, square_psum_));
      if (2 * reach < n_) turned_power = copied(squares_, product(power, turned_power, square_psum_));
      power = next;
      const TileView more = product(power, result, square_psum_), sum = square(squares_);
      kernel_.tensor_tensor(sum, result, more, AluOp::kAdd);
      result = sum;
    }
    return result;
  }

  void chunk(std::uint64_t first, unsigned rows) {
    n_ = rows;
    const DeltaParts::Tokens tokens = parts_.load(first, rows);
    const Factors factors = factors_of(tokens);
    const TileView out = parts_.output(rows);
    for (std::uint64_t key = 0; key < heads_.key_heads; ++key) {
      const Keys keys = keys_of(tokens, key);
      for (std::uint64_t i = 0; i < heads_.sharing(); ++i)
        head(tokens, factors, keys, key * heads_.sharing() + i, out);
    }
    parts_.store(out, first);
  }

  void head(const DeltaParts::Tokens& tokens, const Factors& factors, const Keys& keys, std::uint64_t number,
            const TileView& out) {
    const auto of_head = [&](const TileView& all) { return all.columns(narrow(number), 1); };
    const TileView state = state_of(number), sum = of_head(factors.sum),
                   minus_sum = of_head(factors.minus_sum), minus_beta = of_head(factors.minus_beta),
                   beta = of_head(factors.beta), decay = of_head(factors.decay),
                   minus_decay = of_head(factors.minus_decay);
    const TileView spread = parts_.spread(sum, squares_, spread_psum_);
    const TileView before = copied(narrow_, state);
    // U
    const TileView a = square(squares_);
    kernel_.scalar_tensor_tensor(a, keys.among_keys, AluOp::kMult, {0, &minus_beta}, AluOp::kMult,
                                 decays(spread, -1, sum, 1, -1, CompareOp::kGt));
    const TileView solve = inverse(a), difference = take(wide_, width_), scaled = take(wide_, width_);
    kernel_.scalar_tensor_tensor(difference, product(keys.k_turned, before, wide_psum_), AluOp::kMult,
                                 {0, &minus_decay}, AluOp::kAdd, tokens.value(heads_, number));
    kernel_.tensor_scalar(scaled, difference, AluOp::kMult, {0, &beta});
    const TileView change = copied(narrow_, product(solve, scaled, wide_psum_));
    // O
    const TileView share = square(masks_), of_state = take(wide_, width_), o = take(wide_, width_);
    kernel_.tensor_tensor(share, keys.with_queries, decays(spread, 1, minus_sum, -1, 1, CompareOp::kGe),
                          AluOp::kMult);
    kernel_.tensor_scalar(of_state, product(keys.q_turned, before, wide_psum_), AluOp::kMult, {0, &decay});
    kernel_.tensor_tensor(o, of_state, product(share, change, wide_psum_), AluOp::kAdd);
    parts_.finish(o, tokens, narrow(number) * width_, out);
    keep(state, keys.k, sum, spread, change);
  }

  // The state behind the chunk.
  void keep(const TileView& state, const TileView& k, const TileView& sum, const TileView& spread,
            const TileView& change) {
    const TileView last = copied(columns_, spread.columns(n_ - 1, 1)), of_tokens = last.partitions(0, n_),
                   left = take(columns_, 1), whole = kernel_.take(columns_, d_, 1),
                   weighted = take(rows_, d_);
    kernel_.activation(left, sum, ActFn::kExp, {-1, nullptr}, {0, &of_tokens});
    kernel_.activation(whole, last.partitions(0, d_), ActFn::kExp);
    kernel_.tensor_scalar(weighted, k, AluOp::kMult, {0, &left});
    kernel_.scalar_tensor_tensor(state, state, AluOp::kMult, {0, &whole}, AluOp::kAdd,
                                 product(weighted, change, wide_psum_));
  }

  Pool states_, columns_, rows_, masks_, wide_, narrow_, square_psum_, wide_psum_;
  TileView state_;  // [key_dim, values]
};

}  // namespace

void emit_delta_chunks(Kernel& kernel, const model::MachineParams& machine, const DeltaHeads& heads,
                       std::uint64_t tokens, float epsilon, const DeltaViews& views) {
  const std::uint64_t sequences = views.states.rows / heads.state_rows();
  const HbmView x = views.in.window(0, 0, views.in.rows, heads.channels());
  for (std::uint64_t s = 0; s < sequences; ++s) {
    std::vector<Tap> taps;
    for (std::uint64_t j = 0; j < heads.taps; ++j) {
      const std::uint64_t missing = std::min(heads.taps - 1 - j, tokens);
      taps.push_back(
          {x.window(s * tokens, 0, std::max<std::uint64_t>(1, tokens - missing), x.columns), missing});
    }
    emit_taps(kernel, machine, taps, views.taps, views.mixed.window(s * tokens, 0, tokens, heads.channels()));
  }
  const Kernel::Scope scope(kernel);
  if (heads.scans()) return emit_scan_chunks(kernel, machine, heads, tokens, epsilon, views);
  DeltaChunks(kernel, heads, epsilon, views).emit(sequences, tokens);
}

}  // namespace tahoma::workloads
