// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "studies/cards/model_work.h"
#include "studies/cluster/step/memory.h"
#include "studies/cluster/step/network.h"
#include "studies/cluster/step/tensor_sizes.h"
#include "studies/cluster/step/training_step.h"

namespace tahoma::runtime::cluster {

namespace {

constexpr double kWeightBytes = 2, kActivationBytes = 2;
constexpr double kOptimizerTraffic =
    30;  // bytes for a weight: three fp32 read and written, a gradient read, bf16 written

// Reduces, updates and gathers tensors of a chip in their own collectives.
class TensorCosting {
 public:
  TensorCosting(const ClusterCase& c, const LayerTimes& times, const ChipGroup& replicas)
      : case_(c), times_(times), replicas_(replicas) {}

  // Returns the costs of one tensor that a tensor group shares. `update`: seconds; 0: by the bandwidth of
  // HBM.
  TensorCosts of(double elements, double update) const {
    const double own = elements / number(case_.job.tensor);
    if (update == 0) update = kOptimizerTraffic * own / replicas_.members / times_.hbm_bytes_per_second;
    return {reduced(replicas_, number(case_.job.gradient_bytes) * own), update,
            gathered(replicas_, kWeightBytes * own)};
  }

  // A tensor that every chip of a tensor group has is reduced over the group first, and gathered last.
  TensorCosts replicated(double elements, double update, double weight_bytes, bool small) const {
    const ChipGroup chips{number(case_.job.tensor), 1};
    TensorCosts costs = of(elements, update);
    costs.small = small;
    costs.gather = gathered(replicas_, weight_bytes * elements / number(case_.job.tensor));
    costs.reduce.wait +=
        reduce_scatter_seconds(case_.fleet, chips, number(case_.job.gradient_bytes) * elements);
    costs.gather.wait += all_gather_seconds(case_.fleet, chips, weight_bytes * elements);
    return costs;
  }

 private:
  Exchange gathered(const ChipGroup& group, double bytes) const {
    const double wait = all_gather_seconds(case_.fleet, group, 0);
    return {wait, all_gather_seconds(case_.fleet, group, bytes) - wait};
  }
  Exchange reduced(const ChipGroup& group, double bytes) const {
    const double wire = gathered(group, bytes).wire;
    return {reduce_scatter_seconds(case_.fleet, group, bytes) - wire, wire};
  }

  const ClusterCase& case_;
  const LayerTimes& times_;
  ChipGroup replicas_;
};

void add_tensors(const ClusterCase& c, const LayerTimes& times, const ChipGroup& replicas, StepCosts& costs) {
  constexpr double kMasterBytes = 4;
  const TensorCosting costing(c, times, replicas);
  const auto sizes = layer_tensors(c.model);
  const double all = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  for (const double elements : sizes)
    costs.layer_tensors.push_back(costing.of(elements, times.update.layer * elements / all));
  costs.ends_tensors = {costing.replicated(head_elements(c.model), times.update.ends, kWeightBytes, false)};
  costs.norm_tensors = {costing.replicated(norm_elements(c), times.update.norms, kMasterBytes, true)};
}

}  // namespace

PipelineShape pipeline_shape(const ClusterCase& c) {
  return {static_cast<std::uint32_t>(c.job.pipeline), static_cast<std::uint32_t>(c.microbatches()),
          static_cast<std::uint32_t>(c.job.virtual_stages)};
}

StepCosts step_costs(const ClusterCase& c, const LayerTimes& times) {
  const double members = number(c.replicas() * c.job.context),
               of_layer = layer_weights(c.model) / number(c.job.tensor),
               tokens = number(c.job.micro_batch * c.job.sequence) / number(c.job.context * c.job.tensor);
  const ChipGroup replicas{members, number(c.job.tensor)};
  const double gradients = number(c.job.gradient_bytes) * of_layer;
  StepCosts costs;
  costs.layer = times.layer;
  costs.ends = times.ends;
  costs.layers = number(c.chunk_layers());
  costs.short_ends = c.short_ends();
  costs.sharded = c.job.sharding != Sharding::kNone;
  costs.gathers_weights = c.job.sharding == Sharding::kParameters;
  costs.straggler = c.times.straggler;
  if (c.job.pipeline > 1)
    costs.send = send_seconds(c.fleet, number(c.job.tensor * c.job.context * c.replicas()),
                              kActivationBytes * tokens * number(c.model.hidden));
  costs.reduce_layer = costs.sharded ? reduce_scatter_seconds(c.fleet, replicas, gradients)
                                     : all_reduce_seconds(c.fleet, replicas, gradients);
  costs.gather_layer = costs.sharded ? all_gather_seconds(c.fleet, replicas, kWeightBytes * of_layer) : 0;
  const double updated = weights_of_chip(c) / (costs.sharded ? members : 1);
  costs.optimizer = kOptimizerTraffic * updated / times.hbm_bytes_per_second;
  costs.by_tensor = c.job.update == Update::kByTensor;
  costs.shared_queue = c.job.shared_queue;
  costs.queues = c.job.collective_queues;
  costs.norm = times.norm;
  costs.first_update = times.update.start;
  if (costs.by_tensor) add_tensors(c, times, replicas, costs);
  return costs;
}

}  // namespace tahoma::runtime::cluster
