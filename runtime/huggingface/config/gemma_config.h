// SPDX-License-Identifier: Apache-2.0
// What the configurations of the Gemma families have beside those of Llama.
#pragma once

#include "runtime/huggingface/config/config_reader.h"
#include "runtime/huggingface/config/model_config.h"

namespace tahoma::runtime {

// Absent keys have the defaults of the architecture. UserError as read_model_config().
void read_gemma(const ConfigReader& in, ModelConfig& config);

}  // namespace tahoma::runtime
