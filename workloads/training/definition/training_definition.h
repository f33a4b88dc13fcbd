// SPDX-License-Identifier: Apache-2.0
// The definition of a training step: loss, gradients and new weights of the model in double by Eigen, and the
// allowed deviation of a machine that rounds its activations (noisy.h; deviations as in
// runtime/golden/golden_rule.h).
#pragma once

#include "workloads/training/case/training_case.h"
#include "workloads/transformer/layer/layer_definition.h"
#include "workloads/transformer/layer/noisy.h"

namespace tahoma::workloads {

struct WantedStep {
  Rows loss, loss_variance;  // [rows, 1]
  // In the order of for_tensors(), with the model's shapes.
  std::vector<Sum> gradients;
};
// `sums`: number of roundings of a sum over the ranks of a replica.
WantedStep wanted_step(const TrainingParams& params, const TrainingCase& values, double sums);

// Returns one result for all tensors.
runtime::GoldenResult check_losses(const WantedStep& wanted, const runtime::HostTensor& got);
runtime::GoldenResult check_gradients(const WantedStep& wanted, const ModelTensors& got);
// New weights in fp32 after a first step, whose moments are zero. A weight deviates by the effect of its
// gradient's error on the step, which grows with the gradient.
runtime::GoldenResult check_weights(const WantedStep& wanted, const AdamSettings& adam,
                                    const ModelTensors& before, const ModelTensors& got);

}  // namespace tahoma::workloads
