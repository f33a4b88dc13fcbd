// SPDX-License-Identifier: Apache-2.0
#include "studies/model/model_origins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "studies/model/config/families.h"

namespace tahoma::runtime {

namespace {

using Point = ModelPoint;
using Phase = ModelPhase;
// Returns the option's value in a point; "" to name the option alone.
using Value = std::string (*)(const Point&, Phase);

bool decodes(Phase phase) { return phase == Phase::kDecode; }

struct OptionOrigin {
  const char *path, *given;  // a second option after '|' is that of a prefill
  Value value;
};

constexpr OptionOrigin kOptions[] = {
    {"machine.extends", "--chips", [](const Point& p, Phase) { return fmt::to_string(p.layout.chips); }},
    {"workload.padding", "--prompt", [](const Point& p, Phase) { return fmt::to_string(p.demand.prompt); }},
    {"machine.torus", "--chips", [](const Point& p, Phase) { return fmt::to_string(p.layout.chips); }},
    {"machine.chip.lnc", "--lnc", [](const Point& p, Phase) { return fmt::to_string(p.layout.lnc); }},
    {"machine.chip.hbm.model", "--decode-hbm|--prefill-hbm", nullptr},
    {"workload.batch", "--batch|--prompts",
     [](const Point& p, Phase phase) {
       return fmt::to_string(decodes(phase) ? p.demand.batch : p.demand.prompts);
     }},
    {"workload.tokens", "--prompt",
     [](const Point& p, Phase) { return fmt::to_string(p.demand.prompt); }},  // or --chunk
    {"workload.context", "--context", [](const Point& p, Phase) { return fmt::to_string(p.demand.context); }},
    {"workload.cached", "--context", [](const Point& p, Phase) { return fmt::to_string(p.demand.cached); }},
    {"workload.stages", "--stage-layers",
     [](const Point& p, Phase) { return fmt::format("{}", fmt::join(p.layout.stages, ",")); }},
    {"workload.microbatches", "--microbatches|--prompts",
     [](const Point& p, Phase phase) { return fmt::to_string(microbatches_of(p, phase)); }},
    {"workload.placement", "--placement",
     [](const Point& p, Phase) { return std::string(base::name_in(kPlacements, p.layout.placement)); }},
    {"workload.parallel", "--tensor", [](const Point& p, Phase) { return fmt::to_string(p.layout.tensor); }},
    {"workload.parallel.data", "--data", [](const Point& p, Phase) { return fmt::to_string(p.layout.data); }},
    {"workload.parallel.sequence", "--sequence",
     [](const Point& p, Phase) { return fmt::to_string(p.layout.sequence); }},
    {"workload.parallel.pipeline", "--pipeline",
     [](const Point& p, Phase) { return fmt::to_string(p.layout.pipeline); }},
    {"workload.model.padding_heads", "--tensor",
     [](const Point& p, Phase) { return fmt::to_string(p.layout.tensor); }},
    {"workload.model.weights", "--dtype",
     [](const Point& p, Phase) { return std::string(isa::name_of(p.layout.weights)); }},
    {"workload.model.activations", "--activations",
     [](const Point& p, Phase) { return std::string(isa::name_of(p.layout.activations)); }}};

struct KeyOrigin {
  const char *path, *key;
  const char* without = nullptr;  // the key from which the value follows if the file lacks `key`
};

constexpr KeyOrigin kKeys[] = {
    {"workload.layers", "num_hidden_layers"},
    {"workload.first_layer", "num_hidden_layers"},
    {"workload.model", "architectures"},
    {"workload.model.layers", "num_hidden_layers"},
    {"workload.model.hidden", "hidden_size"},
    {"workload.model.heads", "num_attention_heads"},
    {"workload.model.kv_heads", "num_key_value_heads", "num_attention_heads"},
    {"workload.model.head_dim", "head_dim", "hidden_size"},
    {"workload.model.ffn", "intermediate_size"},
    {"workload.model.epsilon", "rms_norm_eps", "architectures"},
    {"workload.model.theta", "rope_theta", "architectures"},
    {"workload.model.vocabulary", "vocab_size"},
    {"workload.model.experts", "num_local_experts", "n_routed_experts"},
    {"workload.model.experts_per_token", "num_experts_per_tok"},
    {"workload.model.normalised_gates", "norm_topk_prob", "architectures"},
    {"workload.model.gate_limit", "swiglu_limit", "architectures"},
    {"workload.model.gate_function", "scoring_func", "architectures"},
    {"workload.model.gate_factor", "routed_scaling_factor", "architectures"},
    {"workload.model.shared_ffn", "shared_expert_intermediate_size", "n_shared_experts"},
    {"workload.model.dense_layers", "first_k_dense_replace"},
    {"workload.model.dense_ffn", "intermediate_size"},
    {"workload.model.latent", "kv_lora_rank"},
    {"workload.model.latent.q_rank", "q_lora_rank"},
    {"workload.model.latent.nope", "qk_nope_head_dim"},
    {"workload.model.latent.rope", "qk_rope_head_dim"},
    {"workload.model.latent.values", "v_head_dim"},
    {"workload.model.delta", "linear_num_value_heads", "mamba_num_heads"},
    {"workload.model.delta.key_heads", "linear_num_key_heads", "n_groups"},
    {"workload.model.delta.key_dim", "linear_key_head_dim", "ssm_state_size"},
    {"workload.model.delta.value_dim", "linear_value_head_dim", "mamba_head_dim"},
    {"workload.model.sublayers", "hybrid_override_pattern", "layers_block_type"},
    {"workload.model.query_scale", "query_pre_attn_scalar", "rope_scaling"},
    {"workload.model.score_cap", "attn_logit_softcapping", "architectures"},
    {"workload.model.logit_cap", "final_logit_softcapping", "architectures"},
    {"workload.model.window", "sliding_window", "architectures"},
    {"workload.model.global_every", "layer_types", "sliding_window_pattern"},
    {"workload.model.rope", "rope_scaling", "rope_parameters"},
    {"workload.model.rope.features", "partial_rotary_factor", "rotary_dim"},
    {"workload.model.rope.local_theta", "rope_local_base_freq", "architectures"}};

constexpr const char* kPhases = "the two phases, prefill and decode";
// These have no option or key of their own.
constexpr std::pair<const char*, const char*> kOthers[] = {
    {"workload.phase", kPhases},
    {"workload.logits", "the model, of which the logits are a part"},
    {"workload.inputs.ids", "the prompt"},
    {"workload.inputs", "--weights"}};

std::string option_of(const OptionOrigin& row, Phase phase) {
  const std::string given = row.given;
  const std::size_t other = given.find('|');
  if (other == std::string::npos) return given;
  return decodes(phase) ? given.substr(0, other) : given.substr(other + 1);
}

bool has_key(const ModelConfig& config, const std::string& key) {
  return std::find(config.keys.begin(), config.keys.end(), key) != config.keys.end();
}

// The key of the file that gives the value, as the family names it.
std::string config_key_of(const ModelConfig& config, const KeyOrigin& row) {
  const std::string path = row.path;
  const ModelFamily& family = *config.family;
  if (path == "workload.model.experts" && family.experts_key != nullptr) return family.experts_key;
  if (path == "workload.model.ffn" && family.expert_ffn_key != nullptr) return family.expert_ffn_key;
  if (path == "workload.model.ffn" && family.routed && config.experts > 0) return "moe_intermediate_size";
  return has_key(config, row.key) || row.without == nullptr ? row.key : row.without;
}

}  // namespace

std::string owner_of(const std::string& path) {
  std::vector<CaseOrigin> all;
  for (const OptionOrigin& row : kOptions) {
    std::string given = row.given;
    if (const std::size_t other = given.find('|'); other != std::string::npos)
      given.replace(other, 1, " or ");
    all.push_back({row.path, given, ""});
  }
  for (const KeyOrigin& row : kKeys) all.push_back({row.path, "config.json", ""});
  // The user may set the inputs that the command does not set.
  for (const auto& [other, what] : kOthers)
    if (other != std::string("workload.inputs")) all.push_back({other, what, ""});
  const CaseOrigins owners(std::move(all));
  const CaseOrigin* owner = owners.of(path);
  return owner == nullptr ? "" : owner->given;
}

std::vector<CaseOrigin> config_origins(const ModelConfig& config) {
  std::vector<CaseOrigin> all;
  for (const KeyOrigin& row : kKeys) {
    const std::string key = config_key_of(config, row);
    all.push_back({row.path, key, has_key(config, key) ? config.place(key) : config.file});
  }
  return all;
}

CaseOrigins model_origins(const ModelConfig& config, const ModelPoint& point, ModelPhase phase) {
  std::vector<CaseOrigin> all = config_origins(config);
  for (const OptionOrigin& row : kOptions) {
    const bool chunk = point.demand.chunk && row.path == std::string("workload.tokens");
    const std::string option = chunk ? "--chunk" : option_of(row, phase),
                      value = row.value == nullptr ? "" : row.value(point, phase);
    all.push_back({row.path, option, value.empty() ? option : option + " " + value});
  }
  for (const auto& [path, what] : kOthers) all.push_back({path, what, what});
  return CaseOrigins(std::move(all));
}

}  // namespace tahoma::runtime
