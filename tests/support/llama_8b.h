// SPDX-License-Identifier: Apache-2.0
// The shape of Llama 3.1 with 8 billion weights, for tests that compute its closed forms by hand.
#pragma once

#include "studies/model/config/families.h"
#include "studies/model/config/model_config.h"

namespace tahoma::tests {

inline runtime::ModelConfig llama_8b() {
  runtime::ModelConfig config;
  config.family = &runtime::family_of("LlamaForCausalLM", "");
  config.layers = 32;
  config.hidden = 4096;
  config.heads = 32;
  config.kv_heads = 8;
  config.head_dim = 128;
  config.ffn = 14336;
  config.vocabulary = 128256;
  config.epsilon = 1e-5;
  config.theta = 500000;
  return config;
}

}  // namespace tahoma::tests
