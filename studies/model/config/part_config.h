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

}  // namespace tahoma::runtime
