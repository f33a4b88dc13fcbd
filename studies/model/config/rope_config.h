// SPDX-License-Identifier: Apache-2.0
// The rotary embedding of a configuration: its base, and its scaling for long contexts.
#pragma once

#include "studies/model/config/config_reader.h"
#include "studies/model/config/model_config.h"

namespace tahoma::runtime {

// Older files have rope_theta and rope_scaling, newer ones rope_parameters with both. UserError at the key:
// E-HFC-003, E-HFC-004 for one that the scaling does not have, E-HFC-005 or E-HFC-006.
void read_rope(const ConfigReader& in, ModelConfig& config);

}  // namespace tahoma::runtime
