// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/model_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/text_file.h"
#include "studies/model/config/config_keys.h"
#include "studies/model/config/config_reader.h"
#include "studies/model/config/config_source.h"
#include "studies/model/config/deepseek_config.h"
#include "studies/model/config/families.h"
#include "studies/model/config/gemma_config.h"
#include "studies/model/config/layer_pattern.h"
#include "studies/model/config/multipliers.h"
#include "studies/model/config/part_config.h"
#include "studies/model/config/rope_config.h"

namespace tahoma::runtime {

using base::UserError;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // of a file that a model ships: a few KiB

std::string config_file(const std::string& path) {
  return std::filesystem::is_directory(path) ? (std::filesystem::path(path) / "config.json").string() : path;
}

std::string name_of_model(const std::string& file) {
  const std::filesystem::path path = std::filesystem::absolute(file).lexically_normal();
  if (file == kStandardInput) return "model";
  return path.filename() == "config.json" ? path.parent_path().filename().string() : path.stem().string();
}

Json parse(const std::string& file) {
  Json json;
  if (const auto fault = fault_of_python_json(read_text(file, kMostBytes), json))
    throw UserError("E-HFC-001", name_of_file(file), *fault);
  if (!json.is_object()) throw UserError("E-HFC-001", name_of_file(file), "expected a JSON object");
  return json;
}

bool among(const std::string& key, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), key) != names.end();
}

// All of them at once.
void refuse_unknown_keys(const ConfigReader& in, const std::vector<std::string>& keys,
                         const std::vector<std::string>& ignored) {
  const std::vector<std::string> known = known_config_keys();
  std::vector<std::string> unknown, named;
  for (const std::string& key : keys) {
    if (among(key, known) || among(key, ignored)) continue;
    unknown.push_back(key);
    named.push_back(key + base::did_you_mean(key, known));
  }
  if (unknown.size() == 1)
    throw UserError("E-HFC-004", in.place(unknown.front()),
                    fmt::format("unknown key{}; if it does not influence inference, pass --ignore {}",
                                base::did_you_mean(unknown.front(), known), unknown.front()));
  if (!unknown.empty())
    throw UserError("E-HFC-004", in.place(unknown.front()),
                    fmt::format("{} unknown keys: {}; if they do not influence inference, pass --ignore {}",
                                unknown.size(), fmt::join(named, ", "), fmt::join(unknown, ",")));
}

void check_fixed_keys(const ConfigReader& in, const ModelFamily& family) {
  for (const FixedKey& row : fixed_keys()) {
    if (!in.has(row.key)) continue;
    if (row.read != nullptr && row.read(family)) continue;
    const std::string value = family.gemma && row.of_gemma != nullptr ? row.of_gemma : row.value;
    if (in.json[row.key] != Json::parse(value))
      throw UserError("E-HFC-005", in.place(row.key),
                      fmt::format("asks for {}, which the kernels lack; expected {}, got {}", row.lacking,
                                  value, brief_json(in.json[row.key])));
  }
}

// Names the parts that are not simulated.
void leave_out(const ConfigReader& in, ModelConfig& c) {
  const auto name = [&](const std::string& part) {
    if (!among(part, c.left_out)) c.left_out.push_back(part);
  };
  for (const LeftOutKey& row : left_out_keys())
    if (in.has(row.key) && in.json[row.key] != false && in.json[row.key] != 0) name(row.part);
  if (in.has("quantization_config"))
    name(quantisation(in.json["quantization_config"], in.place("quantization_config")));
}

const ModelFamily& family_in(const ConfigReader& in) {
  if (!in.has("architectures") || !in.json["architectures"].is_array() ||
      in.json["architectures"].size() != 1 || !in.json["architectures"][0].is_string())
    in.refuse("architectures", "a list with the name of one architecture");
  return family_of(in.json["architectures"][0].get<std::string>(), in.place("architectures"));
}

void check_experts(const ConfigReader& in, const ModelConfig& c) {
  if (c.experts_per_token == 0) in.refuse("num_experts_per_tok", "a whole number from 1 to 8");
  if (c.experts_per_token > c.experts)
    throw UserError(
        "E-HFC-006", in.place("num_experts_per_tok"),
        fmt::format("expected at most the {} experts there are, got {}", c.experts, c.experts_per_token));
}

void read_named_experts(const ConfigReader& in, ModelConfig& c) {
  const bool none = !in.has(c.family->experts_key) || in.json[c.family->experts_key] == 0;
  if (c.family->optional_experts && none) return;
  c.experts = in.count(c.family->experts_key, 1, 512);
  const std::string scores = "sigmoid";
  if (c.family->sigmoid_gates && in.has("scoring_func") && in.text("scoring_func") != scores)
    in.refuse("scoring_func", "sigmoid for this architecture");
  if (c.family->expert_ffn_key != nullptr) {
    c.ffn = in.count(c.family->expert_ffn_key, 16, std::uint64_t{1} << 20);
    c.normalised_gates = in.flag("norm_topk_prob", false);  // absent means false
  }
  if (c.family->shared_ffn_key != nullptr && in.has(c.family->shared_ffn_key) &&
      in.json[c.family->shared_ffn_key] != 0)
    c.shared_ffn = in.count(c.family->shared_ffn_key, 16, std::uint64_t{1} << 20);
}

void read_experts(const ConfigReader& in, ModelConfig& c) {
  if (c.family->experts_key != nullptr) read_named_experts(in, c);
  if (c.experts > 0)
    check_experts(in, c);
  else
    c.experts_per_token = 0;
}

// The rotary embedding turns pairs of features.
constexpr const char* kEvenHead = "an even number";

void check_heads(const ConfigReader& in, ModelConfig& c) {
  if (c.kv_heads == 0) c.kv_heads = c.heads;
  if (c.heads % c.kv_heads != 0)
    throw UserError("E-HFC-006", in.place("num_key_value_heads"),
                    fmt::format("expected a divisor of the {} attention heads, got {}", c.heads, c.kv_heads));
  if (c.head_dim != 0) {
    if (!c.family->latent && c.head_dim % 2 != 0) in.refuse("head_dim", kEvenHead);
    return;
  }
  if (c.hidden % c.heads != 0)
    throw UserError("E-HFC-006", in.place("hidden_size"),
                    fmt::format("expected a multiple of the {} attention heads or a head_dim, got {}",
                                c.heads, c.hidden));
  c.head_dim = c.hidden / c.heads;
  if (c.head_dim < kLeastHead || c.head_dim > kMostHead)
    throw UserError("E-HFC-005", in.place("hidden_size"),
                    fmt::format("gives heads of {} features; the kernels take {} to {}", c.head_dim,
                                kLeastHead, kMostHead));
  if (c.head_dim % 2 != 0)
    throw UserError("E-HFC-005", in.place("hidden_size"),
                    fmt::format("gives heads of {} features; expected {}", c.head_dim, kEvenHead));
}

// Names of activations, and those of workload.model.activation.
constexpr std::pair<const char*, const char*> kActivations[] = {{"silu", "silu"},
                                                                {"swish", "silu"},
                                                                {"gelu_pytorch_tanh", "gelu_apprx_tanh"},
                                                                {"gelu_new", "gelu_apprx_tanh"},
                                                                {"gelu_fast", "gelu_apprx_tanh"},
                                                                {"gelu", "gelu"},
                                                                {"quick_gelu", "gelu_apprx_sigmoid"},
                                                                {"relu", "relu"},
                                                                {"relu2", "relu"}};

void read_activation(const ConfigReader& in, ModelConfig& c) {
  if (c.family->gemma) c.activation = "gelu_apprx_tanh";
  if (c.family->sinks) {
    c.activation = "gelu_apprx_sigmoid";
    c.gate_limit = in.real("swiglu_limit", 1e-3, 1e4);
  }
  if (!c.family->free_activation) return;
  const std::string name = in.text("hidden_act");
  std::vector<std::string> known;
  for (const auto& [hidden_act, activation] : kActivations) {
    known.emplace_back(hidden_act);
    if (name == hidden_act) {
      c.activation = activation;
      c.squared = name == "relu2";
      if (!c.squared || !c.family->gated) return;
      known.pop_back();
    }
  }
  throw UserError("E-HFC-005", in.place("hidden_act"),
                  fmt::format("asks for the activation '{}', which the kernels lack; expected {}", name,
                              fmt::join(known, ", ")));
}

// Layer norms have other names for it.
void read_epsilon(const ConfigReader& in, ModelConfig& c) {
  for (const char* key : {"layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps"})
    if (in.has(key)) c.epsilon = in.real(key, 0, 1);
}

}  // namespace

ModelConfig read_model_config(const std::string& path, const std::vector<std::string>& ignored) {
  ModelConfig c;
  c.file = config_file(path);
  c.name = name_of_model(c.file);
  ConfigSource source = text_part(parse(c.file));
  c.file = name_of_file(c.file);
  c.part = source.part;
  c.keys = source.keys;
  c.left_out = source.left_out;
  const ConfigReader in{c.file, source.values, c.part};
  c.family = &family_in(in);
  if (c.family->states) count_sublayers(source.values);
  refuse_unknown_keys(in, c.keys, ignored);
  for (const std::string& key : ignored) source.values.erase(key);
  add_defaults(source, *c.family);
  // A file of a family with optional experts may say that a token uses none of none.
  if (c.family->optional_experts && in.has(c.family->experts_key) && in.json[c.family->experts_key] == 0)
    source.values.erase("num_experts_per_tok");
  check_fixed_keys(in, *c.family);
  leave_out(in, c);
  for (const CountKey& row : count_keys())
    if (row.required || in.has(row.key)) c.*row.to = in.count(row.key, row.least, row.most);
  for (const RealKey& row : real_keys())
    c.*row.to = in.has(row.key) ? in.real(row.key, row.least, row.most) : row.absent;
  c.tied = in.flag("tie_word_embeddings", c.family->gemma);
  read_activation(in, c);
  read_epsilon(in, c);
  c.qkv_bias = c.family->qkv_bias || (c.family->listed_bias &&
                                      (in.flag("attention_bias", false) || in.flag("use_qkv_bias", false)));
  c.qk_norm = c.family->qk_norm || (c.family->listed_norm && in.flag("use_qk_norm", false));
  check_biases(in, c);
  read_sublayers(in, c);
  read_delta(in, c);
  read_states(in, c);
  read_encoder(in, c);
  read_crossed(in, c);
  if (c.family->gemma) read_gemma(in, c);
  if (c.family->latent) read_latent(in, c);
  if (c.family->routed) read_routed(in, c);
  if (c.family->states) read_shared_experts(in, c);
  if (c.family->multipliers) read_multipliers(in, c);
  check_heads(in, c);
  read_experts(in, c);
  read_interleaved(in, c);
  read_blocks(in, c);
  if (c.family->limits && in.has("clip_qkv")) c.qkv_limit = in.real("clip_qkv", 1e-3, 1e4);
  read_rope(in, c);
  read_layer_pattern(in, c);
  return c;
}

double ModelConfig::attention_weights() const {
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  const double of_heads = number(hidden) * number(head_dim) * number(2 * heads + 2 * kv_heads);
  if (delta.value_heads > 0) {
    const std::uint64_t keys = delta.key_heads * delta.key_dim, values = delta.value_heads * delta.value_dim,
                        global = layers_of_attention(*this);
    const double gated = of_heads + (delta.mamba2 ? 0 : number(hidden * head_dim * heads)),
                 rule = number(hidden) *
                        number(2 * keys + 3 * values + (delta.mamba2 ? 1 : 2) * delta.value_heads);
    return (number(global) * gated + number(layers - global) * rule) / number(layers);
  }
  if (latent.kv_rank == 0) return of_heads;
  const double from = number(latent.q_rank > 0 ? latent.q_rank : hidden);
  return number(hidden) * number(latent.q_rank + latent.kv_rank + latent.rope) +
         number(heads) *
             (from * number(head_dim) + number(latent.kv_rank) * number(latent.nope + latent.values) +
              number(hidden) * number(latent.values));
}

std::uint64_t ModelConfig::layers_without_experts() const {
  std::uint64_t without = 0;
  for (std::uint64_t l = 0; l < layers; ++l)
    without += experts > 0 && has_feed_forward(l) && !has_experts(l) ? 1 : 0;
  return without;
}

std::uint64_t ModelConfig::layers_without_feed_forward() const {
  std::uint64_t without = 0;
  for (std::uint64_t l = 0; l < layers; ++l) without += has_feed_forward(l) ? 0 : 1;
  return without;
}

double ModelConfig::experts_of_token() const {
  const double routed = static_cast<double>(ffn * (experts == 0 ? 1 : experts_per_token) * expert_width()) /
                        static_cast<double>(hidden);
  return routed + static_cast<double>(shared_ffn) +
         static_cast<double>(2 * expert_latent) / (family->gated ? 3 : 2);
}

std::uint64_t ModelConfig::cached_elements() const {
  return latent.kv_rank > 0 ? latent.kv_rank + latent.rope : 2 * kv_heads * head_dim;
}

bool is_encoder(const ModelConfig& c) { return c.family->encoder; }

std::uint64_t padded_heads(const ModelConfig& c, std::uint64_t tensor) {
  const auto shared = [tensor](std::uint64_t heads) { return heads % tensor == 0 || tensor % heads == 0; };
  if (shared(c.heads) || c.latent.kv_rank > 0 || c.joint_qk_norm) return c.heads;
  if (c.kv_heads == c.heads) return (c.heads + tensor - 1) / tensor * tensor;
  if (!shared(c.kv_heads)) return c.heads;
  std::uint64_t heads = c.heads;
  while (!shared(heads)) heads += c.kv_heads;
  return heads;
}

void require_sequence(const ModelConfig& c, std::uint64_t tokens) {
  if (c.longest != 0 && tokens > c.longest)
    throw UserError(
        "E-HFC-005", c.place("max_position_embeddings"),
        fmt::format("allows sequences of {} tokens; prompt and context need {}", c.longest, tokens));
  if (c.chunk > 0 && tokens >= c.chunk)
    throw UserError(
        "E-HFC-005", c.place("attention_chunk_size"),
        fmt::format("divides sequences of {} tokens or more into chunks, with other scores beyond, which "
                    "the kernels lack; expected shorter sequences, got {} tokens",
                    c.chunk, tokens));
  if (c.sparse_keys > 0 && tokens > c.sparse_keys)
    throw UserError(
        "E-HFC-005", c.place(c.sparse_key),
        fmt::format(
            "lets a query see {} keys that an index chooses, which the kernels lack; expected sequences "
            "of at most that many tokens, for which it sees all, got {}",
            c.sparse_keys, tokens));
  if (c.irregular_window && c.window != 0 && tokens > c.window)
    throw UserError(
        "E-HFC-005", c.place("max_window_layers"),
        fmt::format(
            "limits attention to {} tokens in the layers behind the first ones only, which the cases lack; "
            "expected sequences of at most {} tokens, got {}",
            c.window, c.window, tokens));
}

}  // namespace tahoma::runtime
