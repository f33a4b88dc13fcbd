// SPDX-License-Identifier: Apache-2.0
// Parts of layers that only some architectures have, and the keys that speak of them.
#pragma once

#include "studies/model/config/config_reader.h"
#include "studies/model/config/model_config.h"

namespace tahoma::runtime {

// Families with biases have all of them; nothing else is known.
void check_biases(const ConfigReader& in, const ModelConfig& config);
// Attention and the feed-forward part side by side, and one head of keys: Falcon, GPT-NeoX, GPT-BigCode.
void read_sublayers(const ConfigReader& in, ModelConfig& config);
// Sequences of an encoder of images are its patches, and a token of the class.
void read_encoder(const ConfigReader& in, ModelConfig& config);
// Of a model with images, text passes by the layers that attend to them.
void read_crossed(const ConfigReader& in, ModelConfig& config);
// Layers with experts alternate with others, which have a part of their own size (Llama 4).
void read_interleaved(const ConfigReader& in, ModelConfig& config);
// Gates with a limit, first layers without experts, sequences of which all blocks are seen (MiniMax-M3).
void read_blocks(const ConfigReader& in, ModelConfig& config);
void read_delta(const ConfigReader& in, ModelConfig& config);

// Layers of Mamba-2 among others, as Nemotron-H lists them: hybrid_override_pattern "MEM*-", or
// layers_block_type ["mamba", "moe", "mamba", "attention", "mlp"]. A layer of the cases is one that mixes
// tokens with the feed-forward part behind it, so they are fewer than num_hidden_layers.
//
// Adds num_hidden_layers to a file that has only the list.
void count_sublayers(nlohmann::ordered_json& values);
// E-HFC-003 for another list, E-HFC-005 for feed-forward parts that follow each other, E-HFC-006 for the
// parts of another number of layers, or groups that do not divide the heads.
void read_states(const ConfigReader& in, ModelConfig& config);
// The hidden features of the shared expert, which are no multiple of those of the others.
// Where a part is behind each Mamba-2 and attention, it is the shared expert, alone without others.
void read_shared_experts(const ConfigReader& in, ModelConfig& config);

}  // namespace tahoma::runtime
