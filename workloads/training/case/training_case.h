// SPDX-License-Identifier: Apache-2.0
// A training step's inputs on the host, and other tensors with the shapes of a model's weights.
#pragma once

#include <array>

#include "workloads/training/case/training_params.h"
#include "workloads/transformer/layer/layer_weights.h"

namespace tahoma::workloads {

struct ModelTensors {
  std::vector<HostWeights> layers;
  runtime::HostTensor final_gain, head;  // [1, hidden], [hidden, vocabulary]
};

// The tensors of a layer by their names.
struct LayerTensorName {
  const char* name;
  runtime::HostTensor HostWeights::*tensor;
};
inline constexpr std::array<LayerTensorName, 9> kLayerTensorNames{
    {{"attention_gain", &HostWeights::attention_gain},
     {"q", &HostWeights::q},
     {"k", &HostWeights::k},
     {"v", &HostWeights::v},
     {"o", &HostWeights::o},
     {"mlp_gain", &HostWeights::mlp_gain},
     {"gate", &HostWeights::gate},
     {"up", &HostWeights::up},
     {"down", &HostWeights::down}}};

struct TrainingCase {
  ModelTensors weights;  // gains fp32, others bf16
  runtime::HostTensor table, x;
  runtime::HostTensor labels;  // [rows of all replicas, 1] int32
};

// Inputs come from files or the seed, as in host_case(); labels are evenly spread. Throws what load_input()
// throws, and E-RUN-099 for a label beyond the vocabulary.
TrainingCase training_case(const TrainingParams& params, std::uint64_t seed);
runtime::HostTensor labels_of(const TrainingParams& params, std::uint64_t seed);

// Calls body(name, layer or nothing, one of `tensors`) for each tensor.
template <class Tensors, class Body>
void for_tensors(Tensors& tensors, Body&& body) {
  for (const LayerTensorName& name : kLayerTensorNames)
    for (std::size_t l = 0; l < tensors.layers.size(); ++l)
      body(name.name, l, tensors.layers[l].*name.tensor);
  body("final_gain", std::size_t{0}, tensors.final_gain);
  body("head", std::size_t{0}, tensors.head);
}

// Returns zeros of the same shapes, in fp32.
ModelTensors zeros_like(const ModelTensors& tensors);

}  // namespace tahoma::workloads
