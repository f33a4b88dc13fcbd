// SPDX-License-Identifier: Apache-2.0
// The parts of a layer on one physical core of a rank: kernels on token-major activations. Each part can use
// the whole on-chip memory.
#pragma once

#include <optional>

#include "runtime/builder/kernel.h"
#include "workloads/transformer/layer/norm_views.h"
#include "workloads/transformer/partition/share.h"

namespace tahoma::workloads {

// One physical core's kernel and the common settings of its parts.
struct LayerPart {
  runtime::Kernel& kernel;
  const model::MachineParams& machine;
  const ModelShape& model;

  // c [m, n] = a [m, k] b [k, n], and + bias [1, n] of fp32 if there is one; with `activated`, the model's
  // activation of it. b may have another dtype than a
  // (ModelShape::weights); a and b of one fp8 type are multiplied at the double rate.
  void product(const runtime::HbmView& a, const runtime::HbmView& b, const runtime::HbmView& c,
               const std::optional<runtime::HbmView>& bias = {}, bool activated = false) const;
  // y = norm(x + add), sum = x + add; without add y = norm(x).
  void norm(const runtime::HbmView& x, const runtime::HbmView* add, const runtime::HbmView* sum,
            const runtime::HbmView& gain, const runtime::HbmView& y) const;
  // The same with the model's kind of norm, in front of the logits, and of a sublayer, which may have none:
  // then y is x + add, or x. `bias` is used by layer norms with one.
  void model_norm(const runtime::HbmView& x, const runtime::HbmView* add, const runtime::HbmView* sum,
                  const NormViews& norm, const runtime::HbmView& y) const;
  void sublayer_norm(const runtime::HbmView& x, const runtime::HbmView* add, const runtime::HbmView* sum,
                     const NormViews& norm, const runtime::HbmView& y) const;
  // sums [rows, 1] of fp32: those of the squares of the rows of x.
  void squares(const runtime::HbmView& x, const runtime::HbmView& sums) const;
  // The RMS norm of x, in place, by sums of squares [rows, 1] over that many elements.
  void norm_by(const runtime::HbmView& x, const runtime::HbmView& sums, std::uint64_t elements,
               const runtime::HbmView& gain) const;
  // y = norm(x + add), and the same in `copy`.
  void sum_norm(const runtime::HbmView& x, const runtime::HbmView& add, const NormViews& norm,
                const runtime::HbmView& y, const runtime::HbmView* copy) const;
  void add(const runtime::HbmView& a, const runtime::HbmView& b, const runtime::HbmView& y) const;
  // y = a + sigmoid(gates) b, with gates [rows, 1] of fp32; without gates y = a + b.
  void add_gated(const runtime::HbmView& a, const runtime::HbmView& b, const runtime::HbmView* gates,
                 const runtime::HbmView& y) const;
  // x becomes min(max(x, -limit), limit).
  void limit(const runtime::HbmView& x, double limit) const;
  // y = x times the number of each row, [rows, 1] of fp32, which then becomes 1.
  void scale_rows(const runtime::HbmView& x, const runtime::HbmView& numbers,
                  const runtime::HbmView& y) const;
  // x *= sigmoid(gates), element by element.
  void scale(const runtime::HbmView& x, const runtime::HbmView& gates) const;
  // In place; heads of so many features are side by side. The first ones rotate, as many as the table has.
  void rope(const runtime::HbmView& heads, const runtime::HbmView& table, std::uint64_t features) const;
  // y = activation(gate) * up, as the model says
  void gated(const runtime::HbmView& gate, const runtime::HbmView& up, const runtime::HbmView& y) const;
  // x becomes cap tanh(x / cap).
  void bound(const runtime::HbmView& x, double cap) const;
  // One sequence: q and o [tokens, heads head_dim], k and v [tokens, kv heads head_dim].
  struct Attention {
    runtime::HbmView q, k, v, o;
    RankShare::Heads heads;
    std::uint64_t heads_per_kv;
    std::optional<runtime::HbmView> lse{};  // [heads, tokens] of fp32, for a backward pass
    std::uint64_t window = 0;               // keys that a query sees; 0: all
    // With latent attention these are the rotated features, [tokens, heads rope] and [tokens, rope]; q and k
    // have the others.
    runtime::HbmView q_rope{}, k_rope{};
  };
  void attention(const Attention& a) const;
  // o [rows, heads head_dim] *= sigmoid(lse - sinks), with lse [heads, rows] of fp32, whose tensor has rows
  // to a whole transpose, and sinks [1, heads] of fp32: a score without value beside those of the keys.
  void sink(const runtime::HbmView& lse, const runtime::HbmView& sinks, const runtime::HbmView& o) const;
  // New tokens against caches: q and o [sequences, heads head_dim].
  struct Decode {
    runtime::HbmView q, k, v, o;
    std::uint64_t kv_heads, heads_per_kv, sequences, tokens;
    const runtime::HbmView* lse = nullptr;  // if requested: [heads, sequences] of fp32
    // With latent attention these are the rotated features, [sequences, heads rope]. q and o have latent
    // vectors, and k is the cache of both.
    runtime::HbmView q_rope{};
  };
  void decode(const Decode& d) const;
  // Merges attention over that many parts of the keys (workloads/decode/decode_merge.h).
  void merge(std::uint64_t parts, std::uint64_t heads, const runtime::HbmView& of_parts,
             const runtime::HbmView& lse, const runtime::HbmView& o) const;
};

// Columns of heads [first, first + count) of a matrix of such.
inline runtime::HbmView heads_of(const runtime::HbmView& view, std::uint64_t first, std::uint64_t count,
                                 std::uint64_t head_dim) {
  return view.window(0, first * head_dim, view.rows, count * head_dim);
}
inline runtime::HbmView rows_of(const runtime::HbmView& view, std::uint64_t first, std::uint64_t count) {
  return view.window(first, 0, count, view.columns);
}

}  // namespace tahoma::workloads
