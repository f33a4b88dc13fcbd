// SPDX-License-Identifier: Apache-2.0
// What DeepSeek-V2 has beside Llama's layers: multi-head latent attention, and a mixture of experts behind some layers without experts.
#pragma once

#include "runtime/huggingface/config/config_reader.h"
#include "runtime/huggingface/config/model_config.h"

namespace tahoma::runtime {

// UserError E-HFC-003, E-HFC-005 or E-HFC-006 at the key.
void read_deepseek(const ConfigReader& in, ModelConfig& config);
// YaRN, with the factor that its two `mscale` give the scores.
void read_yarn(const ConfigReader& scaling, ModelConfig& config);

}  // namespace tahoma::runtime
