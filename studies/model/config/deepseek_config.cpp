// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/deepseek_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "studies/model/config/families.h"

namespace tahoma::runtime {

void read_latent(const ConfigReader& in, ModelConfig& c) {
  LatentDimensions& l = c.latent;
  l.kv_rank = in.count("kv_lora_rank", 16, 512);
  if (in.has("q_lora_rank")) l.q_rank = in.count("q_lora_rank", 16, 16384);
  l.nope = in.count("qk_nope_head_dim", 16, kMostHead);
  l.rope = in.count("qk_rope_head_dim", 16, 128);
  if (l.rope % 2 != 0) in.refuse("qk_rope_head_dim", "an even number");
  l.values = in.count("v_head_dim", 16, kMostHead);
  // Newer files have head_dim, and mean the rotated features or the others.
  if (c.head_dim != 0 && c.head_dim != l.rope && c.head_dim != l.nope && c.head_dim != l.nope + l.rope)
    throw base::UserError(
        "E-HFC-006", in.place("head_dim"),
        fmt::format("expected qk_rope_head_dim, {}, qk_nope_head_dim, {}, or nothing; got {}", l.rope, l.nope,
                    c.head_dim));
  c.head_dim = l.nope + l.rope;
  if (c.head_dim > kMostHead)
    throw base::UserError(
        "E-HFC-005", in.place("qk_nope_head_dim"),
        fmt::format("gives heads of {} features with the {} of qk_rope_head_dim; the kernels take at most {}",
                    c.head_dim, l.rope, kMostHead));
  if (c.kv_heads != 0 && c.kv_heads != c.heads)
    throw base::UserError("E-HFC-006", in.place("num_key_value_heads"),
                          fmt::format("expected the {} attention heads, got {}", c.heads, c.kv_heads));
  if (in.has("index_topk")) c.sparse_keys = in.count("index_topk", 1, std::uint64_t{1} << 20);
}

namespace {

// The types of feed-forward parts, if they are listed: first those without experts.
void check_layer_types(const ConfigReader& in, const ModelConfig& c) {
  if (!in.has("mlp_layer_types")) return;
  const nlohmann::ordered_json& types = in.json["mlp_layer_types"];
  for (std::uint64_t l = 0; l < c.layers; ++l)
    if (!types.is_array() || types.size() != c.layers ||
        types[l] != (l < c.dense_layers ? "dense" : "sparse"))
      throw base::UserError(
          "E-HFC-005", in.place("mlp_layer_types"),
          fmt::format("asks for layers without experts in another order; expected {} dense ones of "
                      "{}, then sparse ones",
                      c.dense_layers, c.layers));
}

// Without experts all layers have the feed-forward part of intermediate_size.
void read_mixture(const ConfigReader& in, ModelConfig& c) {
  if (!in.has("n_routed_experts")) return;
  constexpr std::uint64_t kMostFeatures = std::uint64_t{1} << 20;
  c.experts = in.count("n_routed_experts", 1, 512);
  c.dense_layers = in.has("first_k_dense_replace") ? in.count("first_k_dense_replace", 0, c.layers - 1) : 0;
  check_layer_types(in, c);
  c.dense_ffn = c.dense_layers > 0 ? c.ffn : 0;
  c.ffn = in.count("moe_intermediate_size", 16, kMostFeatures);
  if (in.has("n_shared_experts")) c.shared_ffn = c.ffn * in.count("n_shared_experts", 0, 64);
  c.normalised_gates = in.flag("norm_topk_prob", false);
}

double magnitude(double factor, double share) { return factor > 1 ? 0.1 * share * std::log(factor) + 1 : 1; }

}  // namespace

void read_routed(const ConfigReader& in, ModelConfig& c) {
  const char* gates = c.family->sigmoid_gates ? "sigmoid" : "softmax";
  if (in.has("scoring_func") && in.text("scoring_func") != gates)
    throw base::UserError("E-HFC-005", in.place("scoring_func"),
                          fmt::format("asks for other gates than this architecture's; expected {}, got {}",
                                      gates, in.text("scoring_func")));
  std::uint64_t groups = 1;
  for (const char* key : {"n_group", "topk_group"})
    if (in.has(key)) groups = std::max(groups, in.count(key, 0, 1024));
  const std::string method = in.has("topk_method") ? in.text("topk_method") : "greedy";
  if (method != "greedy" && method != "group_limited_greedy" && method != "noaux_tc")
    throw base::UserError("E-HFC-005", in.place("topk_method"),
                          fmt::format("expected greedy, group_limited_greedy or noaux_tc, got {}", method));
  read_mixture(in, c);
  if (c.experts == 0) return;
  if (groups > 1 && (c.family->sigmoid_gates || method != "greedy"))
    c.left_out.emplace_back("the choice among groups of experts, because the routing prescribes the experts");
  if (in.has("routed_scaling_factor")) c.gate_factor = in.real("routed_scaling_factor", 1e-3, 1e3);
}

void read_yarn(const ConfigReader& in, ModelConfig& c) {
  const auto real = [&](const char* key, double absent) {
    return in.has(key) ? in.real(key, 1e-3, 1e6) : absent;
  };
  c.rope_beta_fast = real("beta_fast", 32);
  c.rope_beta_slow = real("beta_slow", 1);
  c.rope_original_context = in.count("original_max_position_embeddings", 1, std::uint64_t{1} << 24);
  if (c.rope_beta_fast < c.rope_beta_slow)
    throw base::UserError(
        "E-HFC-006", in.place("beta_fast"),
        fmt::format("expected at least beta_slow, {:g}; got {:g}", c.rope_beta_slow, c.rope_beta_fast));
  c.rope_truncated = in.flag("truncate", true);
  const double of_scores = in.has("mscale_all_dim") ? in.real("mscale_all_dim", 0, 100) : 0,
               of_angles = in.has("mscale") ? in.real("mscale", 0, 100) : 1;
  c.rope_magnitude = magnitude(c.rope_factor, of_angles) / magnitude(c.rope_factor, of_scores);
  if (in.has("attention_factor")) c.rope_magnitude = in.real("attention_factor", 1e-3, 1e3);
  if (c.family->latent) c.score_factor = std::pow(magnitude(c.rope_factor, of_scores), 2);
}

}  // namespace tahoma::runtime
