// SPDX-License-Identifier: Apache-2.0
// The input of `tahoma cluster`: one YAML file with the key `cluster`, and --set on the command line.
// Relative paths in the file start in its folder.
//
//   cluster:
//     title: ...
//     job: {model: config.json, tensor: 8, pipeline: 16, ...}       job_params.h
//     fleet: {chips: 4096, ...}
//     times: {source: card, card: trainium2}
//     checkpoint: {interval_minutes: 30}
//     faults: {...}                                                 fault_params.h
//
// UserError: those of the configuration loader and of read_model_config(); E-CLU-001 a key is missing;
// E-CLU-002 degrees, batch and fleet do not divide each other; E-CLU-003 values that exclude each other;
// E-CLU-004 a chip has too little memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "studies/cluster/faults/fault_params.h"
#include "studies/model/config/model_config.h"
#include "workloads/training/case/job_params.h"

namespace tahoma::runtime::cluster {

// The tree points into the parameters, so a case must not move.
struct ClusterCase {
  ClusterCase() = default;
  ClusterCase(const ClusterCase&) = delete;
  ClusterCase& operator=(const ClusterCase&) = delete;

  std::string file, title;
  JobParams job;
  FleetParams fleet;
  TimeParams times;
  CheckpointParams checkpoint;
  FaultParams faults;
  base::ParamTree tree{"cluster"};
  ModelConfig model;

  void declare();
  // Where the parameter at `path` was set, or the file.
  std::string place_of(const std::string& path) const;

  // These follow from the members above.
  std::uint64_t chips_of_replica() const { return job.tensor * job.context * job.pipeline; }
  std::uint64_t replicas() const { return fleet.chips / chips_of_replica(); }
  std::uint64_t microbatches() const { return job.global_batch / (replicas() * job.micro_batch); }
  std::uint64_t chunks() const { return job.pipeline * job.virtual_stages; }
  // The first and the last chunk have one layer less.
  bool short_ends() const { return model.layers % chunks() != 0; }
  std::uint64_t chunk_layers() const { return (model.layers + (short_ends() ? 2 : 0)) / chunks(); }
  double step_tokens() const { return static_cast<double>(job.global_batch * job.sequence); }
  double steps() const { return job.tokens / step_tokens(); }
};

std::unique_ptr<ClusterCase> load_cluster_case(const std::string& file,
                                               const std::vector<std::string>& overrides);

}  // namespace tahoma::runtime::cluster
