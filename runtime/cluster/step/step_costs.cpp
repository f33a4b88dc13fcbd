// SPDX-License-Identifier: Apache-2.0
#include "runtime/cards/model_work.h"
#include "runtime/cluster/step/memory.h"
#include "runtime/cluster/step/network.h"
#include "runtime/cluster/step/training_step.h"

namespace tahoma::runtime::cluster {

namespace {

constexpr double kWeightBytes = 2, kActivationBytes = 2;
constexpr double kOptimizerTraffic =
    30;  // bytes for a weight: three fp32 read and written, a gradient read, bf16 written

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
  return costs;
}

}  // namespace tahoma::runtime::cluster
