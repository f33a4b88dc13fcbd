// SPDX-License-Identifier: Apache-2.0
// Gives the time of a chunk of layers for one micro-batch on one chip of its stage, before pipeline and
// replicas.
//
// - given: the times of the case.
// - card: the roofline of studies/cards, with the card's efficiency and the all_reduces of the tensor group
//   over its links.
// - executed: the emulator runs training steps of one and of two layers (executed_layers.h).
// - prefill: the emulator runs a prefill of the micro-batch with one layer and with two, embedding and logits
//   included, on the chips of the tensor group (studies/model/model_run.h). A layer is the difference; the
//   ends are the rest.
//
// Card and prefill: the backward pass is `times.backward` times the forward one, and half of it is that of
// the weights. Recomputed layers add a forward pass. A shared context divides the tokens; keys and values
// travel in a ring beside attention, and what attention does not hide is added. A mixture over several
// replicas adds two all_to_alls in each direction.
#pragma once

#include <string>

#include "studies/cluster/input/cluster_case.h"
#include "studies/model/model_run.h"

namespace tahoma::runtime::cluster {

// These are seconds of one layer or of embedding, logits and loss.
struct PassTimes {
  double forward = 0, backward = 0, weights = 0;  // backward: without the part of the weights
};

// These are seconds of the optimizer on a chip, tensor after tensor; 0 if not known. `start` is the time
// before the first one.
struct UpdateTimes {
  double layer = 0, ends = 0, norms = 0, start = 0;
};

struct LayerTimes {
  PassTimes layer, ends;
  double norm = 0;  // from the gradients of a layer's products to the end of its backward pass
  UpdateTimes update;
  double flops = 0;       // useful ones of the whole model for one token, forward and backward
  double peak_flops = 0;  // of a chip
  double hbm_bytes = 0, hbm_bytes_per_second = 0;  // of a chip
  std::string source;                              // for the report
  double slow_factor = 1;  // of both passes with a slow part: executed, or faults.slow_factor
};

// Executed runs use `folder`. Throws E-CLU-003 if the emulator cannot execute the degrees; otherwise as
// read_card() and ModelRunner.
LayerTimes layer_times(const ClusterCase& c, const std::string& folder);

}  // namespace tahoma::runtime::cluster
