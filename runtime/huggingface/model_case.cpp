// SPDX-License-Identifier: Apache-2.0
#include "runtime/huggingface/model_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/base/error.h"
#include "runtime/huggingface/families.h"

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
constexpr std::uint64_t kCores = 8;

Json workload_model(const ModelConfig& c) {
  Json model{
      {"name", c.name},         {"layers", c.layers},        {"hidden", c.hidden}, {"heads", c.heads},
      {"kv_heads", c.kv_heads}, {"head_dim", c.head_dim},    {"ffn", c.ffn},       {"epsilon", c.epsilon},
      {"theta", c.theta},       {"vocabulary", c.vocabulary}};
  if (c.family->qkv_bias) model["qkv_bias"] = true;
  if (c.family->qk_norm) model["qk_norm"] = true;
  if (c.experts > 0) {
    model["experts"] = c.experts;
    model["experts_per_token"] = c.experts_per_token;
  }
  if (c.rope_scaling == RotaryScaling::kNone) return model;
  model["rope"] = {{"scaling", base::name_in(kRotaryScalings, c.rope_scaling)}, {"factor", c.rope_factor}};
  if (c.rope_scaling == RotaryScaling::kLlama3) {
    model["rope"]["low_frequency_factor"] = c.rope_low_frequency_factor;
    model["rope"]["high_frequency_factor"] = c.rope_high_frequency_factor;
    model["rope"]["original_context"] = c.rope_original_context;
  }
  return model;
}

Json machine_of(const ModelLayout& layout) {
  const auto size = std::find_if(std::begin(kMachines), std::end(kMachines),
                                 [&](const MachineSize& one) { return one.chips == layout.chips; });
  if (size == std::end(kMachines))
    throw UserError("E-HFC-010", "--chips",
                    fmt::format("expected 1, 2, 4, 8, 16, 32 or 64, got {}", layout.chips));
  return {{"extends", size->preset},
          {"chip", {{"lnc", layout.lnc}}},
          {"torus", {{"x", size->x}, {"y", size->y}, {"z", size->z}}}};
}

bool accepted(const ModelConfig& config, const ModelPoint& point, const std::vector<std::string>& overrides,
              std::optional<UserError>& refusal) {
  try {
    for (const auto& phase : kModelPhases) resolved_case(config, point, phase.value, overrides);
  } catch (const UserError& error) {
    refusal = error;
    return false;
  }
  return true;
}

}  // namespace

std::string ModelLayout::chips_text() const {
  return fmt::format("{} {}", chips, chips == 1 ? "chip" : "chips");
}

std::string ModelLayout::text() const {
  std::string text = fmt::format("tensor {} x data {}", tensor, data);
  if (expert > 1) text += fmt::format(", experts in {} blocks", expert);
  return text + fmt::format(", LNC {}", lnc);
}

Json model_case(const ModelConfig& config, const ModelLayout& layout, const ModelDemand& demand,
                ModelPhase phase, std::uint64_t layers,
                const std::vector<std::pair<std::string, std::string>>& inputs) {
  const bool decodes = phase == ModelPhase::kDecode;
  Json workload{{"phase", base::name_in(kModelPhases, phase)},
                {"logits", true},
                {"batch", decodes ? demand.batch : layout.data},
                {"layers", layers},
                {"model", workload_model(config)},
                {"parallel", {{"tensor", layout.tensor}, {"data", layout.data}}}};
  if (decodes)
    workload["context"] = demand.context;
  else
    workload["tokens"] = demand.prompt;
  if (layout.expert > 1) workload["parallel"]["expert"] = layout.expert;
  for (const auto& [name, file] : inputs) workload["inputs"][name] = file;
  return {{"kind", "transformer"}, {"machine", machine_of(layout)}, {"workload", workload}};
}

std::unique_ptr<ResolvedConfig> resolved_case(const ModelConfig& config, const ModelPoint& point,
                                              ModelPhase phase, const std::vector<std::string>& overrides) {
  ConfigRequest request;
  request.workload = config.file;
  request.text = model_case(config, point.layout, point.demand, phase, 1).dump();
  request.overrides = overrides;
  request.mode = "timing";
  return resolve_config(request);
}

std::vector<ModelLayout> possible_layouts(const ModelConfig& config, const LayoutSpace& space,
                                          const ModelDemand& demand,
                                          const std::vector<std::string>& overrides) {
  if (space.lnc != 1 && space.lnc != 2)
    throw UserError("E-HFC-010", "--lnc", fmt::format("expected 1 or 2, got {}", space.lnc));
  const std::uint64_t ranks = space.chips * kCores / space.lnc;
  std::vector<ModelLayout> possible;
  std::optional<UserError> refusal;
  for (std::uint64_t tensor = ranks; tensor > 0; tensor /= 2) {
    ModelLayout layout{space.chips, space.lnc, tensor, space.data == 0 ? ranks / tensor : space.data, 1};
    // As many blocks of experts as there can be: then most exchanges carry whole experts' tokens.
    for (layout.expert = config.experts == 0 ? 1 : std::min(tensor, config.experts);
         layout.expert > 1 && (tensor % layout.expert != 0 || config.experts % layout.expert != 0);
         --layout.expert) {
    }
    if (demand.batch % layout.data == 0 && accepted(config, {layout, demand}, overrides, refusal))
      possible.push_back(layout);
  }
  if (!possible.empty()) return possible;
  if (refusal) throw UserError(*refusal);
  throw UserError(
      "E-HFC-011", "--batch",
      fmt::format("{} sequences cannot be divided over the replicas of any layout of {} chips; expected a "
                  "power of two",
                  demand.batch, space.chips));
}

}  // namespace tahoma::runtime
