// SPDX-License-Identifier: Apache-2.0
// What the owner of a training run wants to know of a step, and whether it fits. Figures of the whole model
// take its useful operations at the rate of this step, where not all layers are simulated; the embedding and
// the host are left out.
#pragma once

#include "runtime/run/workload.h"
#include "workloads/training/training_params.h"

namespace tahoma::workloads {

// Bytes of the busiest chip, all layers of the model.
struct TrainingFootprint {
  double weights = 0, gradients = 0, optimizer = 0, activations = 0;
  double total() const { return weights + gradients + optimizer + activations; }
};
TrainingFootprint footprint_of(const TrainingParams& params, const model::MachineParams& machine);
// Throws UserError E-MDL-032 where the chip has less.
void check_footprint(const TrainingParams& params, const model::MachineParams& machine);

std::vector<runtime::WorkloadFigure> figures_of(const TrainingParams& params,
                                                const model::MachineParams& machine,
                                                const base::RunMeasurement& run, base::Duration exposed);

}  // namespace tahoma::workloads
