// SPDX-License-Identifier: Apache-2.0
// Reads what configurations of the Gemma families have in addition to those of Llama.
#pragma once

#include "studies/model/config/config_reader.h"
#include "studies/model/config/model_config.h"

namespace tahoma::runtime {

// Absent keys have the defaults of the architecture. UserError as read_model_config().
void read_gemma(const ConfigReader& in, ModelConfig& config);

}  // namespace tahoma::runtime
