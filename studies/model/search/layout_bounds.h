// SPDX-License-Identifier: Apache-2.0
// Lower bounds of the times of a layout, by closed forms.
//
// A phase has to read weights and caches from the HBM and to compute its useful FLOPs, so it takes at least
//   longer(all bytes / bandwidth of all stacks, all FLOPs / peak of all cores).
// In a pipeline of P stages with M microbatches it also takes at least (P - 1) first + last, because the last
// stage begins when the first microbatch has passed the P - 1 stages before it, and then has its part of all
// microbatches ahead of it:
//   first   longer(what a microbatch reads, its FLOPs) on the cores and stacks of one stage. Of what it
//           reads, the SBUF of the stage may hold as much as it has room for before the microbatch comes.
//   last    the same for all microbatches, each of which reads the weights again except for those in SBUF;
//           and the logits
// Stages have the share of weights, caches and FLOPs that they have of the layers. So M equal microbatches of
// P equal stages take at least M + P - 1 times as long as one microbatch on one stage.
//
// Groups that share sequences each read the weights. In a decoding step they also compute everything but
// attention, each for itself.
//
// Weights have the bytes of their type. The peak is that of bf16, at which the kernels multiply activations
// of bf16 by weights of any type; with activations in fp8 that of double_row, although attention and logits
// remain bf16.
//
// Excluded, so that bounds stay below: communication, latencies, start-up, activations, and all but the
// experts of one token. With less than all ranks, the stacks and cores of all chips count nevertheless.
#pragma once

#include <string>
#include <vector>

#include "studies/model/config/model_config.h"
#include "studies/model/layout/model_layout.h"

namespace tahoma::runtime {

struct LayoutBounds {
  double ttft = 0, tpot = 0;  // seconds
};

// The bounds are for the machine of the point's chips, changed by `overrides`.
LayoutBounds bounds_of(const ModelConfig& config, const ModelPoint& point,
                       const std::vector<std::string>& overrides);

}  // namespace tahoma::runtime
