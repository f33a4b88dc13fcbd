// SPDX-License-Identifier: Apache-2.0
// The architectures that `config.json` may name: what their layers have beside those of Llama, and why others
// are refused.
#pragma once

#include <span>
#include <string>

namespace tahoma::runtime {

struct ModelFamily {
  const char* architecture;
  bool qkv_bias = false, qk_norm = false;
  // Gains of norms are 1 + weight, token embeddings are multiplied by sqrt(hidden) in bf16, the gate's
  // activation is gelu by tanh, and the logits use the embedding's matrix unless the file says otherwise.
  bool gemma = false;
  bool post_norm =
      false;  // the outputs of the sublayers pass a norm; scores have a scale of their own, and may be capped
  bool local_rope = false;  // local layers have a base of the rotary embedding of their own
  bool optional_window =
      false;           // sliding_window counts with use_sliding_window only, and not in the first layers
  bool fused = false;  // weights of q, k and v, and of gate and up, are one tensor each (Phi-3)
  const char* experts_key = nullptr;     // the number of experts
  const char* expert_ffn_key = nullptr;  // their hidden features, if they differ from intermediate_size
  const char* shared_ffn_key = nullptr;  // those of an expert that every token uses, whose output is gated
  bool latent = false;  // multi-head latent attention, and first layers without experts (deepseek_config.h)
  const char* refused = nullptr;  // why the kernels cannot run it
};

std::span<const ModelFamily> model_families();

// The family, or UserError E-HFC-002 at `place`.
const ModelFamily& family_of(const std::string& architecture, const std::string& place);

}  // namespace tahoma::runtime
