// SPDX-License-Identifier: Apache-2.0
// Composes one training step by discrete events. One replica represents all, because all replicas do the same
// at the same time; so the cost of the simulation does not depend on the number of chips. Each stage has a
// compute unit, which takes passes in the order of the schedule, and a network, which takes collectives in
// the order in which they become ready.
//
// - A forward pass begins when the activations have arrived from the stage before it, a backward pass when
//   the gradients have arrived from the stage behind it. Sends overlap with passes.
// - Gradients of a layer are reduced over the replicas as soon as the last micro-batch has completed them,
//   layer by layer, beside the remaining backward passes: all_reduce, or reduce_scatter with sharding.
// - The optimizer begins when the gradients of the stage are reduced and reads and writes its state at the
//   HBM's bandwidth. With sharding, an all_gather distributes the new weights. It is exposed; overlapping it
//   with the next step is not modelled.
// - update: by_tensor replaces the two rules above: each tensor is reduced, updated and gathered by itself
//   (tensor_update.h). The first stage reduces beside its last backward pass, the others behind it. With a
//   shared queue, a backward pass of the first stage waits for the reductions of the layers behind it,
//   because collectives of its tensor group come after them.
// - sharding: parameters gathers the weights of each layer before its forward and its backward pass, one
//   layer ahead, and reduces its gradients behind the backward pass.
// - A checkpoint that blocks is counted in the goodput, not here.
#pragma once

#include <vector>

#include "studies/cluster/step/layer_times.h"
#include "studies/cluster/step/tensor_update.h"
#include "workloads/training/case/pipeline_schedule.h"

namespace tahoma::runtime::cluster {

// One pass, or what follows the passes, on one stage. Seconds from the beginning of the step.
struct StageSpan {
  std::uint32_t stage = 0, microbatch = 0, chunk = 0;
  const char* what = "";  // forward, backward, weights, reduce, optimizer, gather
  double start = 0, end = 0;
};

struct TrainingStep {
  double seconds = 0;
  // Mean over the stages; they add up to `seconds`.
  double compute = 0, bubble = 0, exposed_reduce = 0, optimizer = 0, exposed_gather = 0;
  double reduce = 0;  // on the network, hidden or not
  std::vector<StageSpan> spans;
};

// Costs of the events, apart from their order.
struct StepCosts {
  PassTimes layer, ends;                      // of one micro-batch
  double layers = 1;                          // of a chunk
  bool short_ends = false;                    // the first and the last chunk of the model have one layer less
  double send = 0;                            // activations or gradients from stage to stage
  double reduce_layer = 0, gather_layer = 0;  // gradients and weights of one layer over the replicas
  double optimizer = 0;                       // of a stage
  double straggler = 1;                       // factor of the last stage's passes
  bool sharded = false, gathers_weights = false;  // an all_gather behind the optimizer; one before each layer
  bool by_tensor = false, shared_queue = false;
  std::size_t queues = 1;                                              // of by_tensor
  double norm = 0, first_update = 0;                                   // of by_tensor, as in LayerTimes
  std::vector<TensorCosts> layer_tensors, ends_tensors, norm_tensors;  // of by_tensor
};

StepCosts step_costs(const ClusterCase& c, const LayerTimes& times);
TrainingStep simulate_step(Schedule schedule, const PipelineShape& shape, const StepCosts& costs);
PipelineShape pipeline_shape(const ClusterCase& c);

}  // namespace tahoma::runtime::cluster
