// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/layer_weights.h"

#include <span>

#include "isa/core/dtype.h"
#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

using isa::DType;
using runtime::HostTensor;

void LayerWeights::allocate_products(Replica& replica, std::size_t rank, const ModelShape& m,
                                     const RankShare& share, DType dtype) {
  if (!m.latent && !share.delta)
    qkv = replica.shared(rank, "qkv_weights", dtype, m.hidden, share.units() * m.head_dim);
  // Gradients pass through o and down with their rows transposed, a physical core's rows at a time.
  const auto by_rows = [&](const char* name, std::uint64_t rows) {
    Matrix matrix = replica.shared(rank, name, dtype, rows, m.hidden);
    const std::uint64_t window = rows / replica.physical_cores();
    replica.add_rows_behind(rank, matrix, transposed_tensor_rows(rows, window) - rows);
    return matrix;
  };
  o = by_rows("o_weights", share.mixed(m));
  if (share.common_ffn == 0) return;
  gate_up = replica.shared(rank, "gate_up_weights", dtype, m.hidden, m.widened() * share.common_ffn);
  down = by_rows("down_weights", share.common_ffn);
}

LayerWeights LayerWeights::products(Replica& replica, std::size_t rank, const ModelShape& m,
                                    const RankShare& share, DType dtype) {
  LayerWeights made;
  made.allocate_products(replica, rank, m, share, dtype);
  return made;
}

LayerWeights::LayerWeights(Replica& replica, std::size_t rank, const ModelShape& m, const RankShare& share) {
  attention_gain = replica.shared(rank, "attention_gain", DType::kFp32, 1, m.hidden);
  if (share.feeds) mlp_gain = replica.shared(rank, "mlp_gain", DType::kFp32, 1, m.hidden);
  allocate_products(replica, rank, m, share, m.weights);
  if (m.latent) allocate_latent(replica, rank, m, share);
  if (share.delta) allocate_delta(replica, rank, m, share);
  if (m.qkv_bias) qkv_bias = replica.shared(rank, "qkv_bias", DType::kFp32, 1, share.units() * m.head_dim);
  const auto vector = [&](Matrix& to, const char* name, bool wanted, std::uint64_t columns) {
    if (wanted) to = replica.shared(rank, name, DType::kFp32, 1, columns);
  };
  vector(o_bias, "o_bias", m.o_bias, m.hidden);
  const bool biases = m.mlp_bias && m.experts == 0;
  vector(gate_up_bias, "gate_up_bias", biases, m.widened() * share.common_ffn);
  vector(down_bias, "down_bias", biases, m.hidden);
  vector(sinks, "sinks", m.sinks, share.heads);
  vector(joint_q_norm, "joint_q_norm", m.joint_qk_norm, share.heads * m.head_dim);
  vector(joint_k_norm, "joint_k_norm", m.joint_qk_norm, share.kv_heads * m.head_dim);
  vector(attention_norm_bias, "attention_norm_bias", m.norm == NormKind::kLayerBias, m.hidden);
  vector(mlp_norm_bias, "mlp_norm_bias", m.norm == NormKind::kLayerBias, m.hidden);
  if (share.head_norms && !share.delta) {
    q_norm = replica.shared(rank, "q_norm", DType::kFp32, 1, m.head_dim);
    k_norm = replica.shared(rank, "k_norm", DType::kFp32, 1, m.head_dim);
  }
  if (m.post_norm) {
    attention_post_gain = replica.shared(rank, "attention_post_gain", DType::kFp32, 1, m.hidden);
    mlp_post_gain = replica.shared(rank, "mlp_post_gain", DType::kFp32, 1, m.hidden);
  }
  if (m.shared_gated && share.mixture)
    shared_router = replica.shared(rank, "shared_router_weights", kModelDType, m.hidden, 1);
  for (const Matrix* matrix : {&attention_gain,
                               &mlp_gain,
                               &qkv,
                               &o,
                               &gate_up,
                               &down,
                               &shared_router,
                               &qkv_bias,
                               &q_norm,
                               &k_norm,
                               &attention_post_gain,
                               &mlp_post_gain,
                               &latent_down,
                               &q_a_gain,
                               &kv_a_gain,
                               &q_nope,
                               &q_rope,
                               &k_up,
                               &v_up,
                               &o_bias,
                               &sinks,
                               &delta_in,
                               &delta_taps,
                               &delta_rate,
                               &delta_shift,
                               &delta_skip,
                               &delta_gain,
                               &joint_q_norm,
                               &joint_k_norm,
                               &gate_up_bias,
                               &down_bias,
                               &attention_norm_bias,
                               &mlp_norm_bias})
    if (!matrix->views.empty()) replica.declare_input(matrix->tensor);
}

void LayerWeights::allocate_delta(Replica& replica, std::size_t rank, const ModelShape& m,
                                  const RankShare& share) {
  const DeltaHeads heads = share.delta_heads(m);
  const std::uint64_t cores = share.physical_cores;
  delta_in = replica.shared(rank, "delta_weights", m.weights, m.hidden, cores * heads.columns());
  delta_taps = replica.shared(rank, "delta_taps", DType::kFp32, m.delta.taps + (m.delta.tap_bias ? 1 : 0),
                              cores * heads.channels());
  delta_rate = replica.shared(rank, "delta_rate", DType::kFp32, 1, cores * heads.value_heads);
  delta_shift = replica.shared(rank, "delta_shift", DType::kFp32, 1, cores * heads.value_heads);
  if (heads.scans())
    delta_skip = replica.shared(rank, "delta_skip", DType::kFp32, 1, cores * heads.value_heads);
  delta_gain = replica.shared(rank, "delta_gain", DType::kFp32, 1,
                              heads.scans() ? cores * heads.gains() : m.delta.value_dim);
}

void LayerWeights::allocate_latent(Replica& replica, std::size_t rank, const ModelShape& m,
                                   const RankShare& share) {
  const LatentShape& l = m.latent;
  const auto weights = [&](const char* name, std::uint64_t rows, std::uint64_t columns) {
    return replica.shared(rank, name, m.weights, rows, columns);
  };
  const std::uint64_t from = l.query_input(m.hidden), keys = share.heads * l.nope;
  latent_down = weights("latent_weights", m.hidden, l.down());
  if (l.q_rank > 0) q_a_gain = replica.shared(rank, "q_a_gain", DType::kFp32, 1, l.q_rank);
  kv_a_gain = replica.shared(rank, "kv_a_gain", DType::kFp32, 1, l.kv_rank);
  q_nope = weights("q_weights", from, keys);
  q_rope = weights("q_rope_weights", from, share.heads * l.rope);
  k_up = share.absorbed ? weights("k_weights", keys, l.kv_rank) : weights("k_weights", l.kv_rank, keys);
  v_up = weights("v_weights", l.kv_rank, share.heads * l.values);
}

void LayerWeights::fill(runtime::Machine& machine, const Replica& replica, std::size_t rank,
                        const ModelShape& model, const HostWeights& w, const RankShare& share) const {
  fill_all(machine, replica, attention_gain, w.attention_gain);
  if (share.feeds) fill_all(machine, replica, mlp_gain, w.mlp_gain);
  if (!q_norm.views.empty()) {
    fill_all(machine, replica, q_norm, w.q_norm);
    fill_all(machine, replica, k_norm, w.k_norm);
  }
  if (model.post_norm) {
    fill_all(machine, replica, attention_post_gain, w.attention_post_gain);
    fill_all(machine, replica, mlp_post_gain, w.mlp_post_gain);
  }
  if (model.norm == NormKind::kLayerBias) {
    fill_all(machine, replica, attention_norm_bias, w.attention_norm_bias);
    fill_all(machine, replica, mlp_norm_bias, w.mlp_norm_bias);
  }
  if (model.shared_gated && share.mixture) fill_all(machine, replica, shared_router, w.shared_router);
  if (share.delta && !model.delta.scans()) fill_all(machine, replica, delta_gain, w.delta_gain);
  if (model.latent) fill_all(machine, replica, kv_a_gain, w.kv_a_gain);
  if (model.latent.q_rank > 0) fill_all(machine, replica, q_a_gain, w.q_a_gain);
  fill_products(machine, replica, rank, model, w, share);
}

void LayerWeights::fill_products(runtime::Machine& machine, const Replica& replica, std::size_t rank,
                                 const ModelShape& model, const HostWeights& w,
                                 const RankShare& share) const {
  for (Matrix LayerWeights::*part : {&LayerWeights::qkv,          &LayerWeights::o,
                                     &LayerWeights::gate_up,      &LayerWeights::down,
                                     &LayerWeights::qkv_bias,     &LayerWeights::o_bias,
                                     &LayerWeights::sinks,        &LayerWeights::joint_q_norm,
                                     &LayerWeights::joint_k_norm, &LayerWeights::delta_in,
                                     &LayerWeights::delta_taps,   &LayerWeights::delta_rate,
                                     &LayerWeights::delta_shift,  &LayerWeights::delta_skip,
                                     &LayerWeights::delta_gain,   &LayerWeights::gate_up_bias,
                                     &LayerWeights::down_bias,    &LayerWeights::latent_down,
                                     &LayerWeights::q_nope,       &LayerWeights::q_rope,
                                     &LayerWeights::k_up,         &LayerWeights::v_up}) {
    const Matrix& matrix = this->*part;
    if (matrix.views.empty()) continue;                                       // not every model has it
    if (part == &LayerWeights::delta_gain && !model.delta.scans()) continue;  // fill() has copied all of it
    HostTensor values = runtime::make_tensor(matrix.tensor.name, matrix.tensor.dtype, matrix.tensor.shape);
    for (const WeightBlock& block : blocks_of(model, share, rank))
      if (block.part == part) copy_block(w.*block.whole, block.window, values, block.place());
    fill_all(machine, replica, matrix, values);
  }
}

void fill_all(runtime::Machine& machine, const Replica& replica, const Matrix& matrix,
              const HostTensor& values) {
  for (std::size_t g = 0; g < replica.alike().size(); ++g)
    machine.write(replica.at(g, matrix.tensor), std::span(values.values));
}

}  // namespace tahoma::workloads
