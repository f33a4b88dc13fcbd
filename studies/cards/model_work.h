// SPDX-License-Identifier: Apache-2.0
// Counts the work of a phase of a model on each of n devices that share every layer (tensor parallelism):
// FLOPs, bytes of HBM and bytes to reduce, part by part. Weights, activations and caches are bf16.
//
// Each part reads its weights and its input and writes its output once. Weights, heads and the vocabulary are
// divided by n; heads of keys that are fewer than the devices are replicated. Norms, rotary embedding and
// residuals are fused into a neighbour's bytes, but count as kernels. A prefill has the prompts of one
// replica, with causal attention; a decoding step has the whole batch. A mixture reads the experts that
// tokens chose, if each token chooses evenly and independently.
#pragma once

#include <vector>

#include "studies/cards/roofline.h"
#include "studies/model/config/model_config.h"
#include "studies/model/layout/model_layout.h"

namespace tahoma::runtime {

// Rows that pass through a layer, and what attention does with them: pairs of a query and a key of one head,
// and rows of keys and values that are read.
struct WorkShape {
  double tokens = 0, scores = 0, cached_rows = 0;
};
WorkShape shape_of(const ModelDemand& demand, ModelPhase phase);

std::vector<CardWork> layer_work(const ModelConfig& config, const WorkShape& shape, double devices);
std::vector<CardWork> layer_work(const ModelConfig& config, const ModelDemand& demand, ModelPhase phase,
                                 double devices);
// This is the work of embedding and logits.
std::vector<CardWork> ends_work(const ModelConfig& config, double tokens, double sequences, double devices);
std::vector<CardWork> ends_work(const ModelConfig& config, const ModelDemand& demand, ModelPhase phase,
                                double devices);

// Counts the weights of a layer, and of embedding and logits.
double layer_weights(const ModelConfig& config);
double ends_weights(const ModelConfig& config);

// Returns the bytes of weights and caches in all devices together.
double resident_bytes(const ModelConfig& config, const ModelDemand& demand);

}  // namespace tahoma::runtime
