// SPDX-License-Identifier: Apache-2.0
// What a case of a training step asks for: the model and how it is dealt (workloads/transformer), the
// optimizer, and what is kept of a layer between its forward and its backward pass.
#pragma once

#include <string>

#include "workloads/optimizer/adam_kernel.h"
#include "workloads/transformer/transformer_params.h"

namespace tahoma::workloads {

// What the backward pass makes again.
enum class Recompute : std::uint8_t { kNone, kLayer };
inline constexpr base::Named<Recompute> kRecomputes[] = {{Recompute::kNone, "none"},
                                                         {Recompute::kLayer, "layer"}};

struct TrainingParams {
  TransformerParams forward;  // a prefill in one slice
  AdamSettings optimizer;
  Recompute recompute{};

  void declare(base::ParamTree& t);
  // Throws what TransformerParams::check() throws, UserError E-MDL-030 (degrees, heads or rows that a
  // training step does not deal) and E-MDL-031 (weights that replicas cannot share evenly).
  void check(const model::MachineParams& machine) const;

  bool recomputes() const { return recompute == Recompute::kLayer; }
  const ModelShape& model() const { return forward.model; }
  std::uint64_t replicas() const { return forward.parallel.data; }
  std::uint64_t rows() const { return forward.rows(); }  // of a replica
  std::uint64_t all_rows() const { return rows() * replicas(); }
  // Of the simulated layers and the head: forward once, backward twice; what is recomputed is not useful.
  double useful_flops() const;
  std::string describe() const;
};

// Elements that a transfer of a reduced gradient is a multiple of: whole accesses of HBM of either dtype.
inline constexpr std::uint64_t kGradientGrain = 32;

}  // namespace tahoma::workloads
