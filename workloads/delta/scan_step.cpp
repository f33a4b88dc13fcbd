// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "workloads/common/ranges.h"
#include "workloads/delta/delta_parts.h"
#include "workloads/delta/scan_kernel.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::CompareOp, isa::DType;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr unsigned kScanSequences = 128;  // on partitions together

class ScanStep {
 public:
  ScanStep(Kernel& kernel, const DeltaHeads& heads, float epsilon, const DeltaViews& views, unsigned most,
           unsigned bank)
      : kernel_(kernel),
        heads_(heads),
        views_(views),
        key_parts_(narrow(heads.key_parts())),
        d_(narrow(heads.key_part())),
        width_(narrow(heads.value_dim)),
        group_(narrow(heads.group_values())),
        together_(std::min(group_, bank / width_ * width_)),
        parts_(kernel, heads, views, epsilon, most) {
    const auto pool = [&](const char* name, DType dtype, unsigned columns, unsigned copies) {
      return kernel.sbuf(name, dtype, columns, copies);
    };
    const unsigned sharing = narrow(heads.sharing()), pieces = (group_ + together_ - 1) / together_;
    states_ = pool("states", DType::kFp32, group_, 4);
    narrow_states_ = pool("bf16 states", DType::kBf16, group_, 3);
    factors_ = pool("factors of heads", DType::kFp32, narrow(heads.value_heads), 2);
    products_ = pool("products of queries and keys", DType::kFp32, narrow(heads.key_dim), 2);
    columns_ = pool("their sums", DType::kFp32, 1, 2);
    sharing_ = pool("factors of values", DType::kFp32, sharing, 2);
    turned_ = pool("turned queries", DType::kBf16, most, 2 * key_parts_);
    diagonals_ = pool("diagonals", DType::kFp32, most, 2);
    decays_ = pool("decays", DType::kFp32, most, 2 * sharing);
    one_query_ = pool("a query", DType::kBf16, most, 4);
    one_key_ = pool("a key", DType::kBf16, d_, 4);
    changes_ = pool("changes", DType::kBf16, group_, 2);
    outputs_ = pool("values read", DType::kFp32, group_, 2);
    read_psum_ = kernel.psum("read", DType::kFp32, together_, std::min(2 * pieces, 4U));
    added_psum_ = kernel.psum("added", DType::kFp32, together_, 2);
    spread_psum_ = kernel.psum("spread", DType::kFp32, most, 1);
    turned_psum_ = kernel.psum("turned", DType::kBf16, most, 1);
  }

  void emit(std::uint64_t sequences, unsigned most) {
    for (const Range& rows : cut(all_of(sequences), most)) {
      n_ = rows.count;
      first_ = rows.first;
      step();
    }
  }

 private:
  TileView take(Pool pool, unsigned columns) { return kernel_.take(pool, n_, columns); }

  void step() {
    const DeltaParts::Tokens tokens = parts_.load(first_, n_);
    const TileView decay = take(factors_, narrow(heads_.value_heads)), out = parts_.output(n_);
    kernel_.activation(decay, tokens.decay, ActFn::kExp);
    for (std::uint64_t g = 0; g < heads_.key_heads; ++g) group(tokens, decay, g, out);
    parts_.store(out, first_);
  }

  // The features of a query of one sequence each as a column.
  std::vector<TileView> turned(const TileView& q) {
    std::vector<TileView> parts;
    for (unsigned p = 0; p < key_parts_; ++p) {
      const TileView made = kernel_.take(turned_psum_, d_, n_);
      kernel_.transpose(made, q.columns(p * d_, d_),
                        parts_.narrow_identity().partitions(0, n_).columns(0, n_));
      parts.push_back(kernel_.take(turned_, d_, n_));
      kernel_.copy(parts.back(), made);
    }
    return parts;
  }

  // Heads of values that share a head of keys.
  void group(const DeltaParts::Tokens& tokens, const TileView& decay, std::uint64_t number,
             const TileView& out) {
    const unsigned sharing = narrow(heads_.sharing()), first = narrow(number) * sharing;
    const auto of_head = [&](const TileView& all, unsigned h) { return all.columns(first + h, 1); };
    const TileView q = tokens.query(heads_, number), k = tokens.key(heads_, number),
                   both = take(products_, narrow(heads_.key_dim)), product = take(columns_, 1),
                   factors = take(sharing_, sharing), change = take(changes_, group_);
    kernel_.tensor_tensor(both, q, k, AluOp::kMult);
    kernel_.reduce(product, both, AluOp::kAdd);
    // Of the new values in the outputs.
    kernel_.scalar_tensor_tensor(factors, tokens.rate.columns(first, sharing), AluOp::kMult, {0, &product},
                                 AluOp::kAdd, parts_.skip().partitions(0, n_).columns(first, sharing));
    std::vector<TileView> decays;
    for (unsigned h = 0; h < sharing; ++h) {
      const TileView rate = of_head(tokens.rate, h);
      kernel_.tensor_scalar(change.columns(h * width_, width_), tokens.value(heads_, first + h), AluOp::kMult,
                            {0, &rate});
      decays.push_back(kernel_.take(decays_, d_, n_));
      kernel_.copy(decays.back(),
                   parts_.spread(of_head(decay, h), diagonals_, spread_psum_).partitions(0, d_));
    }
    const std::vector<TileView> read = read_and_write(turned(q), k, change, decays, number);
    const TileView o = take(outputs_, group_);
    for (unsigned h = 0; h < sharing; ++h) {
      const unsigned at = h * width_;
      const TileView own = o.columns(at, width_), left = of_head(decay, h), factor = factors.columns(h, 1);
      kernel_.tensor_scalar(own, read[at / together_].columns(at % together_, width_), AluOp::kMult,
                            {0, &left});
      kernel_.scalar_tensor_tensor(own, tokens.value(heads_, first + h), AluOp::kMult, {0, &factor},
                                   AluOp::kAdd, own);
    }
    parts_.finish(o, tokens, first * width_, out);
  }

  // Products of queries and states, piece by piece; each state then has the change of its sequence.
  std::vector<TileView> read_and_write(const std::vector<TileView>& q, const TileView& k,
                                       const TileView& change, const std::vector<TileView>& decays,
                                       std::uint64_t number) {
    const std::vector<Range> pieces = cut(all_of(group_), together_);
    std::vector<TileView> read;
    for (const Range& piece : pieces) read.push_back(take(read_psum_, piece.count));
    for (unsigned s = 0; s < n_; ++s)
      for (unsigned p = 0; p < key_parts_; ++p) {
        const HbmView in_hbm = views_.states.window(
            ((first_ + s) * heads_.key_heads + number) * heads_.key_dim + p * d_, 0, d_, group_);
        const TileView state = kernel_.take(states_, d_, group_),
                       copy = kernel_.take(narrow_states_, d_, group_),
                       query = kernel_.take(one_query_, d_, n_), key = take(one_key_, d_);
        kernel_.load(state, in_hbm);
        kernel_.activation(copy, state, ActFn::kCopy);
        kernel_.affine_select(query, q[p], -static_cast<std::int32_t>(s), 0, 1, CompareOp::kEq, 0);
        kernel_.affine_select(key, k.columns(p * d_, d_), -static_cast<std::int32_t>(s), 1, 0, CompareOp::kEq,
                              0);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
          const auto own = [&](const TileView& all) {
            return all.columns(narrow(pieces[i].first), pieces[i].count);
          };
          kernel_.matmul(read[i], query, own(copy), s + p > 0);
          const TileView added = kernel_.take(added_psum_, d_, pieces[i].count);
          kernel_.matmul(added, key, own(change), false);
          for (unsigned at = 0; at < pieces[i].count; at += width_) {
            const TileView head = own(state).columns(at, width_),
                           decay = decays[(narrow(pieces[i].first) + at) / width_].columns(s, 1);
            kernel_.scalar_tensor_tensor(head, head, AluOp::kMult, {0, &decay}, AluOp::kAdd,
                                         added.columns(at, width_));
          }
        }
        kernel_.store(in_hbm, state, isa::Queue::kGpSimd);
      }
    return read;
  }

  Kernel& kernel_;
  DeltaHeads heads_;
  DeltaViews views_;
  unsigned key_parts_, d_, width_, group_, together_, n_ = 0;  // as in ScanChunks
  std::uint64_t first_ = 0;                                    // of the sequences in work
  DeltaParts parts_;
  Pool states_, narrow_states_, factors_, products_, columns_, sharing_, turned_, diagonals_, decays_,
      one_query_, one_key_, changes_, outputs_, read_psum_, added_psum_, spread_psum_, turned_psum_;
};

}  // namespace

void emit_scan_step(Kernel& kernel, const model::MachineParams& machine, const DeltaHeads& heads,
                    std::uint64_t sequences, float epsilon, const DeltaViews& views) {
  const auto bank = static_cast<unsigned>(machine.chip.core.psum.bank.count / sizeof(float));
  const unsigned most = narrow(std::min<std::uint64_t>(kScanSequences, sequences));
  ScanStep(kernel, heads, epsilon, views, most, bank).emit(sequences, most);
}

}  // namespace tahoma::workloads
