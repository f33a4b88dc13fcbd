// SPDX-License-Identifier: Apache-2.0
#include "studies/cluster/step/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "studies/cards/model_work.h"

namespace tahoma::runtime::cluster {

namespace {

// GPipe holds all micro-batches, the others as many as stages.
double in_flight(const ClusterCase& c) {
  const double all = number(c.microbatches());
  return c.job.schedule == Schedule::kGpipe ? all : std::min(all, number(c.job.pipeline));
}

double activations(const ClusterCase& c) {
  const double tokens = number(c.job.micro_batch * c.job.sequence) / number(c.job.context * c.job.tensor),
               layers = number(c.model.layers) / number(c.job.pipeline), hidden = number(c.model.hidden);
  if (c.job.recompute == Recompute::kLayer) return (in_flight(c) * layers * 2 + 34) * tokens * hidden;
  return in_flight(c) * layers * 34 * tokens * hidden;
}

}  // namespace

double weights_of_chip(const ClusterCase& c) {
  const double whole = number(c.model.layers) * layer_weights(c.model) + ends_weights(c.model);
  return whole / number(c.job.tensor * c.job.pipeline);
}

MemoryShares memory_of_chip(const ClusterCase& c) {
  constexpr double kWeight = 2, kOptimizer = 12;  // bytes: bf16; fp32 master weight and two moments
  const double weights = weights_of_chip(c), replicas = number(c.replicas() * c.job.context);
  const auto shared = [&](Sharding from, double bytes) {
    return c.job.sharding >= from ? bytes / replicas : bytes;
  };
  return {shared(Sharding::kParameters, kWeight * weights),
          shared(Sharding::kGradients, number(c.job.gradient_bytes) * weights),
          shared(Sharding::kOptimizer, kOptimizer * weights), activations(c)};
}

void require_memory(const ClusterCase& c, double capacity) {
  const MemoryShares shares = memory_of_chip(c);
  if (shares.total() <= capacity) return;
  constexpr double kGb = 1e9;
  throw base::UserError("E-CLU-004", "cluster.job",
                        fmt::format("a chip needs {:.1f} GB (weights {:.1f}, gradients {:.1f}, optimizer "
                                    "{:.1f}, activations {:.1f}) and has "
                                    "{:.1f} GB: expected higher degrees, more sharding, or recompute: layer",
                                    shares.total() / kGb, shares.weights / kGb, shares.gradients / kGb,
                                    shares.optimizer / kGb, shares.activations / kGb, capacity / kGb));
}

}  // namespace tahoma::runtime::cluster
