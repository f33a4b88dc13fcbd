// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/part_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "studies/model/config/families.h"

namespace tahoma::runtime {

using base::UserError;
using Json = nlohmann::ordered_json;

void check_biases(const ConfigReader& in, const ModelConfig& c) {
  for (const char* key : {"bias", "use_bias", "attention_bias"})
    if (c.family->o_bias && !c.family->sinks && !in.flag(key, true))
      in.refuse(key, "true for this architecture");
  if (c.family->encoder && !in.flag("qkv_bias", true)) in.refuse("qkv_bias", "true for this architecture");
}

void read_sublayers(const ConfigReader& in, ModelConfig& c) {
  const ModelFamily& f = *c.family;
  const bool beside = in.flag("use_parallel_residual", true) && in.flag("parallel_attn", true),
             newer = in.flag("new_decoder_architecture", false);
  c.parallel = f.parallel && (!f.listed_parallel || beside || newer);
  const std::uint64_t norms =
      in.has("num_ln_in_parallel_attn") ? in.count("num_ln_in_parallel_attn", 1, 2) : 2;
  c.parallel_norm = c.parallel && (f.parallel_norm || (newer && norms == 2));
  if (f.listed_heads && !newer) c.kv_heads = in.flag("multi_query", true) ? 1 : c.heads;
  c.joint_qk_norm = f.joint_norm && in.flag("use_qk_norm", true);
  if (f.halved_ffn) c.ffn /= 2;
  if (in.has("attn_type_list"))
    for (const Json& type : in.json["attn_type_list"])
      if (type != 1)
        throw UserError("E-HFC-005", in.place("attn_type_list"),
                        fmt::format("asks for linear attention, which the kernels lack; expected 1 for every "
                                    "layer, got {}",
                                    brief_json(type)));
}

void read_interleaved(const ConfigReader& in, ModelConfig& c) {
  if (!c.family->interleaved) return;
  constexpr std::uint64_t kMostFeatures = std::uint64_t{1} << 20;
  if (in.has("attention_chunk_size")) c.chunk = in.count("attention_chunk_size", 2, std::uint64_t{1} << 32);
  c.qk_norm = in.flag("use_qk_norm", true);
  c.shared_ffn = c.ffn;
  c.normalised_gates = false;
  c.expert_every =
      in.has("interleave_moe_layer_step") ? in.count("interleave_moe_layer_step", 1, c.layers) : 1;
  if (c.expert_every > 1)
    c.dense_ffn =
        in.has("intermediate_size_mlp") ? in.count("intermediate_size_mlp", 16, kMostFeatures) : 16384;
  if (c.experts_per_token != 1)
    throw UserError(
        "E-HFC-005", in.place("num_experts_per_tok"),
        fmt::format("asks for gated inputs of {} experts a token; expected 1", c.experts_per_token));
}

void read_encoder(const ConfigReader& in, ModelConfig& c) {
  if (!c.family->encoder) return;
  if (in.has("image_size")) {
    const std::uint64_t along = in.count("image_size", 1, 65536) / in.count("patch_size", 1, 4096);
    c.longest = along * along + 1;
  }
  c.left_out.emplace_back(in.has("image_size")
                              ? "the product that makes tokens of patches, and what follows the layers"
                              : "the embedding of tokens, and what follows the layers");
}

void read_crossed(const ConfigReader& in, ModelConfig& c) {
  if (!c.family->cross_layers || !in.has("cross_attention_layers")) return;
  const Json& listed = in.json["cross_attention_layers"];
  if (!listed.is_array() || listed.size() >= c.layers)
    in.refuse("cross_attention_layers", fmt::format("a list of fewer than the {} layers", c.layers));
  c.crossed = listed.size();
  c.layers -= c.crossed;
  if (c.crossed > 0)
    c.left_out.push_back(fmt::format("{} layers that attend to images, which text passes by", c.crossed));
}

void read_blocks(const ConfigReader& in, ModelConfig& c) {
  if (!c.family->blocks) return;
  constexpr std::uint64_t kMostFeatures = std::uint64_t{1} << 20;
  if (in.has("hidden_act") && in.text("hidden_act") != "swigluoai") in.refuse("hidden_act", "swigluoai");
  if (in.has("swiglu_alpha") && in.real("swiglu_alpha", 0, 100) != 1.702) in.refuse("swiglu_alpha", "1.702");
  c.activation = "gelu_apprx_sigmoid";
  c.gate_limit = in.real("swiglu_limit", 1e-3, 1e4);
  if (in.has("routed_scaling_factor")) c.gate_factor = in.real("routed_scaling_factor", 1e-3, 1e3);
  if (in.has("shared_intermediate_size"))
    c.shared_ffn = in.count("shared_intermediate_size", 0, kMostFeatures);
  c.dense_layers = in.has("first_k_dense_replace") ? in.count("first_k_dense_replace", 0, c.layers - 1) : 0;
  if (c.dense_layers > 0) c.dense_ffn = in.count("dense_intermediate_size", 16, kMostFeatures);
  if (in.has("moe_layer_freq") && in.json["moe_layer_freq"].is_array())
    for (std::size_t l = 0; l < in.json["moe_layer_freq"].size(); ++l)
      if (in.json["moe_layer_freq"][l] != (l < c.dense_layers ? 0 : 1))
        in.refuse("moe_layer_freq",
                  fmt::format("0 for the first {} layers, and 1 for the others", c.dense_layers));
  if (!in.has("sparse_attention_config")) return;
  const std::string place = in.place("sparse_attention_config");
  const ConfigReader sparse{place, in.json["sparse_attention_config"]};
  if (!sparse.json.is_object()) in.refuse("sparse_attention_config", "an object");
  if (!sparse.flag("use_sparse_attention", true)) return;
  c.sparse_keys = sparse.count("sparse_topk_blocks", 1, 65536) * sparse.count("sparse_block_size", 1, 65536);
  c.sparse_key = "sparse_attention_config";
  c.left_out.emplace_back(
      "the choice of blocks of keys, which decides nothing for sequences that it keeps whole");
}

void read_delta(const ConfigReader& in, ModelConfig& c) {
  if (!c.family->delta) return;
  const auto count = [&](const char* key, std::uint64_t least, std::uint64_t most, std::uint64_t absent) {
    return in.has(key) ? in.count(key, least, most) : absent;
  };
  c.delta = {count("linear_num_value_heads", 1, 1024, 32), count("linear_num_key_heads", 1, 1024, 16),
             count("linear_key_head_dim", 16, 128, 128), count("linear_value_head_dim", 16, 128, 128),
             count("linear_conv_kernel_dim", 1, 16, 4)};
  if (c.delta.value_heads % c.delta.key_heads != 0)
    throw UserError("E-HFC-006", in.place("linear_num_key_heads"),
                    fmt::format("expected a divisor of the {} heads of values, got {}", c.delta.value_heads,
                                c.delta.key_heads));
}

namespace {

constexpr std::pair<const char*, char> kBlocks[] = {
    {"mamba", 'M'}, {"attention", '*'},        {"moe", 'E'},
    {"mlp", '-'},   {"linear_attention", 'M'}, {"full_attention", '*'}};
constexpr const char* kList = "layers_block_type";
constexpr const char* kTypes = "layer_types";
constexpr const char* kIndices = "attn_layer_indices";
constexpr const char* kPattern = "hybrid_override_pattern";

std::string blocks_in(const ConfigReader& in, const char* key) {
  const char* expected = "a list of mamba, attention, moe and mlp";
  if (!in.json[key].is_array()) in.refuse(key, expected);
  std::string text;
  for (const Json& block : in.json[key]) {
    const std::size_t before = text.size();
    for (const auto& [name, sublayer] : kBlocks)
      if (block == name) text += sublayer;
    if (text.size() == before) in.refuse(key, expected);
  }
  return text;
}

// Without a list all layers have Mamba-2, but those of attention by their numbers.
std::string mixers_in(const ConfigReader& in, std::uint64_t layers) {
  for (const char* key : {kTypes, kList})
    if (in.has(key)) return blocks_in(in, key);
  std::string text(layers, 'M');
  if (!in.has(kIndices)) return text;
  const char* expected = "a list of the numbers of layers";
  if (!in.json[kIndices].is_array()) in.refuse(kIndices, expected);
  for (const Json& layer : in.json[kIndices]) {
    if (!layer.is_number_unsigned() || layer.get<std::uint64_t>() >= layers) in.refuse(kIndices, expected);
    text[layer.get<std::uint64_t>()] = '*';
  }
  return text;
}

std::string listed(const ConfigReader& in, const ModelConfig& c) {
  if (!c.family->fed) return in.has(kList) ? blocks_in(in, kList) : in.text(kPattern);
  const bool mixture = c.family->experts_key != nullptr && in.has(c.family->experts_key) &&
                       in.json[c.family->experts_key] != 0;
  std::string text;
  for (const char mixer : mixers_in(in, c.layers)) text += {mixer, mixture ? 'E' : '-'};
  return text;
}

const char* key_of_list(const ConfigReader& in, const ModelConfig& c) {
  for (const char* key : {kTypes, kList})
    if (in.has(key) && (c.family->fed || key == kList)) return key;
  return c.family->fed ? kIndices : kPattern;
}

// "auto": the features of the stream times mamba_expand, divided among the heads.
std::uint64_t features_of_head(const ConfigReader& in, const ModelConfig& c) {
  const char* key = "mamba_head_dim";
  if (!c.family->fed) return in.count(key, 16, 128);
  const std::uint64_t all = in.count("mamba_expand", 1, 64) * c.hidden,
                      heads = in.count("mamba_num_heads", 1, 1024);
  const std::uint64_t features = in.json[key] == "auto" ? all / heads : in.count(key, 16, 128);
  if (features * heads != all || features < 16 || features > 128)
    throw UserError("E-HFC-006", in.place("mamba_n_heads"),
                    fmt::format("expected heads of 16 to 128 features that have the {} of mamba_expand times "
                                "hidden_size together, got {} of {}",
                                all, heads, features));
  return features;
}

// Norms of Mamba-2 are over all heads, those of the kernels over the heads that share keys.
void require_one_group(const ConfigReader& in) {
  if (in.count("n_groups", 1, 1024) == 1) return;
  throw UserError("E-HFC-005", in.place("mamba_n_groups"),
                  "asks for a norm over several groups of heads, which the kernels lack; expected 1");
}

// Granite 4 has layers of attention with the rotary embedding if it says so, Bamba always.
void read_positions(const ConfigReader& in, ModelConfig& c) {
  constexpr const char* kKey = "position_embedding_type";
  c.rotary = c.family->fed;
  if (!c.family->fed || !in.has(kKey)) return;
  const std::string type = in.text(kKey);
  if (type != "rope" && type != "nope") in.refuse(kKey, "rope or nope");
  c.rotary = type == "rope";
}

// Both limits are 0 or infinite in the models that were published.
void read_limits(const ConfigReader& in, DeltaDimensions& d) {
  if (!in.has("time_step_limit")) return;
  const Json& limits = in.json["time_step_limit"];
  constexpr double kNone = 1e6;  // beyond workload.model.delta.most_rate
  const bool numbers =
      limits.is_array() && limits.size() == 2 && limits[0].is_number() && limits[1].is_number();
  if (!numbers || !(limits[0] >= 0) || !(limits[1] > 0) || limits[0].get<double>() > limits[1].get<double>())
    in.refuse("time_step_limit", "the least and the largest step of a token, such as [0.0, Infinity]");
  d.least_step = limits[0].get<double>();
  d.most_step = limits[1].get<double>() <= kNone ? limits[1].get<double>() : 0;
}

}  // namespace

void count_sublayers(Json& values) {
  if (values.contains("num_hidden_layers")) return;
  if (values.contains(kList) && values[kList].is_array())
    values["num_hidden_layers"] = values[kList].size();
  else if (values.contains(kPattern) && values[kPattern].is_string())
    values["num_hidden_layers"] = values[kPattern].get<std::string>().size();
}

void read_states(const ConfigReader& in, ModelConfig& c) {
  if (!c.family->states) return;
  const char* key = key_of_list(in, c);
  c.sublayers.text = listed(in, c);
  if (c.sublayers.text.find_first_not_of("M*E-") != std::string::npos)
    in.refuse(key, "one of M, *, E and - for each layer");
  if (const std::uint64_t parts = c.sublayers.text.size() / (c.family->fed ? 2 : 1); parts != c.layers)
    throw UserError("E-HFC-006", in.place(key),
                    fmt::format("expected the parts of {} layers, got {}", c.layers, parts));
  if (!c.sublayers.legal())
    throw UserError("E-HFC-005", in.place(key),
                    "asks for feed-forward parts that follow none of Mamba-2 or attention, which the cases "
                    "lack; expected one at most behind each M or *");
  c.layers = c.sublayers.layers();
  read_positions(in, c);
  c.squared = !c.family->gated;
  if (c.squared) c.activation = "relu";
  if (!c.sublayers.have('M')) return;  // Granite 4 Micro
  if (c.family->fed) require_one_group(in);
  c.delta = {in.count("mamba_num_heads", 1, 1024), in.count("n_groups", 1, 1024),
             in.count("ssm_state_size", 16, 256),  features_of_head(in, c),
             in.count("conv_kernel", 1, 16),       true,
             in.flag("use_conv_bias", true)};
  read_limits(in, c.delta);
  if (c.delta.value_heads % c.delta.key_heads != 0)
    throw UserError("E-HFC-006", in.place("n_groups"),
                    fmt::format("expected a divisor of the {} heads of Mamba-2, got {}", c.delta.value_heads,
                                c.delta.key_heads));
}

void read_shared_experts(const ConfigReader& in, ModelConfig& c) {
  constexpr const char *kFfn = "moe_shared_expert_intermediate_size", *kAlone = "shared_intermediate_size";
  if (c.family->fed) {
    if (!in.has(kAlone) || c.family->experts_key == nullptr) return;
    const std::uint64_t features = in.count(kAlone, 16, std::uint64_t{1} << 20);
    (c.sublayers.have('E') ? c.shared_ffn : c.ffn) = features;
    return;
  }
  if (!c.sublayers.have('E')) {
    c.experts = c.experts_per_token = c.shared_ffn = 0;
    return;
  }
  if (c.experts == 0)
    throw UserError("E-HFC-006", in.place("n_routed_experts"),
                    "expected the experts of the layers that have some");
  constexpr std::uint64_t kMostFeatures = std::uint64_t{1} << 20;
  c.dense_ffn = c.sublayers.have('-') ? in.count("intermediate_size", 16, kMostFeatures) : 0;
  if (in.has("moe_latent_size")) c.expert_latent = in.count("moe_latent_size", 16, kMostFeatures);
  if (c.shared_ffn > 0 && in.has(kFfn)) c.shared_ffn = in.count(kFfn, 16, kMostFeatures);
}

}  // namespace tahoma::runtime
