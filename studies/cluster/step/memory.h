// SPDX-License-Identifier: Apache-2.0
// Bytes of a chip in a training job: bf16 weights, gradients, and fp32 master weights with two moments,
// divided by tensor and pipeline, and by the replicas as far as they share. Activations of the micro-batches
// in flight: the inputs of layers if these are recomputed, else 34 bytes for each token and hidden feature of
// a layer (arXiv 2205.05198, without the scores of attention). The first stage counts, which holds most: a
// 1F1B pipeline has as many micro-batches in flight as stages.
#pragma once

#include "studies/cluster/input/cluster_case.h"

namespace tahoma::runtime::cluster {

struct MemoryShares {
  double weights = 0, gradients = 0, optimizer = 0, activations = 0;
  double total() const { return weights + gradients + optimizer + activations; }
};

// Weights of the model on a chip, before replicas share them.
double weights_of_chip(const ClusterCase& c);
MemoryShares memory_of_chip(const ClusterCase& c);
// Throws E-CLU-004 if that exceeds `capacity`.
void require_memory(const ClusterCase& c, double capacity);

}  // namespace tahoma::runtime::cluster
