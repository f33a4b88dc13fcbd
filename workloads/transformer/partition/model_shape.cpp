// SPDX-License-Identifier: Apache-2.0
// The dimensions of a model and what its layers have.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "workloads/attention/flash_kernel.h"
#include "workloads/moe/routing_kernel.h"
#include "workloads/transformer/partition/transformer_params.h"

namespace tahoma::workloads {

using base::chosen;

std::vector<double> rope_divisors(const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    double number = 0;
    const auto [rest, error] = std::from_chars(text.data() + begin, text.data() + end, number);
    numbers.push_back(error == std::errc{} && rest == text.data() + end ? number : 0);
    begin = end + 1;
  }
  return numbers;
}

void RotaryAngles::declare(base::ParamTree& t) {
  t.add("scaling", scaling, RopeScaling::kNone, kRopeScalings,
        "angles of the rotary embedding for long contexts", chosen());
  t.add("factor", factor, 1.0, {1.0, 1e4}, "how much smaller the scaled angles are", chosen());
  t.add("low_frequency_factor", low_frequency_factor, 1.0, {1e-3, 1e3},
        "llama3: wavelengths above original_context / this are scaled", chosen());
  t.add("high_frequency_factor", high_frequency_factor, 4.0, {1e-3, 1e3},
        "llama3: wavelengths below original_context / this are not scaled", chosen());
  t.add("original_context", original_context, std::uint64_t{8192}, {1, std::uint64_t{1} << 24},
        "llama3 and yarn: tokens of a sequence in the original training", chosen());
  t.add("beta_fast", beta_fast, 32.0, {1e-3, 1e6},
        "yarn: pairs that turn more often in original_context tokens are not scaled", chosen());
  t.add("beta_slow", beta_slow, 1.0, {1e-3, 1e6},
        "yarn: pairs that turn less often in original_context tokens are scaled", chosen());
  t.add("features", features, std::uint64_t{0}, {0, 256},
        "first features of a head that are turned, an even number; 0: all", chosen());
  t.add("global", global, true, "global layers have the rotary embedding, too", chosen());
  t.add("local", local, true, "local layers have the rotary embedding", chosen());
  t.add("truncated", truncated, true, "yarn: the ends of the interpolation are whole numbers of pairs",
        chosen());
  t.add("divisors", divisors, std::string(), {},
        "divisors of the angles, one for each pair of turned features, such as 1.0,1.5; empty: none",
        chosen());
  t.add("magnitude", magnitude, 1.0, {1e-3, 1e3}, "factor of the cosines and sines", chosen());
  t.add("local_theta", local_theta, 0.0, {0.0, 1e9},
        "base of the angles of local layers, which are not scaled; 0: all layers have those of theta",
        chosen());
}

void ModelShape::declare(base::ParamTree& t) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  t.add("name", name, std::string("custom"), {}, "name of the model in reports", chosen());
  t.add("layers", layers, std::uint64_t{1}, {1, 1000}, "layers of the whole model", chosen());
  t.add("hidden", hidden, std::uint64_t{4096}, {64, kMost}, "features of a token", chosen());
  t.add("heads", heads, std::uint64_t{32}, {1, 1024}, "heads of queries", chosen());
  t.add("kv_heads", kv_heads, std::uint64_t{8}, {1, 1024}, "heads of keys and values", chosen());
  t.add("head_dim", head_dim, std::uint64_t{128}, {16, 256}, "features of a head, an even number", chosen());
  t.add("ffn", ffn, std::uint64_t{14336}, {16, kMost}, "hidden features of the feed-forward part", chosen());
  t.add("vocabulary", vocabulary, std::uint64_t{0}, {0, kMost}, "rows of the embedding, for the footprint",
        chosen());
  t.add("experts", experts, std::uint64_t{0}, {0, 512},
        "experts of a layer, of which each token uses some; 0: one feed-forward part for all tokens",
        chosen());
  t.add("experts_per_token", experts_per_token, std::uint64_t{2}, {1, kMostChosen}, "experts of a token",
        chosen());
  t.add("normalised_gates", normalised_gates, true,
        "the gates of a token are a softmax over its experts; false: over all experts", chosen());
  t.add("gate_function", gate_function, GateFunction::kSoftmax, kGateFunctions,
        "gates: a softmax, or sigmoids, of which normalised ones are divided by their sum", chosen());
  t.add("gate_factor", gate_factor, 1.0, {1e-3, 1e3}, "factor of the gates", chosen());
  t.add("gated_inputs", gated_inputs, false,
        "gates multiply the inputs of experts instead of their outputs; for one expert of a token", chosen());
  t.add("expert_every", expert_every, std::uint64_t{1}, {1, 1000},
        "every layer of this number has experts, the others a feed-forward part of dense_ffn", chosen());
  t.add("shared_ffn", shared_ffn, std::uint64_t{0}, {0, kMost},
        "hidden features of an expert that every token uses beside its own; 0: there is none", chosen());
  t.add("shared_gated", shared_gated, false,
        "the shared expert's output is multiplied by the sigmoid of a product with the token", chosen());
  t.add("expert_latent", expert_latent, std::uint64_t{0}, {0, kMost},
        "features of a product with the token that its experts have instead of it; 0: they have the token",
        chosen());
  t.add("padding_heads", padding_heads, std::uint64_t{0}, {0, 1023},
        "of the heads of queries, the last ones of each group, which the tensor degree needs and the model "
        "has not: they count as no work",
        chosen());
  t.add("dense_layers", dense_layers, std::uint64_t{0}, {0, 1000},
        "first layers of a mixture that have one feed-forward part instead of experts", chosen());
  t.add("dense_ffn", dense_ffn, std::uint64_t{0}, {0, kMost}, "hidden features of that part", chosen());
  t.add("epsilon", epsilon, 1e-5, {0.0, 1.0}, "added to the mean square in a norm", chosen());
  t.add("theta", theta, 500000.0, {1.0, 1e9}, "base of the rotary embedding's angles", chosen());
  t.group("rope", rope);
  t.group("latent", latent);
  t.group("delta", delta);
  t.add("sublayers", sublayers.text, std::string(), {},
        "sublayers of all layers, such as ME*EM: M has the rule of delta, * attention, and the E or - behind "
        "it "
        "experts or one feed-forward part; empty: all layers have two, by global_every, dense_layers and "
        "expert_every",
        chosen());
  t.add("attention_gate", attention_gate, false,
        "the outputs of attention are multiplied by sigmoids of a product with the token", chosen());
  t.add("weights", weights, isa::DType::kBf16,
        {isa::DType::kBf16, isa::DType::kFp8E4M3, isa::DType::kFp8E5M2, isa::DType::kFp8E3M4},
        "element type of the matrices of the layers; router, embedding and logits' matrix are bf16",
        chosen());
  t.add("activations", activations, isa::DType::kBf16,
        {isa::DType::kBf16, isa::DType::kFp8E4M3, isa::DType::kFp8E5M2},
        "element type of what is multiplied by these matrices, bf16 or that of the weights; fp8 doubles the "
        "rate of "
        "the array. The residual stream, scores and caches are bf16",
        chosen());
  t.add("qkv_bias", qkv_bias, false, "queries, keys and values have a bias", chosen());
  t.add("o_bias", o_bias, false, "the output of attention has a bias", chosen());
  t.add("mlp_bias", mlp_bias, false, "the products of the feed-forward part have biases", chosen());
  t.add("qk_norm", qk_norm, false, "each head of queries and keys passes an RMS norm before its rotation",
        chosen());
  t.add("qk_norm_global", qk_norm_global, true, "global layers have these norms, too", chosen());
  t.add("qkv_limit", qkv_limit, 0.0, {0.0, 1e4},
        "queries, keys and values are at most this away from 0; 0: as they are", chosen());
  t.add("joint_qk_norm", joint_qk_norm, false,
        "the features of all heads of queries, and of keys, pass one RMS norm before their rotation",
        chosen());
  t.add("positions", positions, std::uint64_t{0}, {0, kMost},
        "rows of a learned matrix, of which each token adds that of its position to its embedding; 0: none",
        chosen());
  t.add("logit_bias", logit_bias, false, "the logits have a bias", chosen());
  t.add("activation", activation, isa::ActFn::kSilu, base::Choice<isa::ActFn>(kGateActivations),
        "of the gate of the feed-forward part, or of its hidden features", chosen());
  t.add("gate_limit", gate_limit, 0.0, {0.0, 1e4},
        "the gate is at most this, the second product at most this away from 0, and 1 is added to it; 0: as "
        "they "
        "are",
        chosen());
  t.add("sinks", sinks, false, "each head has a score beside those of the keys, which has no value",
        chosen());
  t.add("gated", gated, true, "the feed-forward part has a gate and a second product", chosen());
  t.add("squared", squared, false, "without a gate, and with relu: hidden features are its squares",
        chosen());
  t.add("norm", norm, NormKind::kRms, kNormKinds,
        "norms in front of the sublayers and of the logits: RMS norm, or layer norm without or with a bias",
        chosen());
  t.add("pre_norm", pre_norm, true, "attention and the feed-forward part begin with a norm", chosen());
  t.add(
      "norm_sums", norm_sums, false,
      "the sums of the residual stream and a sublayer pass the sublayer's norm; for prefills without logits",
      chosen());
  t.add("bidirectional", bidirectional, false,
        "queries see the keys of all tokens, those behind them, too; for prefills", chosen());
  t.add("parallel", parallel, false,
        "the feed-forward part has the normalised input of attention instead of the sum behind it", chosen());
  t.add("parallel_norm", parallel_norm, false, "that input has a norm of its own in the feed-forward part",
        chosen());
  t.add("post_norm", post_norm, false,
        "the outputs of attention and of the feed-forward part pass an RMS norm before they are added",
        chosen());
  t.add("query_scale", query_scale, 0.0, {0.0, 1.0}, "factor of the scores; 0: 1 / sqrt(head_dim)", chosen());
  t.add("score_cap", score_cap, 0.0, {0.0, double{kMostCap}},
        "scores become this times tanh(score / this); 0: as they are", chosen());
  t.add("window", window, std::uint64_t{0}, {0, std::uint64_t{1} << 32},
        "keys that a query of a local layer sees, its own among them; 0: all", chosen());
  t.add("global_every", global_every, std::uint64_t{0}, {0, 1000},
        "every layer of this number is not local; 0: all layers are. Local layers have window and "
        "rope.local_theta",
        chosen());
  t.add("logit_cap", logit_cap, 0.0, {0.0, 1e4}, "the same of the logits", chosen());
}

double ModelShape::score_scale() const {
  return query_scale > 0 ? query_scale : 1 / std::sqrt(static_cast<double>(head_dim));
}

const char* ModelShape::beyond_llama() const {
  if (latent) return "workload.model.latent.kv_rank";
  if (delta) return "workload.model.delta.value_heads";
  if (sublayers) return "workload.model.sublayers";
  if (padding_heads > 0) return "workload.model.padding_heads";
  if (attention_gate) return "workload.model.attention_gate";
  if (qkv_bias) return "workload.model.qkv_bias";
  if (qk_norm) return "workload.model.qk_norm";
  if (norm_sums) return "workload.model.norm_sums";
  if (bidirectional) return "workload.model.bidirectional";
  if (qkv_limit > 0) return "workload.model.qkv_limit";
  if (joint_qk_norm) return "workload.model.joint_qk_norm";
  if (positions > 0) return "workload.model.positions";
  if (logit_bias) return "workload.model.logit_bias";
  if (o_bias) return "workload.model.o_bias";
  if (mlp_bias) return "workload.model.mlp_bias";
  if (!gated) return "workload.model.gated";
  if (gate_limit > 0) return "workload.model.gate_limit";
  if (sinks) return "workload.model.sinks";
  if (norm != NormKind::kRms) return "workload.model.norm";
  if (!pre_norm) return "workload.model.pre_norm";
  if (parallel) return "workload.model.parallel";
  if (!rope.global) return "workload.model.rope.global";
  if (!rope.local) return "workload.model.rope.local";
  if (activation != isa::ActFn::kSilu) return "workload.model.activation";
  if (post_norm) return "workload.model.post_norm";
  if (query_scale > 0) return "workload.model.query_scale";
  if (score_cap > 0) return "workload.model.score_cap";
  if (logit_cap > 0) return "workload.model.logit_cap";
  if (window > 0) return "workload.model.window";
  if (rope.features > 0) return "workload.model.rope.features";
  return rope.local_theta > 0 ? "workload.model.rope.local_theta" : nullptr;
}

double ModelShape::attention_weights() const {
  const auto d = [](std::uint64_t n) { return static_cast<double>(n); };
  if (!latent)
    return d(hidden) * d(head_dim) * d((attention_gate ? 3 : 2) * counted_heads() + 2 * counted_kv_heads());
  return latent.common_weights(hidden) + latent.head_weights(hidden, heads) +
         d(hidden) * d(heads * latent.values);
}

double ModelShape::mixer_weights(std::uint64_t layer) const {
  return has_delta(layer) ? delta.weights(hidden) : attention_weights();
}

double ModelShape::layer_weights() const {
  const auto d = [](std::uint64_t n) { return static_cast<double>(n); };
  return attention_weights() + expert_weights() * d(feed_forwards()) + d(hidden) * d(experts) +
         2 * d(hidden) * d(expert_latent) + ffn_weights(shared_ffn) + (shared_gated ? d(hidden) : 0) +
         2 * d(hidden);
}

double ModelShape::dense_weights() const {
  const std::uint64_t features = experts > 0 ? dense_ffn : ffn;
  return attention_weights() + ffn_weights(features) + 2 * static_cast<double>(hidden);
}

double ModelShape::used_weights(std::uint64_t layer) const {
  const double both = has_experts(layer) ? token_weights() : dense_weights();
  return mixer_weights(layer) +
         (has_feed_forward(layer) ? both - attention_weights() - 2 * static_cast<double>(hidden) : 0);
}

double ModelShape::token_weights() const {
  const std::uint64_t idle = experts > 0 ? experts - experts_per_token : 0;
  return layer_weights() - expert_weights() * static_cast<double>(idle);
}

}  // namespace tahoma::workloads
