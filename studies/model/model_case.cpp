// SPDX-License-Identifier: Apache-2.0
#include "studies/model/model_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "studies/model/config/families.h"
#include "studies/model/config/layer_pattern.h"
#include "studies/model/model_origins.h"

namespace tahoma::runtime {

using base::UserError;
using Json = nlohmann::ordered_json;

namespace {

// Parts of an UltraServer, whose servers are the planes z of its torus.
struct MachineSize {
  std::uint64_t x = 0, y = 0, z = 0;
  const char* preset() const {
    if (x * y * z == 1) return "trainium2_one_chip";
    return z == 1 ? "trainium2_server" : "trainium2_ultraserver";
  }
};
constexpr std::uint64_t kMostAlong = 4;  // chips along an axis of the torus

Json rope_of(const ModelConfig& c, std::uint64_t tokens) {
  Json rope = Json::object();
  if (c.local_theta > 0) rope["local_theta"] = c.local_theta;
  if (c.rotated > 0) rope["features"] = c.rotated;
  if (c.unrotated) rope["global"] = false;
  if (c.family->positions || c.family->encoder || !c.rotary)
    rope.update({{"global", false}, {"local", false}});
  if (c.rope_magnitude != 1) rope["magnitude"] = c.rope_magnitude;
  const auto keep = [&](std::initializer_list<std::pair<const char*, double>> values) {
    for (const auto& [key, value] : values) rope[key] = value;
  };
  if (c.rope_scaling == RotaryScaling::kLong)
    rope["divisors"] =
        fmt::format("{}", fmt::join(tokens > c.rope_original_context ? c.rope_long : c.rope_short, ","));
  else if (c.rope_scaling != RotaryScaling::kNone) {
    rope["scaling"] = base::name_in(kRotaryScalings, c.rope_scaling);
    rope["factor"] = c.rope_factor;
  }
  if (c.rope_scaling == RotaryScaling::kYarn)
    keep({{"beta_fast", c.rope_beta_fast}, {"beta_slow", c.rope_beta_slow}});
  if (c.rope_scaling == RotaryScaling::kYarn && !c.rope_truncated) rope["truncated"] = false;
  if (c.rope_scaling == RotaryScaling::kLlama3)
    keep({{"low_frequency_factor", c.rope_low_frequency_factor},
          {"high_frequency_factor", c.rope_high_frequency_factor}});
  if (c.rope_scaling == RotaryScaling::kYarn || c.rope_scaling == RotaryScaling::kLlama3)
    rope["original_context"] = c.rope_original_context;
  return rope;
}

Json workload_model(const ModelConfig& c, std::uint64_t tokens) {
  Json model{
      {"name", c.name},         {"layers", c.layers},        {"hidden", c.hidden}, {"heads", c.heads},
      {"kv_heads", c.kv_heads}, {"head_dim", c.head_dim},    {"ffn", c.ffn},       {"epsilon", c.epsilon},
      {"theta", c.theta},       {"vocabulary", c.vocabulary}};
  if (c.qkv_bias) model["qkv_bias"] = true;
  if (c.family->o_bias) model["o_bias"] = true;
  if (c.family->mlp_bias) model["mlp_bias"] = true;
  if (c.family->norm != std::string_view("rms")) model["norm"] = c.family->norm;
  if (c.family->sinks) model["sinks"] = true;
  if (c.gate_limit > 0) model["gate_limit"] = c.gate_limit;
  if (!c.family->pre_norm) model["pre_norm"] = false;
  if (c.parallel) model["parallel"] = true;
  if (c.parallel_norm) model["parallel_norm"] = true;
  if (c.joint_qk_norm) model["joint_qk_norm"] = true;
  if (c.family->positions) model["positions"] = c.longest;
  if (c.family->logit_bias) model["logit_bias"] = true;
  if (!c.family->gated) model["gated"] = false;
  if (c.qk_norm) model["qk_norm"] = true;
  if (c.qk_norm && c.family->interleaved) model["qk_norm_global"] = false;
  if (c.family->encoder) model["bidirectional"] = true;
  if (c.family->norm_sums) model["norm_sums"] = true;
  if (c.qkv_limit > 0) model["qkv_limit"] = c.qkv_limit;
  if (c.experts > 0) {
    model["experts"] = c.experts;
    model["experts_per_token"] = c.experts_per_token;
    if (!c.normalised_gates) model["normalised_gates"] = false;
    if (c.family->sigmoid_gates) model["gate_function"] = "sigmoid";
    if (c.gate_factor != 1) model["gate_factor"] = c.gate_factor;
    if (c.shared_ffn > 0)
      model.update({{"shared_ffn", c.shared_ffn},
                    {"shared_gated", c.family->shared_ffn_key != nullptr && c.family->shared_gated}});
    if (c.expert_latent > 0) model["expert_latent"] = c.expert_latent;
    if (c.dense_layers > 0) model["dense_layers"] = c.dense_layers;
    if (c.dense_ffn > 0) model["dense_ffn"] = c.dense_ffn;
    if (c.family->interleaved) model.update({{"gated_inputs", true}, {"expert_every", c.expert_every}});
  }
  if (c.activation != std::string_view("silu")) model["activation"] = c.activation;
  if (c.family->post_norm) model["post_norm"] = true;
  if (const DeltaDimensions& l = c.delta; l.value_heads > 0) {
    model["delta"] = {{"value_heads", l.value_heads},
                      {"key_heads", l.key_heads},
                      {"key_dim", l.key_dim},
                      {"value_dim", l.value_dim},
                      {"taps", l.taps}};
    if (!l.mamba2) model["attention_gate"] = true;
    if (l.mamba2) model["delta"].update({{"rule", "mamba2"}, {"tap_bias", l.tap_bias}});
    if (l.least_step > 0) model["delta"]["least_rate"] = l.least_step;
    if (l.most_step > 0) model["delta"]["most_rate"] = l.most_step;
  }
  if (c.sublayers) model["sublayers"] = c.sublayers.text;
  if (c.squared) model["squared"] = true;
  if (const LatentDimensions& l = c.latent; l.kv_rank > 0)
    model["latent"] = {{"kv_rank", l.kv_rank},
                       {"q_rank", l.q_rank},
                       {"nope", l.nope},
                       {"rope", l.rope},
                       {"values", l.values}};
  if (c.score_factor != 1 || c.query_scalar > 0)
    model["query_scale"] =
        c.score_factor / std::sqrt(c.query_scalar > 0 ? c.query_scalar : static_cast<double>(c.head_dim));
  if (c.score_cap > 0) model["score_cap"] = c.score_cap;
  if (c.logit_cap > 0) model["logit_cap"] = c.logit_cap;
  const bool limited = c.window > 0 && tokens > c.window && layer_kinds(c, tokens).local > 0;
  if (limited) model["window"] = c.window;
  if ((limited || c.local_theta > 0 || c.unrotated || c.delta.value_heads > 0) && c.global_every > 0)
    model["global_every"] = c.global_every;
  if (Json rope = rope_of(c, tokens); !rope.empty()) model["rope"] = std::move(rope);
  return model;
}

// As few servers as possible, and in them the squarest rectangle.
MachineSize machine_size(std::uint64_t chips) {
  std::vector<std::uint64_t> possible;
  for (std::uint64_t z = 1; z <= kMostAlong; ++z)
    for (std::uint64_t x = 1; x <= kMostAlong; ++x)
      for (std::uint64_t y = 1; y <= x; ++y) {
        if (x * y * z == chips) return {x, y, z};
        possible.push_back(x * y * z);
      }
  std::sort(possible.begin(), possible.end());
  possible.erase(std::unique(possible.begin(), possible.end()), possible.end());
  throw UserError("E-HFC-010", "--chips",
                  fmt::format("expected the chips of a block of a torus of 4 x 4 x 4, so {}; got {}",
                              fmt::join(possible, ", "), chips));
}

Json machine_of(const ModelLayout& layout) {
  const MachineSize size = machine_size(layout.chips);
  return {{"extends", layout.machine.empty() ? size.preset() : layout.machine},
          {"chip", {{"lnc", layout.lnc}}},
          {"torus", {{"x", size.x}, {"y", size.y}, {"z", size.z}}}};
}

// Checkpoints have no padding.
void pad_heads(Json& model, const ModelConfig& c, std::uint64_t tensor,
               const std::vector<std::pair<std::string, std::string>>& inputs) {
  const std::uint64_t heads = padded_heads(c, tensor), padding = heads - c.heads;
  const bool given =
      std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return input.first == "q"; });
  if (padding == 0 || given) return;
  model.update({{"heads", heads}, {"padding_heads", padding}});
  if (c.kv_heads == c.heads) model["kv_heads"] = heads;
}

Json parallel_of(const ModelLayout& layout) {
  Json parallel{{"tensor", layout.tensor}, {"data", layout.data}};
  if (layout.sequence > 1) parallel["sequence"] = layout.sequence;
  if (layout.expert > 1) parallel["expert"] = layout.expert;
  if (layout.pipeline > 1) parallel["pipeline"] = layout.pipeline;
  return parallel;
}

}  // namespace

std::span<const ModelPhase> phases_of(const ModelConfig& config) {
  static constexpr ModelPhase kBoth[] = {ModelPhase::kPrefill, ModelPhase::kDecode};
  return std::span(kBoth).first(is_encoder(config) ? 1 : 2);
}

std::uint64_t sequence_tokens(const ModelDemand& demand, ModelPhase phase) {
  return phase == ModelPhase::kDecode ? demand.context + 1 : demand.cached + demand.prompt;
}

void require_machine(std::uint64_t chips) { machine_size(chips); }

std::uint64_t cores_of_chip(const std::string& machine, std::uint64_t chips,
                            const std::vector<std::string>& overrides) {
  std::vector<std::string> of_machine;
  for (const std::string& one : overrides)
    if (one.starts_with("machine.")) of_machine.push_back(one);
  return resolve_machine_params(machine.empty() ? machine_size(chips).preset() : machine, of_machine)
      .chip.cores;
}

std::string order_on_machine(const std::string& order, std::uint64_t chips) {
  const MachineSize size = machine_size(chips);
  const std::pair<const char*, std::uint64_t> axes[] = {{"x", size.x}, {"y", size.y}, {"z", size.z}};
  std::string kept;
  for (std::size_t begin = 0; begin < order.size();) {
    const std::size_t end = std::min(order.find(',', begin), order.size());
    const std::string axis = order.substr(begin, end - begin);
    const bool there = std::none_of(std::begin(axes), std::end(axes),
                                    [&](const auto& one) { return axis == one.first && one.second == 1; });
    if (there) kept += (kept.empty() ? "" : ",") + axis;
    begin = end + 1;
  }
  return kept;
}

Json model_case(const ModelConfig& config, const ModelLayout& layout, const ModelDemand& demand,
                ModelPhase phase, const LayerRange& layers,
                const std::vector<std::pair<std::string, std::string>>& inputs) {
  const bool decodes = phase == ModelPhase::kDecode;
  Json workload{{"phase", base::name_in(kModelPhases, phase)},
                {"logits", !is_encoder(config)},
                {"batch", decodes ? demand.batch : layout.data * demand.prompts},
                {"layers", layers.count},
                {"model", workload_model(config, sequence_tokens(demand, phase))},
                {"parallel", parallel_of(layout)}};
  pad_heads(workload["model"], config, layout.tensor, inputs);
  if (layers.first > 0) workload["first_layer"] = layers.first;
  if (!layout.stages.empty()) {
    std::vector<std::uint64_t> stages = layout.stages;
    for (std::uint64_t& stage : stages) stage -= (config.layers - layers.count) / layout.pipeline;
    workload["stages"] = fmt::format("{}", fmt::join(stages, ","));
  }
  if (const std::uint64_t parts = microbatches_of({layout, demand}, phase); parts > 1)
    workload["microbatches"] = parts;
  if (layout.weights != isa::DType::kBf16)
    workload["model"]["weights"] = std::string(isa::name_of(layout.weights));
  if (layout.activations != isa::DType::kBf16)
    workload["model"]["activations"] = std::string(isa::name_of(layout.activations));
  if (layout.placement != GroupPlacement::kRows) workload["placement"] = order_of(layout.placement);
  if (decodes)
    workload["context"] = demand.context;
  else
    workload["tokens"] = layout.padded(demand.prompt);
  if (const std::uint64_t more = layout.padded(demand.prompt) - demand.prompt; !decodes && more > 0)
    workload["padding"] = more;
  if (!decodes && demand.cached > 0) workload["cached"] = demand.cached;
  if (!inputs.empty()) workload["inputs"] = Json::object();
  for (const auto& [name, file] : inputs) workload["inputs"][name] = file;
  return {{"kind", "transformer"}, {"machine", machine_of(layout)}, {"workload", workload}};
}

std::unique_ptr<ResolvedConfig> resolved_case(const ModelConfig& config, const ModelPoint& point,
                                              ModelPhase phase, const std::vector<std::string>& overrides) {
  ConfigRequest request;
  request.workload = config.file;
  request.text = dump_json(
      model_case(config, point.layout, point.demand, phase, {point.layout.least_layers(config.layers)}));
  request.overrides = overrides;
  request.mode = "timing";
  request.origins = model_origins(config, point, phase);
  return resolve_config(request);
}

}  // namespace tahoma::runtime
