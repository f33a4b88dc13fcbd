// SPDX-License-Identifier: Apache-2.0
// DeepSeek adds to Llama's layers: multi-head latent attention (V2), and a mixture of experts behind some
// layers without experts.
#pragma once

#include "studies/model/config/config_reader.h"
#include "studies/model/config/model_config.h"

namespace tahoma::runtime {

// UserError E-HFC-003, E-HFC-005 or E-HFC-006 at the key.
void read_latent(const ConfigReader& in, ModelConfig& config);
// A choice among groups of experts is left out, because the routing of a run prescribes the choice.
void read_routed(const ConfigReader& in, ModelConfig& config);
// YaRN, with the factor that its two `mscale` give the scores.
void read_yarn(const ConfigReader& scaling, ModelConfig& config);

}  // namespace tahoma::runtime
