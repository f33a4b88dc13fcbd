// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/common/ranges.h"
#include "workloads/delta/delta_kernel.h"
#include "workloads/delta/delta_parts.h"
#include "workloads/delta/scan_kernel.h"
#include "workloads/delta/taps_kernel.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr unsigned kSequences = 64;  // whose states of a head are in SBUF together

class DeltaStep {
 public:
  DeltaStep(Kernel& kernel, const DeltaHeads& heads, float epsilon, const DeltaViews& views, unsigned most)
      : kernel_(kernel),
        heads_(heads),
        views_(views),
        d_(narrow(heads.key_dim)),
        width_(narrow(heads.value_dim)),
        parts_(kernel, heads, views, epsilon, most) {
    const auto pool = [&](const char* name, DType dtype, unsigned columns, unsigned copies) {
      return kernel.sbuf(name, dtype, columns, copies);
    };
    states_ = pool("states", DType::kFp32, width_, most + most / 2 + 1);
    factors_ = pool("factors of tokens", DType::kFp32, narrow(heads.value_heads), 4);
    rows_ = pool("queries and keys", DType::kFp32, d_, 4);
    narrow_rows_ = pool("bf16 keys", DType::kBf16, d_, 2);
    products_ = pool("products of queries and keys", DType::kFp32, d_, 2);
    columns_ = pool("their sums", DType::kFp32, 1, 4);
    turned_ = pool("turned queries and keys", DType::kFp32, most, 4);
    diagonals_ = pool("diagonals", DType::kFp32, most, 2);
    decays_ = pool("decays", DType::kFp32, most, 2);
    read_ = pool("read", DType::kFp32, most, 4);
    wide_ = pool("differences", DType::kFp32, width_, 6);
    changes_ = pool("changes", DType::kBf16, width_, 4);
    spread_psum_ = kernel.psum("spread", DType::kFp32, most, 1);
    read_psum_ = kernel.psum("read", DType::kFp32, most, 2);
    turned_psum_ = kernel.psum("turned", DType::kFp32, std::max({most, width_}), 3);
    outer_psum_ = kernel.psum("changes", DType::kFp32, width_, 2);
  }

  void emit(std::uint64_t sequences, unsigned most) {
    for (const Range& rows : cut(all_of(sequences), most)) {
      n_ = static_cast<unsigned>(rows.count);
      first_ = rows.first;
      step();
    }
  }

 private:
  struct Keys {
    TileView k, q_turned, k_turned, product;  // q k of each token
  };

  TileView take(Pool pool, unsigned columns) { return kernel_.take(pool, n_, columns); }
  TileView turned(const TileView& x, unsigned columns, Pool to) {
    const TileView made = kernel_.take(turned_psum_, columns, x.shape.partitions),
                   kept = kernel_.take(to, columns, x.shape.partitions);
    kernel_.transpose(made, x, identity_.partitions(0, x.shape.partitions).columns(0, x.shape.partitions));
    kernel_.copy(kept, made);
    return kept;
  }

  void step() {
    const unsigned count = narrow(heads_.value_heads);
    const DeltaParts::Tokens tokens = parts_.load(first_, n_);
    decay_ = take(factors_, count);
    minus_decay_ = take(factors_, count);
    kernel_.activation(decay_, tokens.decay, ActFn::kExp);
    kernel_.activation(minus_decay_, decay_, ActFn::kCopy, {-1, nullptr});
    const TileView out = parts_.output(n_);
    for (std::uint64_t key = 0; key < heads_.key_heads; ++key) {
      const Keys keys = keys_of(tokens, key);
      for (std::uint64_t i = 0; i < heads_.sharing(); ++i)
        head(tokens, keys, key * heads_.sharing() + i, out);
    }
    parts_.store(out, first_);
  }

  Keys keys_of(const DeltaParts::Tokens& tokens, std::uint64_t head) {
    const TileView q = take(rows_, d_), k = take(rows_, d_), both = take(products_, d_);
    parts_.normalise(q, tokens.query(heads_, head),
                     static_cast<float>(1 / std::sqrt(static_cast<double>(d_))));
    parts_.normalise(k, tokens.key(heads_, head), 1);
    Keys keys{take(narrow_rows_, d_), turned(q, d_, turned_), turned(k, d_, turned_), take(columns_, 1)};
    kernel_.copy(keys.k, k);
    kernel_.tensor_tensor(both, q, k, AluOp::kMult);
    kernel_.reduce(keys.product, both, AluOp::kAdd);
    return keys;
  }

  HbmView state_in_hbm(unsigned sequence, std::uint64_t head) const {
    return views_.states.window(((first_ + sequence) * heads_.value_heads + head) * d_, 0, d_, width_);
  }

  // Rows k S and q S, from a product of each state with two columns.
  TileView read(const TileView& made) {
    const TileView kept = kernel_.take(read_, width_, n_), rows = kernel_.take(turned_psum_, n_, width_);
    kernel_.copy(kept, made);
    kernel_.transpose(rows, kept, identity_.partitions(0, width_).columns(0, width_));
    return rows;
  }

  void head(const DeltaParts::Tokens& tokens, const Keys& keys, std::uint64_t number, const TileView& out) {
    const auto of_head = [&](const TileView& all) { return all.columns(narrow(number), 1); };
    const TileView decay = of_head(decay_), minus_decay = of_head(minus_decay_), rate = of_head(tokens.rate);
    const TileView decays = kernel_.take(decays_, d_, n_);
    kernel_.copy(decays, parts_.spread(decay, diagonals_, spread_psum_).partitions(0, d_));
    const TileView of_keys = kernel_.take(read_psum_, width_, n_),
                   of_queries = kernel_.take(read_psum_, width_, n_);
    std::vector<TileView> states;
    for (unsigned s = 0; s < n_; ++s) {
      states.push_back(kernel_.take(states_, d_, width_));
      kernel_.load(states[s], state_in_hbm(s, number));
      kernel_.matmul(of_keys.columns(s, 1), states[s], keys.k_turned.columns(s, 1), false);
      kernel_.matmul(of_queries.columns(s, 1), states[s], keys.q_turned.columns(s, 1), false);
    }
    const TileView difference = take(wide_, width_), change = take(wide_, width_), old = take(wide_, width_),
                   o = take(wide_, width_);
    kernel_.scalar_tensor_tensor(difference, read(of_keys), AluOp::kMult, {0, &minus_decay}, AluOp::kAdd,
                                 tokens.value(heads_, number));
    kernel_.tensor_scalar(change, difference, AluOp::kMult, {0, &rate});
    kernel_.tensor_scalar(old, read(of_queries), AluOp::kMult, {0, &decay});
    kernel_.scalar_tensor_tensor(o, change, AluOp::kMult, {0, &keys.product}, AluOp::kAdd, old);
    parts_.finish(o, tokens, narrow(number) * width_, out);
    for (unsigned s = 0; s < n_; ++s) write(states[s], keys.k, change, decays.columns(s, 1), s, number);
  }

  void write(const TileView& state, const TileView& k, const TileView& change, const TileView& decay,
             unsigned sequence, std::uint64_t head) {
    const TileView own = take(changes_, width_), added = kernel_.take(outer_psum_, d_, width_),
                   one = identity_.partitions(0, n_).columns(sequence, 1);
    kernel_.activation(own, change, ActFn::kCopy, {0, &one});
    kernel_.matmul(added, k, own, false);
    kernel_.scalar_tensor_tensor(state, state, AluOp::kMult, {0, &decay}, AluOp::kAdd, added);
    kernel_.store(state_in_hbm(sequence, head), state, isa::Queue::kGpSimd);
  }

  Kernel& kernel_;
  DeltaHeads heads_;
  DeltaViews views_;
  unsigned d_, width_, n_ = 0;
  std::uint64_t first_ = 0;  // of the sequences in work
  DeltaParts parts_;
  TileView identity_ = parts_.identity();
  Pool states_, factors_, rows_, narrow_rows_, products_, columns_, turned_, diagonals_, decays_, read_,
      wide_, changes_, spread_psum_, read_psum_, turned_psum_, outer_psum_;
  TileView decay_, minus_decay_;
};

}  // namespace

void emit_delta_step(Kernel& kernel, const model::MachineParams& machine, const DeltaHeads& heads,
                     std::uint64_t sequences, float epsilon, const DeltaViews& views) {
  const HbmView x = views.in.window(0, 0, sequences, heads.channels());
  std::vector<Tap> taps;
  for (std::uint64_t j = 0; j + 1 < heads.taps; ++j)
    taps.push_back({views.past.window(j * sequences, 0, sequences, heads.channels())});
  taps.push_back({x});
  emit_taps(kernel, machine, taps, views.taps, views.mixed.window(0, 0, sequences, heads.channels()));
  kernel.move(views.past.window(0, 0, sequences, heads.channels()), x, isa::Queue::kGpSimd);
  const Kernel::Scope scope(kernel);
  if (heads.scans()) return emit_scan_step(kernel, machine, heads, sequences, epsilon, views);
  const unsigned most = narrow(std::min<std::uint64_t>(kSequences, sequences));
  DeltaStep(kernel, heads, epsilon, views, most).emit(sequences, most);
}

}  // namespace tahoma::workloads
