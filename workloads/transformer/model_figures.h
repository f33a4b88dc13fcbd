// SPDX-License-Identifier: Apache-2.0
// Figures of a run for the report. Figures of the whole model scale the simulated layers; everything before
// the first and after the last layer (embedding, last norm, logits, sampling) and the host are left out. With
// logits, which do not scale, there are figures of the whole model only if all of its layers were simulated.
// In a pipeline the layers of a stage scale, but hand-overs and the waits for them do not: with s times the
// layers on the longest of P stages, M microbatches take M + P - 1 times s - 1 additional stage times. Layers
// that are not simulated are divided equally among the stages.
#pragma once

#include <vector>

#include "runtime/workload/workload.h"
#include "workloads/transformer/bubble.h"
#include "workloads/transformer/experts/expert_routing.h"

namespace tahoma::workloads {

std::vector<runtime::WorkloadFigure> figures_of(const TransformerParams& params,
                                                const model::MachineParams& machine,
                                                const base::RunMeasurement& run, base::Duration exposed,
                                                const Bubble& bubble);

// Adds the figures of a mixture of experts.
void add_routing_figures(std::vector<runtime::WorkloadFigure>& figures, const ExpertRouting& routing);

}  // namespace tahoma::workloads
