// SPDX-License-Identifier: Apache-2.0
// Constants by which a model multiplies embeddings, scores, the outputs of sublayers and logits (Granite,
// MiniCPM). But for that of the scores they are factors of matrices and cost nothing.
#pragma once

#include "studies/model/config/config_reader.h"
#include "studies/model/config/model_config.h"

namespace tahoma::runtime {

void read_multipliers(const ConfigReader& in, ModelConfig& config);

}  // namespace tahoma::runtime
