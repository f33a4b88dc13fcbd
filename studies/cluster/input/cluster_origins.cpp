// SPDX-License-Identifier: Apache-2.0
#include "studies/cluster/input/cluster_origins.h"

#include "studies/model/model_origins.h"

namespace tahoma::runtime::cluster {

namespace {

constexpr std::pair<const char*, const char*> kKeys[] = {
    {"machine.extends", "cluster.times.machine"},
    {"machine.torus", "cluster.job.tensor"},
    {"machine.chip.lnc", "cluster.times.lnc"},
    {"machine.chip.hbm.model", "cluster.times.source"},
    {"machine.instances", "cluster.times.slow_instance"},
    {"workload.phase", "cluster.times.source"},
    {"workload.batch", "cluster.job.micro_batch"},
    {"workload.microbatches", "cluster.job.micro_batch"},
    {"workload.tokens", "cluster.job.sequence"},
    {"workload.algorithm", "cluster.times.algorithm"},
    {"workload.parallel", "cluster.job.tensor"},
    {"workload.accumulate", "cluster.job.micro_batch"},
    {"workload.recompute", "cluster.job.recompute"},
    {"workload.inputs", "cluster.job.model"},
    {"workload.rows", "cluster.job.update"},  // of a step of the optimizer
    {"workload.columns", "cluster.job.update"},
    {"workload.copy", "cluster.job.update"}};

}  // namespace

CaseOrigins cluster_origins(const ClusterCase& c) {
  std::vector<CaseOrigin> all = config_origins(c.model);
  for (const auto& [path, key] : kKeys) all.push_back({path, key, c.place_of(key)});
  return CaseOrigins(std::move(all));
}

}  // namespace tahoma::runtime::cluster
