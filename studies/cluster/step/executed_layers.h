// SPDX-License-Identifier: Apache-2.0
// Executes what a layer costs a micro-batch: training steps on the chips of one tensor group, a part of
// `times.machine`, with one and with two layers (workloads/training). A step adds its gradients to sums, as
// every micro-batch but the first does. With E(n, m) the end of a step of n layers and m micro-batches, F(n)
// the start of the last norm, and U(n) that of the optimizer:
//
//   forward pass of a layer    F(2) - F(1)
//   backward pass of a layer   U(2) - U(1) - (F(2) - F(1))
//   last norm, logits, loss    E(1, 2) - E(1, 1), less both passes of a layer
//
// The optimizer of a layer takes E(2, 1) - U(2) - (E(1, 1) - U(1)) if its state is not sharded. The time
// saved by sharding is the difference of two updates that run by themselves, of the whole and of a core's
// shard (workloads/optimizer); the time by which such updates exceed updates in a row delays the first one.
// With a slow part, the steps of one and of two layers run again on a machine with that fault.
// Each run is a process; a folder keeps its runs (studies/model/kept).
#pragma once

#include <string>

#include "studies/cluster/step/layer_times.h"

namespace tahoma::runtime::cluster {

struct ExecutedLayers {
  PassTimes layer, ends;
  double norm = 0;
  UpdateTimes update;
  // Both passes of a layer with times.slow_instance, over those without; 0: not asked for.
  double slow_factor = 0;
};

// Throws E-CLU-003 if the machine has no such part, and what refuses a run (studies/batch/child_run.h).
ExecutedLayers execute_layers(const ClusterCase& c, const std::string& folder);

}  // namespace tahoma::runtime::cluster
