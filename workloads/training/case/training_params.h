// SPDX-License-Identifier: Apache-2.0
// The parameters of a training step: the model and its partitioning (workloads/transformer), the optimizer,
// and the values of a layer that are kept between its forward and its backward pass.
#pragma once

#include <string>

#include "workloads/optimizer/adam_kernel.h"
#include "workloads/training/case/pipeline_schedule.h"
#include "workloads/transformer/partition/transformer_params.h"

namespace tahoma::workloads {

// Recomputation in the backward pass.
enum class Recompute : std::uint8_t { kNone, kLayer };
inline constexpr base::Named<Recompute> kRecomputes[] = {{Recompute::kNone, "none"},
                                                         {Recompute::kLayer, "layer"}};

struct TrainingParams {
  TransformerParams forward;  // a prefill in one slice
  AdamSettings optimizer;
  Recompute recompute{};
  runtime::cluster::Schedule schedule{};  // order of the passes: 1f1b or gpipe
  bool accumulate = false;                // gradients are added to sums that start from zero

  void declare(base::ParamTree& t);
  // Throws the errors of TransformerParams::check(), UserError E-MDL-030 (degrees, heads or rows that a
  // training step does not shard) and E-MDL-031 (weights that replicas cannot share evenly).
  void check(const model::MachineParams& machine) const;

  bool recomputes() const { return recompute == Recompute::kLayer; }
  const ModelShape& model() const { return forward.model; }
  std::uint64_t replicas() const { return forward.parallel.data; }
  std::uint64_t stages() const { return forward.parallel.pipeline; }
  std::uint64_t microbatches() const { return forward.microbatches; }
  bool accumulates() const { return accumulate || microbatches() > 1; }
  std::uint64_t rows() const { return forward.rows(); }  // of a micro-batch of a replica
  std::uint64_t all_rows() const { return forward.all_rows(); }
  // Returns the parameters of one stage: its own layers, and no other stage.
  TrainingParams of_stage() const;
  // Counts the simulated layers and the head: forward once, backward twice; recomputed operations are not
  // useful.
  double useful_flops() const;
  std::string describe() const;
};

// The elements of a transfer of a reduced gradient are a multiple of this: whole accesses of HBM of either
// dtype.
inline constexpr std::uint64_t kGradientGrain = 32;

}  // namespace tahoma::workloads
