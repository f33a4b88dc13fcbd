// SPDX-License-Identifier: Apache-2.0
// Converts the weights of a Hugging Face model to the inputs of the workload `transformer`: matrices of all
// layers are stacked, transposed to [inputs, outputs], and rounded to bf16; gains and biases become fp32.
// Tensors that a model fuses (Phi-3: q, k and v; gate and up) are cut. A model with tied embeddings has its
// table as matrix of the logits.
//
// Reads model.safetensors, or the shards that model.safetensors.index.json names. All weights are in memory
// of the host one tensor of all layers at a time. Not supported: mixtures of experts, whose routing is part
// of a case.
//
// Weights are not quantised: a type with fewer bits needs scales, which the products of the kernels do not
// apply.
//
// UserError: E-HFC-017 (a layout asks for such a type); E-HFC-030 (no weights in the folder, an index that is
// not one, or a mixture), and those of runtime/host/safetensors.h: a tensor that is missing, of another shape
// or of another type.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "studies/model/config/model_config.h"
#include "studies/model/layout/model_layout.h"

namespace tahoma::runtime {

// Throws E-HFC-017.
void require_unscaled(const ModelLayout& layout);

// Writes NAME.npy for every input into `folder`, which exists, and returns names and files.
std::vector<std::pair<std::string, std::string>> convert_weights(const ModelConfig& config,
                                                                 const std::string& weights,
                                                                 const std::string& folder);

}  // namespace tahoma::runtime
