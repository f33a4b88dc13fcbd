// SPDX-License-Identifier: Apache-2.0
// The definition of a training step: loss, gradients and new weights of the model in double by Eigen, and how
// far a machine that rounds its activations may lie from them (noisy.h; six deviations,
// runtime/golden/golden_rule.h).
#pragma once

#include "workloads/training/definition/noisy.h"
#include "workloads/training/training_case.h"

namespace tahoma::workloads {

struct WantedStep {
  Rows loss, loss_variance;  // [rows, 1]
  // In the order of for_tensors(), as the model has them.
  std::vector<Sum> gradients;
};
// `sums`: roundings of a sum over the ranks of a replica.
WantedStep wanted_step(const TrainingParams& params, const TrainingCase& values, double sums);

// The result for all tensors in one.
runtime::GoldenResult check_losses(const WantedStep& wanted, const runtime::HostTensor& got);
runtime::GoldenResult check_gradients(const WantedStep& wanted, const ModelTensors& got);
// New weights in fp32, of a first step whose moments are zero. A weight is off by what its gradient's error
// can do to the step, which grows with the gradient.
runtime::GoldenResult check_weights(const WantedStep& wanted, const AdamSettings& adam,
                                    const ModelTensors& before, const ModelTensors& got);

}  // namespace tahoma::workloads
