// SPDX-License-Identifier: Apache-2.0
// The inputs of a case on the host, from their files or the seed.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

#include "isa/core/dtype.h"
#include "workloads/common/row_numbers.h"
#include "workloads/transformer/layer/layer_weights.h"

namespace tahoma::workloads {

using isa::DType;
using runtime::HostTensor;

namespace {

// From its file, or from the seed if there is none.
HostTensor input_or(const TransformerParams& params, const char* name, DType dtype,
                    const std::vector<std::uint64_t>& shape, std::uint64_t seed, const Uniform& uniform) {
  const std::string& path = params.inputs.of(name);
  return path.empty() ? generated(name, dtype, shape, seed, uniform)
                      : runtime::load_input(path, name, dtype, shape);
}

// A tensor of every layer, and its values if there is no file.
struct Maker {
  const TransformerParams& params;
  std::uint64_t seed;

  std::vector<HostTensor> layers(const char* name, DType dtype, std::uint64_t rows, std::uint64_t columns,
                                 const Uniform& uniform) const {
    const HostTensor all = input_or(params, name, dtype, {params.layers, rows, columns}, seed, uniform);
    std::vector<HostTensor> result;
    const std::size_t bytes = rows * columns * isa::size_of(dtype);
    for (std::uint64_t l = 0; l < params.layers; ++l) {
      HostTensor& one = result.emplace_back(runtime::make_tensor(name, dtype, {rows, columns}));
      std::copy_n(all.values.data() + l * bytes, bytes, one.values.data());
    }
    return result;
  }
};

// The tensors of a layer: their destination, their size, and how many of them are stacked.
struct Row {
  const char* name;
  HostTensor HostWeights::*to;
  bool gain;
  std::uint64_t rows, columns, count = 1;
};

// Biases and gains of heads, and gains behind the sublayers.
void add_head_vectors(HostCase& values, const Maker& maker) {
  const ModelShape& m = maker.params.model;
  const std::uint64_t d = m.head_dim;
  struct Vector {
    const char* name;
    HostTensor HostWeights::*to;
    bool wanted;
    std::uint64_t columns;
    Uniform uniform;
    std::uint64_t rows = 1;
  };
  const bool layer_bias = m.norm == NormKind::kLayerBias;
  const std::uint64_t parts = m.feed_forwards();
  const std::array<Vector, 17> vectors{
      {{"q_bias", &HostWeights::q_bias, m.qkv_bias, m.heads * d, {}},
       {"k_bias", &HostWeights::k_bias, m.qkv_bias, m.kv_heads * d, {}},
       {"v_bias", &HostWeights::v_bias, m.qkv_bias, m.kv_heads * d, {}},
       {"q_norm", &HostWeights::q_norm, m.qk_norm, d, {1, 0.5}},
       {"k_norm", &HostWeights::k_norm, m.qk_norm, d, {1, 0.5}},
       {"attention_post_gain", &HostWeights::attention_post_gain, m.post_norm, m.hidden, {1, 0.5}},
       {"mlp_post_gain", &HostWeights::mlp_post_gain, m.post_norm, m.hidden, {1, 0.5}},
       {"o_bias", &HostWeights::o_bias, m.o_bias, m.hidden, {}},
       {"gate_bias", &HostWeights::gate_bias, m.mlp_bias && m.gated, m.ffn, {}, parts},
       {"up_bias", &HostWeights::up_bias, m.mlp_bias, m.ffn, {}, parts},
       {"down_bias", &HostWeights::down_bias, m.mlp_bias, m.hidden, {}, parts},
       {"attention_norm_bias", &HostWeights::attention_norm_bias, layer_bias, m.hidden, {}},
       {"mlp_norm_bias", &HostWeights::mlp_norm_bias, layer_bias, m.hidden, {}},
       {"router_bias", &HostWeights::router_bias, m.mlp_bias && m.experts > 0, m.experts, {}},
       {"sinks", &HostWeights::sinks, m.sinks, m.heads, {}},
       {"joint_q_norm", &HostWeights::joint_q_norm, m.joint_qk_norm, m.heads * d, {1, 0.5}},
       {"joint_k_norm", &HostWeights::joint_k_norm, m.joint_qk_norm, m.kv_heads * d, {1, 0.5}}}};
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const Vector& v = vectors[i];
    if (!v.wanted) continue;
    auto layers = maker.layers(v.name, DType::kFp32, v.rows, v.columns, v.uniform);
    for (std::uint64_t l = 0; l < maker.params.layers; ++l) values.weights[l].*v.to = std::move(layers[l]);
  }
}

void add_shared_expert(HostCase& values, const Maker& maker) {
  const ModelShape& m = maker.params.model;
  std::vector<Row> rows{{"shared_gate", &HostWeights::shared_gate, false, m.hidden, m.shared_ffn},
                        {"shared_up", &HostWeights::shared_up, false, m.hidden, m.shared_ffn},
                        {"shared_down", &HostWeights::shared_down, false, m.shared_ffn, m.hidden}};
  if (!m.gated) rows.erase(rows.begin());
  if (m.shared_gated) rows.push_back({"shared_router", &HostWeights::shared_router, false, m.hidden, 1});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    auto layers = maker.layers(row.name, row.columns == 1 ? kModelDType : m.weights, row.rows, row.columns,
                               {0, std::sqrt(3.0 / static_cast<double>(row.rows))});
    for (std::uint64_t l = 0; l < maker.params.layers; ++l) values.weights[l].*row.to = std::move(layers[l]);
  }
}

// The layers without experts of a mixture.
void add_dense_layers(HostCase& values, const Maker& maker) {
  const ModelShape& m = maker.params.model;
  const Row rows[] = {{"dense_gate", &HostWeights::gate, false, m.hidden, m.dense_ffn},
                      {"dense_up", &HostWeights::up, false, m.hidden, m.dense_ffn},
                      {"dense_down", &HostWeights::down, false, m.dense_ffn, m.hidden}};
  for (std::size_t i = m.gated ? 0 : 1; i < std::size(rows); ++i) {
    auto layers = maker.layers(rows[i].name, m.weights, rows[i].rows, rows[i].columns,
                               {0, std::sqrt(3.0 / static_cast<double>(rows[i].rows))});
    for (std::uint64_t l = 0; l < maker.params.layers; ++l) {
      if (m.has_experts(maker.params.first_layer + l)) continue;
      values.weights[l].*rows[i].to = std::move(layers[l]);
      values.weights[l].dense = true;
    }
  }
}

// Columns [first, first + count) of each group of `pitch`, side by side; transposed below one another.
HostTensor split(const HostTensor& all, std::uint64_t pitch, std::uint64_t first, std::uint64_t count,
                 bool transposed = false) {
  const std::uint64_t rows = all.rows(), groups = all.columns() / pitch;
  const std::vector<std::uint64_t> shape = transposed ? std::vector<std::uint64_t>{groups * count, rows}
                                                      : std::vector<std::uint64_t>{rows, groups * count};
  HostTensor result = runtime::make_tensor(all.name, all.dtype, shape);
  const std::size_t bytes = count * rows * isa::size_of(all.dtype);
  for (std::uint64_t g = 0; g < groups; ++g) {
    const runtime::Window window{0, g * pitch + first, rows, count};
    if (transposed)
      runtime::copy_window_transposed(all, window, result.values.data() + g * bytes);
    else
      copy_block(all, window, result, {0, g * count, rows, count});
  }
  return result;
}

void add_latent(HostCase& values, const Maker& maker) {
  const ModelShape& m = maker.params.model;
  const LatentShape& l = m.latent;
  std::vector<Row> rows{{"q", &HostWeights::q, false, l.query_input(m.hidden), m.heads * l.head()},
                        {"kv_a", &HostWeights::kv_a, false, m.hidden, l.cached()},
                        {"kv_a_gain", &HostWeights::kv_a_gain, true, 1, l.kv_rank},
                        {"kv_b", &HostWeights::kv_b, false, l.kv_rank, m.heads * (l.nope + l.values)}};
  if (l.q_rank > 0) {
    rows.push_back({"q_a", &HostWeights::q_a, false, m.hidden, l.q_rank});
    rows.push_back({"q_a_gain", &HostWeights::q_a_gain, true, 1, l.q_rank});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    auto layers =
        maker.layers(row.name, row.gain ? DType::kFp32 : m.weights, row.rows, row.columns,
                     row.gain ? Uniform{1, 0.5} : Uniform{0, std::sqrt(3.0 / static_cast<double>(row.rows))});
    for (std::uint64_t n = 0; n < maker.params.layers; ++n) values.weights[n].*row.to = std::move(layers[n]);
  }
  for (HostWeights& w : values.weights) {
    w.q_nope = split(w.q, l.head(), 0, l.nope);
    w.q_rope = split(w.q, l.head(), l.nope, l.rope);
    w.k_up = split(w.kv_b, l.nope + l.values, 0, l.nope, maker.params.phase == Phase::kDecode);
    w.v_up = split(w.kv_b, l.nope + l.values, l.nope, l.values);
  }
}

// The rows of o of the last heads of each group, which the model has not.
void clear_padding(HostTensor& o, const ModelShape& m) {
  const std::uint64_t group = m.group() == 1 ? m.heads : m.group(),
                      padding = m.padding_heads / (m.heads / group), row = m.hidden * isa::size_of(o.dtype);
  for (std::uint64_t head = 0; head < m.heads; ++head)
    if (head % group >= group - padding)
      std::fill_n(o.values.data() + head * m.head_dim * row, m.head_dim * row, std::byte{});
}

// Decays of a state are exp(rate softplus(.)): some are near 1, others forget a state within a few tokens.
void add_delta(HostCase& values, const Maker& maker) {
  const TransformerParams& params = maker.params;
  const DeltaRule& d = params.model.delta;
  const std::uint64_t hidden = params.model.hidden, channels = d.channels();
  const auto of = [](std::uint64_t inputs) {
    return Uniform{0, std::sqrt(3.0 / static_cast<double>(inputs))};
  };
  struct Tensor {
    const char* name;
    HostTensor HostWeights::*to;
    DType dtype;
    std::uint64_t rows, columns;
    Uniform uniform;
  };
  const DType matrix = params.model.weights, wide = DType::kFp32;
  const Tensor tensors[] = {
      {"delta_q", &HostWeights::delta_q, matrix, hidden, d.keys(), of(hidden)},
      {"delta_k", &HostWeights::delta_k, matrix, hidden, d.keys(), of(hidden)},
      {"delta_v", &HostWeights::delta_v, matrix, hidden, d.values(), of(hidden)},
      {"delta_z", &HostWeights::delta_z, matrix, hidden, d.values(), of(hidden)},
      {"delta_b", &HostWeights::delta_b, matrix, hidden, d.scans() ? 0 : d.value_heads, of(hidden)},
      {"delta_a", &HostWeights::delta_a, matrix, hidden, d.value_heads, of(hidden)},
      {"delta_o", &HostWeights::delta_o, matrix, d.values(), hidden, of(d.values())},
      {"delta_taps_q", &HostWeights::delta_taps_q, wide, d.taps, d.keys(), of(1)},
      {"delta_taps_k", &HostWeights::delta_taps_k, wide, d.taps, d.keys(), of(1)},
      {"delta_taps_v", &HostWeights::delta_taps_v, wide, d.taps, d.values(), of(1)},
      {"delta_rate", &HostWeights::delta_rate, wide, 1, d.value_heads, {-0.3, 0.29}},
      {"delta_shift", &HostWeights::delta_shift, wide, 1, d.value_heads, {}},
      {"delta_gain", &HostWeights::delta_gain, wide, 1, d.scans() ? d.values() : d.value_dim, {1, 0.5}},
      {"delta_bias_q", &HostWeights::delta_bias_q, wide, 1, d.tap_bias ? d.keys() : 0, {}},
      {"delta_bias_k", &HostWeights::delta_bias_k, wide, 1, d.tap_bias ? d.keys() : 0, {}},
      {"delta_bias_v", &HostWeights::delta_bias_v, wide, 1, d.tap_bias ? d.values() : 0, {}},
      {"delta_skip", &HostWeights::delta_skip, wide, 1, d.scans() ? d.value_heads : 0, {}}};
  for (std::size_t i = 0; i < std::size(tensors); ++i) {
    const Tensor& t = tensors[i];
    if (t.columns == 0) continue;
    auto layers = maker.layers(t.name, t.dtype, t.rows, t.columns, t.uniform);
    for (std::uint64_t l = 0; l < params.layers; ++l)
      if (values.weights[l].delta) values.weights[l].*t.to = std::move(layers[l]);
  }
  if (params.phase != Phase::kDecode) return;
  auto states = maker.layers("delta_states", wide, params.batch * d.value_heads * d.key_dim, d.value_dim, {}),
       past = maker.layers("delta_past", kModelDType, (d.taps - 1) * params.batch, channels, {});
  for (std::uint64_t l = 0; l < params.layers; ++l)
    if (values.weights[l].delta) values.caches[l] = {std::move(states[l]), std::move(past[l])};
}

// To the embedded tokens. Those of padding have the last position.
void add_positions(HostCase& values, const TransformerParams& params, std::uint64_t seed) {
  const ModelShape& m = params.model;
  HostTensor& learned = values.vocabulary.positions;
  learned = input_or(params, "positions", kModelDType, {m.positions, m.hidden}, seed, {});
  const std::size_t size = isa::size_of(kModelDType);
  for (std::uint64_t i = 0; i < params.all_rows(); ++i)
    for (std::uint64_t c = 0; c < m.hidden; ++c) {
      std::byte* to = values.x.values.data() + (i * m.hidden + c) * size;
      const std::byte* from = learned.values.data() + (params.position_of(i) * m.hidden + c) * size;
      isa::store_from_fp32(to, kModelDType,
                           isa::load_as_fp32(to, kModelDType) + isa::load_as_fp32(from, kModelDType));
    }
}

// The ids, the matrices at both ends, and the embedded tokens.
void add_vocabulary(HostCase& values, const TransformerParams& params, std::uint64_t seed) {
  const ModelShape& m = params.model;
  HostVocabulary& v = values.vocabulary;
  v.ids = token_ids(params, seed);
  v.embedding = input_or(params, "embedding", kModelDType, {m.vocabulary, m.hidden}, seed, {});
  v.final_gain = input_or(params, "final_gain", DType::kFp32, {1, m.hidden}, seed, {1, 0.5});
  if (m.norm == NormKind::kLayerBias)
    v.final_bias = input_or(params, "final_bias", DType::kFp32, {1, m.hidden}, seed, {});
  v.head = input_or(params, "head", kModelDType, {m.hidden, m.vocabulary}, seed,
                    {0, std::sqrt(3.0 / static_cast<double>(m.hidden))});
  if (m.logit_bias) v.head_bias = input_or(params, "head_bias", DType::kFp32, {1, m.vocabulary}, seed, {});
  values.x = runtime::make_tensor("x", kModelDType, {params.all_rows(), m.hidden});
  const std::size_t row = m.hidden * isa::size_of(kModelDType);
  for (std::uint64_t i = 0; i < params.all_rows(); ++i)
    std::copy_n(v.embedding.values.data() + static_cast<std::size_t>(row_number(v.ids, i)) * row, row,
                values.x.values.data() + i * row);
  if (m.positions > 0) add_positions(values, params, seed);
}

}  // namespace

HostTensor token_ids(const TransformerParams& params, std::uint64_t seed) {
  const std::uint64_t rows = params.all_rows(), vocabulary = params.model.vocabulary;
  const std::string& path = params.inputs.of("ids");
  HostTensor ids = runtime::make_tensor("ids", DType::kInt32, {params.batch, params.sequence_rows()});
  if (path.empty())
    any_rows_below(vocabulary)(ids, seed);
  else
    ids = runtime::load_input(path, "ids", DType::kInt32, ids.shape);
  ids.shape = {rows, 1};
  refuse_rows_beyond(vocabulary)(ids);
  return ids;
}

HostTensor generated(const char* name, DType dtype, std::vector<std::uint64_t> shape, std::uint64_t seed,
                     const Uniform& uniform) {
  HostTensor tensor = runtime::make_tensor(name, dtype, std::move(shape));
  const runtime::GeneratedValues drawn(seed, name);
  const std::size_t size = isa::size_of(dtype);
  for (std::uint64_t i = 0; i < tensor.elements(); ++i)
    isa::store_from_fp32(tensor.values.data() + i * size, dtype,
                         static_cast<float>(uniform.middle + uniform.reach * drawn[i]));
  return tensor;
}

HostCase host_case(const TransformerParams& params, std::uint64_t seed) {
  const ModelShape& m = params.model;
  const Maker maker{params, seed};
  const std::uint64_t q = m.heads * m.head_dim, kv = m.kv_heads * m.head_dim;
  std::vector<Row> rows{{"attention_gain", &HostWeights::attention_gain, true, 1, m.hidden},
                        {"q", &HostWeights::q, false, m.hidden, q},
                        {"k", &HostWeights::k, false, m.hidden, kv},
                        {"v", &HostWeights::v, false, m.hidden, kv},
                        {"o", &HostWeights::o, false, m.heads * m.value_dim(), m.hidden},
                        {"mlp_gain", &HostWeights::mlp_gain, true, 1, m.hidden},
                        {"gate", &HostWeights::gate, false, m.expert_width(), m.ffn, m.feed_forwards()},
                        {"up", &HostWeights::up, false, m.expert_width(), m.ffn, m.feed_forwards()},
                        {"down", &HostWeights::down, false, m.ffn, m.expert_width(), m.feed_forwards()}};
  if (m.expert_latent > 0) {
    rows.push_back({"expert_in", &HostWeights::expert_in, false, m.hidden, m.expert_latent});
    rows.push_back({"expert_out", &HostWeights::expert_out, false, m.expert_latent, m.hidden});
  }
  HostCase values;
  values.weights.resize(params.layers);
  for (const Row& row : rows) {
    if (!m.gated && row.to == &HostWeights::gate) continue;
    if (m.latent && (row.to == &HostWeights::q || row.to == &HostWeights::k || row.to == &HostWeights::v))
      continue;  // add_latent() makes others
    const auto uniform =
        row.gain ? Uniform{1, 0.5} : Uniform{0, std::sqrt(3.0 / static_cast<double>(row.rows))};
    auto layers = maker.layers(row.name, row.gain ? DType::kFp32 : m.weights, row.count * row.rows,
                               row.columns, uniform);
    for (std::uint64_t l = 0; l < params.layers; ++l) values.weights[l].*row.to = std::move(layers[l]);
  }
  if (m.padding_heads > 0)
    for (HostWeights& w : values.weights) clear_padding(w.o, m);
  const bool decodes = params.phase == Phase::kDecode;
  const std::uint64_t kept = params.batch * params.before();
  if (kept > 0 && m.latent) {
    for (HostTensor& latents : maker.layers("k_cache", kModelDType, kept, m.latent.cached(), {}))
      values.caches.push_back({std::move(latents), {}});
  } else if (kept > 0) {
    auto k = maker.layers("k_cache", kModelDType, kept, kv, {}),
         v = maker.layers("v_cache", kModelDType, kept, kv, {});
    for (std::uint64_t l = 0; l < params.layers; ++l)
      values.caches.push_back({std::move(k[l]), std::move(v[l])});
  } else {
    values.caches.resize(params.layers);
  }
  if (m.experts > 0) {
    auto routers = maker.layers("router", kModelDType, m.hidden, m.experts,
                                {0, std::sqrt(3.0 / static_cast<double>(m.hidden))});
    for (std::uint64_t l = 0; l < params.layers; ++l) values.weights[l].router = std::move(routers[l]);
  }
  if (m.shared_ffn > 0) add_shared_expert(values, maker);
  if (m.latent) add_latent(values, maker);
  if (m.experts > 0 && m.dense_ffn > 0) add_dense_layers(values, maker);
  const auto table = [&](bool local) {
    return decodes ? rope_table(m, params.context, 0, params.rows(), local)
                   : rope_table(m, params.cached, 1, params.tokens, local);
  };
  values.table = table(false);
  if (m.rope.local_theta > 0) values.local_table = table(true);
  for (std::uint64_t l = 0; l < params.layers; ++l) values.weights[l].local = m.local(params.first_layer + l);
  add_head_vectors(values, maker);
  for (std::uint64_t l = 0; l < params.layers; ++l)
    values.weights[l].delta = m.has_delta(params.first_layer + l);
  for (std::uint64_t l = 0; l < params.layers; ++l)
    values.weights[l].feeds = m.has_feed_forward(params.first_layer + l);
  for (std::uint64_t l = 0; l < params.layers; ++l)
    values.weights[l].head_norms = m.has_head_norms(params.first_layer + l);
  if (m.delta) add_delta(values, maker);
  if (m.attention_gate) {
    auto gates = maker.layers("attention_gate", m.weights, m.hidden, q,
                              {0, std::sqrt(3.0 / static_cast<double>(m.hidden))});
    for (std::uint64_t l = 0; l < params.layers; ++l) values.weights[l].attention_gate = std::move(gates[l]);
  }
  if (params.logits)
    add_vocabulary(values, params, seed);
  else
    values.x = runtime::input(params.inputs.of("x"), "x", kModelDType, {params.all_rows(), m.hidden}, seed);
  return values;
}

}  // namespace tahoma::workloads
