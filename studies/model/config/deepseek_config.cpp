// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/deepseek_config.h"

#include <fmt/format.h>

#include <cmath>

namespace tahoma::runtime {

namespace {

void read_latent(const ConfigReader& in, ModelConfig& c) {
  LatentDimensions& l = c.latent;
  l.kv_rank = in.count("kv_lora_rank", 16, 512);
  if (in.has("q_lora_rank")) l.q_rank = in.count("q_lora_rank", 16, 16384);
  l.nope = in.count("qk_nope_head_dim", 16, kMostHead);
  l.rope = in.count("qk_rope_head_dim", 16, 128);
  if (l.rope % 2 != 0) in.refuse("qk_rope_head_dim", "an even number");
  l.values = in.count("v_head_dim", 16, kMostHead);
  // Newer files have head_dim, and mean the rotated features.
  if (c.head_dim != 0 && c.head_dim != l.rope && c.head_dim != l.nope + l.rope)
    throw base::UserError(
        "E-HFC-006", in.place("head_dim"),
        fmt::format("expected qk_rope_head_dim, {}, or nothing; got {}", l.rope, c.head_dim));
  c.head_dim = l.nope + l.rope;
  if (c.head_dim > kMostHead)
    throw base::UserError(
        "E-HFC-005", in.place("qk_nope_head_dim"),
        fmt::format("gives heads of {} features with the {} of qk_rope_head_dim; the kernels take at most {}",
                    c.head_dim, l.rope, kMostHead));
  if (c.kv_heads != 0 && c.kv_heads != c.heads)
    throw base::UserError("E-HFC-006", in.place("num_key_value_heads"),
                          fmt::format("expected the {} attention heads, got {}", c.heads, c.kv_heads));
}

// Without experts all layers have the feed-forward part of intermediate_size.
void read_mixture(const ConfigReader& in, ModelConfig& c) {
  if (!in.has("n_routed_experts")) return;
  constexpr std::uint64_t kMostFeatures = std::uint64_t{1} << 20;
  c.experts = in.count("n_routed_experts", 1, 512);
  c.dense_layers = in.has("first_k_dense_replace") ? in.count("first_k_dense_replace", 0, c.layers - 1) : 0;
  c.dense_ffn = c.dense_layers > 0 ? c.ffn : 0;
  c.ffn = in.count("moe_intermediate_size", 16, kMostFeatures);
  if (in.has("n_shared_experts")) c.shared_ffn = c.ffn * in.count("n_shared_experts", 0, 64);
  c.normalised_gates = in.flag("norm_topk_prob", false);
}

double magnitude(double factor, double share) { return factor > 1 ? 0.1 * share * std::log(factor) + 1 : 1; }

}  // namespace

void read_deepseek(const ConfigReader& in, ModelConfig& c) {
  for (const char* key : {"n_group", "topk_group"})
    if (in.has(key)) in.count(key, 0, 1024);  // without influence on a greedy choice
  read_latent(in, c);
  read_mixture(in, c);
}

void read_yarn(const ConfigReader& in, ModelConfig& c) {
  const auto real = [&](const char* key, double absent) {
    return in.has(key) ? in.real(key, 1e-3, 1e6) : absent;
  };
  c.rope_beta_fast = real("beta_fast", 32);
  c.rope_beta_slow = real("beta_slow", 1);
  c.rope_original_context = in.count("original_max_position_embeddings", 1, std::uint64_t{1} << 24);
  if (c.rope_beta_fast <= c.rope_beta_slow)
    throw base::UserError(
        "E-HFC-006", in.place("beta_fast"),
        fmt::format("expected more than beta_slow, {:g}; got {:g}", c.rope_beta_slow, c.rope_beta_fast));
  const double of_angles = in.has("mscale") ? in.real("mscale", 0, 100) : 1,
               of_scores = in.has("mscale_all_dim") ? in.real("mscale_all_dim", 0, 100) : 0;
  if (of_angles != of_scores)
    throw base::UserError("E-HFC-005", in.place("mscale"),
                          fmt::format("gives the rotated features a factor, which the kernels lack; expected "
                                      "mscale_all_dim, {:g}, got {:g}",
                                      of_scores, of_angles));
  c.score_factor = std::pow(magnitude(c.rope_factor, of_scores), 2);
}

}  // namespace tahoma::runtime
