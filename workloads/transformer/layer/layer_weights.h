// SPDX-License-Identifier: Apache-2.0
// The weights of a layer: whole on the host, as in a model file, and each rank's part in HBM.
#pragma once

#include <optional>

#include "runtime/run/inputs.h"
#include "workloads/transformer/layer/norm_views.h"
#include "workloads/transformer/layer/rotary_table.h"
#include "workloads/transformer/partition/replica.h"
#include "workloads/transformer/partition/share.h"

namespace tahoma::workloads {

// Rows are inputs, columns outputs; norms' gains are [1, hidden] of fp32.
struct HostWeights {
  runtime::HostTensor attention_gain, q, k, v, o, mlp_gain;
  runtime::HostTensor gate, up, down;                       // for a mixture, stacked expert by expert
  runtime::HostTensor router;                               // [hidden, experts]
  runtime::HostTensor shared_gate, shared_up, shared_down;  // of a shared expert
  runtime::HostTensor expert_in, expert_out;                // around experts of latent vectors
  runtime::HostTensor shared_router;                        // [hidden, 1], if its output is gated
  runtime::HostTensor q_bias, k_bias, v_bias;  // [1, heads head_dim] of fp32, if the model has them
  runtime::HostTensor sinks, router_bias;      // [1, heads] and [1, experts] of fp32, likewise
  runtime::HostTensor o_bias, gate_bias, up_bias, down_bias, attention_norm_bias, mlp_norm_bias;  // likewise
  runtime::HostTensor q_norm, k_norm;  // [1, head_dim] of fp32, likewise
  // [1, heads head_dim] and [1, kv_heads head_dim] of fp32, likewise.
  runtime::HostTensor joint_q_norm, joint_k_norm;
  runtime::HostTensor attention_post_gain, mlp_post_gain;  // as gains, with post_norm
  // Latent attention (partition/latent_shape.h) has [hidden, q_rank], [hidden, kv_rank + rope], [kv_rank,
  // heads (nope + values)], and gains of fp32. q is then [query input, heads (nope + rope)], and k and v are
  // empty.
  runtime::HostTensor q_a, q_a_gain, kv_a, kv_a_gain, kv_b;
  // The machine has them as the two parts of queries, the matrices of keys (in a decoding step transposed)
  // and values.
  runtime::HostTensor q_nope, q_rope, k_up, v_up;
  runtime::HostTensor attention_gate;  // [hidden, heads head_dim], if heads have gates
  // Of a delta rule (workloads/delta/delta_shape.h): matrices of the token, the convolution, numbers of
  // heads, and the projection.
  runtime::HostTensor delta_q, delta_k, delta_v, delta_z, delta_b, delta_a, delta_o;
  runtime::HostTensor delta_taps_q, delta_taps_k, delta_taps_v, delta_rate, delta_shift, delta_gain;
  runtime::HostTensor delta_bias_q, delta_bias_k, delta_bias_v, delta_skip;  // of Mamba-2
  bool delta = false;                                                        // the layer has it
  bool feeds = true;        // the layer has a feed-forward part
  bool head_norms = false;  // heads of queries and keys have norms
  bool local = false;       // the layer has the local angles
  bool dense = false;  // without experts in a mixture: gate, up and down are those of its feed-forward part
};
// The contents of a layer's caches: [sequences of all replicas, context, kv_heads head_dim] each. With latent
// attention k is [..., kv_rank + rope], and v is empty. Of a delta rule k has the states [batch value_heads
// key_dim, value_dim] of fp32, and v the tokens in front of the convolution, [(taps - 1) batch, channels].
struct HostCache {
  runtime::HostTensor k, v;
};
// These precede the first layer and follow the last one in a case with logits.
struct HostVocabulary {
  runtime::HostTensor ids;         // [rows of all replicas, 1] of int32
  runtime::HostTensor embedding;   // [vocabulary, hidden]
  runtime::HostTensor positions;   // [positions, hidden], if the model has them
  runtime::HostTensor final_gain;  // [1, hidden] of fp32
  runtime::HostTensor final_bias;  // likewise, if norms have one
  runtime::HostTensor head;        // [hidden, vocabulary]
  runtime::HostTensor head_bias;   // [1, vocabulary] of fp32, if logits have one
};
// A case's inputs.
struct HostCase {
  std::vector<HostWeights> weights;  // by layer
  std::vector<HostCache> caches;     // by layer
  runtime::HostTensor table,
      local_table;        // of the rotary embedding; the second one if the model has local layers
  runtime::HostTensor x;  // [rows of all replicas, hidden]; with logits, the embedded tokens
  HostVocabulary vocabulary;
};

// Values spread evenly from middle - reach to middle + reach.
struct Uniform {
  double middle = 0, reach = 1;
};
runtime::HostTensor generated(const char* name, isa::DType dtype, std::vector<std::uint64_t> shape,
                              std::uint64_t seed, const Uniform& uniform);

// The inputs of a case, from their files or the seed: weights are uniform with a standard deviation of 1 /
// sqrt(inputs), so that activations keep their size; gains are between 0.5 and 1.5; the rest is in [-1, 1).
// Throws the errors of load_input().
HostCase host_case(const TransformerParams& params, std::uint64_t seed);

// The token ids of a case with logits, which timing mode needs too: from their file or the seed. Throws
// E-RUN-099 for one outside the vocabulary.
runtime::HostTensor token_ids(const TransformerParams& params, std::uint64_t seed);

// The matrix's view, or none of one that the model does not have.
inline std::optional<runtime::HbmView> optional_view(const Matrix& matrix, std::size_t physical_core) {
  if (matrix.views.empty()) return std::nullopt;
  return matrix.of(physical_core);
}

// A rank's part, or other tensors of the same shapes. For a mixture of experts, `gate_up` and `down` are
// those of the shared expert; the others are ExpertWeights.
struct LayerWeights {
  Matrix attention_gain, mlp_gain;
  Matrix qkv;      // [hidden, units head_dim]: its query heads, key heads, value heads
  Matrix o;        // [heads head_dim, hidden]
  Matrix gate_up;  // [hidden, widened() common_ffn]: a physical core's columns of gate, if gated, then of up
  Matrix down;     // [common_ffn, hidden]
  Matrix shared_router;  // [hidden, 1], if the shared expert's output is gated
  Matrix qkv_bias;       // [1, units head_dim] of fp32, if the model has biases
  // [1, hidden] of fp32, and [1, widened() common_ffn] in the order of gate_up. Biases of o and of down are
  // zero on all ranks but the first, because the ranks' products are added up.
  Matrix sinks;  // [1, heads] of fp32, of this rank
  Matrix o_bias, down_bias, gate_up_bias, attention_norm_bias, mlp_norm_bias;
  Matrix q_norm, k_norm;              // [1, head_dim] of fp32, if heads are normalised
  Matrix joint_q_norm, joint_k_norm;  // [1, heads head_dim] and [1, kv_heads head_dim], if all together are
  Matrix attention_post_gain, mlp_post_gain;  // if the outputs of the sublayers are normalised
  // A delta rule has [hidden, columns] and [taps (and a bias), channels], those of each physical core side by
  // side; [1, heads of values] twice, of Mamba-2 three times; and [1, value_dim], of Mamba-2 [1, values].
  Matrix delta_in, delta_taps, delta_rate, delta_shift, delta_skip, delta_gain;
  // Latent attention has [hidden, down], gains, [query input, heads nope], [query input, heads rope],
  // [kv_rank, heads nope] or, if absorbed, [heads nope, kv_rank], [kv_rank, heads values].
  Matrix latent_down, q_a_gain, kv_a_gain, q_nope, q_rope, k_up, v_up;

  NormViews attention_norm(std::size_t physical_core) const {
    return {attention_gain.of(physical_core), optional_view(attention_norm_bias, physical_core)};
  }
  NormViews mlp_norm(std::size_t physical_core) const {
    return {mlp_gain.of(physical_core), optional_view(mlp_norm_bias, physical_core)};
  }

  LayerWeights(Replica& replica, std::size_t rank, const ModelShape& model, const RankShare& share);
  void fill(runtime::Machine& machine, const Replica& replica, std::size_t rank, const ModelShape& model,
            const HostWeights& weights, const RankShare& share) const;

  void fill_products(runtime::Machine& machine, const Replica& replica, std::size_t rank,
                     const ModelShape& model, const HostWeights& weights, const RankShare& share) const;

  // Without gains and values: tensors with the products' shapes in another dtype.
  static LayerWeights products(Replica& replica, std::size_t rank, const ModelShape& model,
                               const RankShare& share, isa::DType dtype);

 private:
  LayerWeights() = default;
  void allocate_delta(Replica& replica, std::size_t rank, const ModelShape& model, const RankShare& share);
  void allocate_latent(Replica& replica, std::size_t rank, const ModelShape& model, const RankShare& share);
  void allocate_products(Replica& replica, std::size_t rank, const ModelShape& model, const RankShare& share,
                         isa::DType dtype);
};

// A block of the model's tensor, and its position in a rank's tensor.
struct WeightBlock {
  runtime::HostTensor HostWeights::*whole;
  Matrix LayerWeights::*part;
  runtime::Window window;     // of the whole
  std::uint64_t row, column;  // of the part
  runtime::Window place() const { return {row, column, window.rows, window.columns}; }
};
// Copies a window of one tensor to a position of the same size in another one of the same dtype.
void copy_block(const runtime::HostTensor& from, const runtime::Window& window, runtime::HostTensor& to,
                const runtime::Window& place);
std::vector<WeightBlock> blocks_of(const ModelShape& model, const RankShare& share, std::size_t rank);

// Writes `values` to the matrix on every replica.
void fill_all(runtime::Machine& machine, const Replica& replica, const Matrix& matrix,
              const runtime::HostTensor& values);

}  // namespace tahoma::workloads
