// SPDX-License-Identifier: Apache-2.0
// Which layers of a model attend to a sliding window only. Layers are local, except every n-th one, as in
// Gemma; Mistral's are all local.
#pragma once

#include <vector>

#include "studies/model/config/config_reader.h"
#include "studies/model/config/model_config.h"

namespace tahoma::runtime {

// Reads the window and the pattern. UserError E-HFC-005 for layers that are neither full nor sliding, or in
// another order; E-HFC-006 for the types of another number of layers.
void read_layer_pattern(const ConfigReader& in, ModelConfig& config);

// How a sequence of so many tokens divides the layers into those of two kinds. `local` is all of them if no
// layer sees the whole sequence, and 0 if all do.
struct LayerKinds {
  std::uint64_t local = 0, global = 0;
  bool mixed() const { return local > 0 && global > 0; }
};
LayerKinds layer_kinds(const ModelConfig& config, std::uint64_t tokens);

// Layers of attention, in a model whose others have states.
std::uint64_t layers_of_attention(const ModelConfig& config);

// Layers that are alike: local or global ones, with experts or without, or without any feed-forward part, of
// a sequence of so many tokens.
struct LikeLayers {
  std::uint64_t first = 0, count = 0;  // the first of them, and how many they are
};
std::vector<LikeLayers> like_layers(const ModelConfig& config, std::uint64_t tokens);

// A layer, and the next one, of two kinds; kinds as above, by their numbers. There must be two kinds.
struct UnlikeLayers {
  std::uint64_t first = 0;
  std::size_t kind = 0, next = 0;
};
UnlikeLayers unlike_layers(const ModelConfig& config, std::uint64_t tokens);

// Pairs of a query and a key that it sees, its own among them, summed over the layers: of `queries` tokens of
// a sequence, the first of which is behind `before` others.
double pairs_of_layers(const ModelConfig& config, std::uint64_t before, std::uint64_t queries);

}  // namespace tahoma::runtime
