// SPDX-License-Identifier: Apache-2.0
// Figures of a training step for the report, and whether the model fits the chip. Figures of the whole model
// assume the rate of this step for its useful operations if not all layers are simulated; the embedding and
// the host are left out.
#pragma once

#include "runtime/workload/workload.h"
#include "workloads/training/case/training_params.h"

namespace tahoma::workloads {

// Bytes of the fullest chip for all layers of the model.
struct TrainingFootprint {
  double weights = 0, gradients = 0, optimizer = 0, activations = 0;
  double total() const { return weights + gradients + optimizer + activations; }
};
TrainingFootprint footprint_of(const TrainingParams& params, const model::MachineParams& machine);
// Throws UserError E-MDL-032 if the chip has less memory.
void check_footprint(const TrainingParams& params, const model::MachineParams& machine);

std::vector<runtime::WorkloadFigure> figures_of(const TrainingParams& params,
                                                const model::MachineParams& machine,
                                                const base::RunMeasurement& run, base::Duration exposed);

}  // namespace tahoma::workloads
