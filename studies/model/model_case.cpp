// SPDX-License-Identifier: Apache-2.0
#include "studies/model/model_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "studies/model/config/families.h"
#include "studies/model/config/layer_pattern.h"
#include "studies/model/model_origins.h"

namespace tahoma::runtime {

using base::UserError;
using Json = nlohmann::ordered_json;

namespace {

// Parts of an UltraServer, whose servers are the planes z of its torus. A chip has eight cores.
struct MachineSize {
  std::uint64_t chips;
  const char* preset;
  std::uint64_t x, y, z;
};
constexpr MachineSize kMachines[] = {
    {1, "trainium2_one_chip", 1, 1, 1},    {2, "trainium2_server", 2, 1, 1},
    {4, "trainium2_server", 2, 2, 1},      {8, "trainium2_server", 4, 2, 1},
    {16, "trainium2_server", 4, 4, 1},     {32, "trainium2_ultraserver", 4, 4, 2},
    {64, "trainium2_ultraserver", 4, 4, 4}};

Json workload_model(const ModelConfig& c, std::uint64_t tokens) {
  Json model{
      {"name", c.name},         {"layers", c.layers},        {"hidden", c.hidden}, {"heads", c.heads},
      {"kv_heads", c.kv_heads}, {"head_dim", c.head_dim},    {"ffn", c.ffn},       {"epsilon", c.epsilon},
      {"theta", c.theta},       {"vocabulary", c.vocabulary}};
  if (c.family->qkv_bias) model["qkv_bias"] = true;
  if (c.family->qk_norm) model["qk_norm"] = true;
  if (c.experts > 0) {
    model["experts"] = c.experts;
    model["experts_per_token"] = c.experts_per_token;
    if (!c.normalised_gates) model["normalised_gates"] = false;
    if (c.shared_ffn > 0) model.update({{"shared_ffn", c.shared_ffn}, {"shared_gated", !c.family->latent}});
    if (c.dense_layers > 0) model.update({{"dense_layers", c.dense_layers}, {"dense_ffn", c.dense_ffn}});
  }
  if (c.family->gemma) model["activation"] = "gelu_tanh";
  if (c.family->post_norm) model["post_norm"] = true;
  if (const LatentDimensions& l = c.latent; l.kv_rank > 0)
    model["latent"] = {{"kv_rank", l.kv_rank},
                       {"q_rank", l.q_rank},
                       {"nope", l.nope},
                       {"rope", l.rope},
                       {"values", l.values}};
  if (c.score_factor != 1) model["query_scale"] = c.score_factor / std::sqrt(static_cast<double>(c.head_dim));
  if (c.query_scalar > 0) model["query_scale"] = 1 / std::sqrt(c.query_scalar);
  if (c.score_cap > 0) model["score_cap"] = c.score_cap;
  if (c.logit_cap > 0) model["logit_cap"] = c.logit_cap;
  if (c.local_theta > 0) model["rope"] = {{"local_theta", c.local_theta}};
  const bool limited = layer_kinds(c, tokens).local > 0;
  if (limited) model["window"] = c.window;
  if ((limited || c.local_theta > 0) && c.global_every > 0) model["global_every"] = c.global_every;
  if (c.rope_scaling == RotaryScaling::kNone) return model;
  if (!model.contains("rope")) model["rope"] = Json::object();
  model["rope"].update(
      {{"scaling", base::name_in(kRotaryScalings, c.rope_scaling)}, {"factor", c.rope_factor}});
  if (c.rope_scaling == RotaryScaling::kYarn)
    model["rope"].update({{"beta_fast", c.rope_beta_fast},
                          {"beta_slow", c.rope_beta_slow},
                          {"original_context", c.rope_original_context}});
  if (c.rope_scaling == RotaryScaling::kLlama3) {
    model["rope"]["low_frequency_factor"] = c.rope_low_frequency_factor;
    model["rope"]["high_frequency_factor"] = c.rope_high_frequency_factor;
    model["rope"]["original_context"] = c.rope_original_context;
  }
  return model;
}

const MachineSize& machine_size(std::uint64_t chips) {
  const auto size = std::find_if(std::begin(kMachines), std::end(kMachines),
                                 [&](const MachineSize& one) { return one.chips == chips; });
  if (size == std::end(kMachines))
    throw UserError("E-HFC-010", "--chips", fmt::format("expected 1, 2, 4, 8, 16, 32 or 64, got {}", chips));
  return *size;
}

Json machine_of(const ModelLayout& layout) {
  const MachineSize& size = machine_size(layout.chips);
  return {{"extends", size.preset},
          {"chip", {{"lnc", layout.lnc}}},
          {"torus", {{"x", size.x}, {"y", size.y}, {"z", size.z}}}};
}

Json parallel_of(const ModelLayout& layout) {
  Json parallel{{"tensor", layout.tensor}, {"data", layout.data}};
  if (layout.sequence > 1) parallel["sequence"] = layout.sequence;
  if (layout.expert > 1) parallel["expert"] = layout.expert;
  if (layout.pipeline > 1) parallel["pipeline"] = layout.pipeline;
  return parallel;
}

}  // namespace

std::uint64_t sequence_tokens(const ModelDemand& demand, ModelPhase phase) {
  return phase == ModelPhase::kDecode ? demand.context + 1 : demand.cached + demand.prompt;
}

void require_machine(std::uint64_t chips) { machine_size(chips); }

std::string order_on_machine(const std::string& order, std::uint64_t chips) {
  const MachineSize& size = machine_size(chips);
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
                {"logits", true},
                {"batch", decodes ? demand.batch : layout.data * demand.prompts},
                {"layers", layers.count},
                {"model", workload_model(config, sequence_tokens(demand, phase))},
                {"parallel", parallel_of(layout)}};
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
    workload["tokens"] = demand.prompt;
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
