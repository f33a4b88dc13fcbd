// SPDX-License-Identifier: Apache-2.0
#include "studies/model/config/families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

constexpr ModelFamily kFamilies[] = {
    {.architecture = "LlamaForCausalLM"},
    {.architecture = "MistralForCausalLM"},
    {.architecture = "Qwen2ForCausalLM", .qkv_bias = true, .optional_window = true},
    {.architecture = "Qwen3ForCausalLM", .qk_norm = true, .optional_window = true},
    {.architecture = "Phi3ForCausalLM", .fused = true},
    {.architecture = "MixtralForCausalLM", .experts_key = "num_local_experts"},
    {.architecture = "Qwen3MoeForCausalLM",
     .qk_norm = true,
     .optional_window = true,
     .experts_key = "num_experts",
     .expert_ffn_key = "moe_intermediate_size"},
    {.architecture = "Qwen2MoeForCausalLM",
     .qkv_bias = true,
     .optional_window = true,
     .experts_key = "num_experts",
     .expert_ffn_key = "moe_intermediate_size",
     .shared_ffn_key = "shared_expert_intermediate_size"},
    {.architecture = "GemmaForCausalLM", .gemma = true},
    {.architecture = "Gemma2ForCausalLM", .gemma = true, .post_norm = true},
    {.architecture = "Gemma3ForCausalLM",
     .qk_norm = true,
     .gemma = true,
     .post_norm = true,
     .local_rope = true},
    {.architecture = "Gemma3ForConditionalGeneration",
     .refused = "it has a vision part; its text_config is a configuration of Gemma3ForCausalLM"},
    {.architecture = "GptOssForCausalLM", .refused = "its attention has sinks, and its experts have biases"},
    {.architecture = "DeepseekV2ForCausalLM", .latent = true},
    {.architecture = "DeepseekV3ForCausalLM",
     .refused = "its router takes sigmoids of groups of experts, with a bias, for which there is no kernel"}};

}  // namespace

std::span<const ModelFamily> model_families() { return kFamilies; }

const ModelFamily& family_of(const std::string& architecture, const std::string& place) {
  std::vector<std::string> known;
  for (const ModelFamily& family : kFamilies) {
    if (family.architecture == architecture) {
      if (family.refused != nullptr)
        throw base::UserError("E-HFC-002", place,
                              fmt::format("{} is not supported: {}", architecture, family.refused));
      return family;
    }
    if (family.refused == nullptr) known.emplace_back(family.architecture);
  }
  throw base::UserError("E-HFC-002", place,
                        fmt::format("unknown architecture '{}'{}; expected {}", architecture,
                                    base::did_you_mean(architecture, known), fmt::join(known, ", ")));
}

}  // namespace tahoma::runtime
