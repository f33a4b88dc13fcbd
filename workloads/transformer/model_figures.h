// SPDX-License-Identifier: Apache-2.0
// What the owner of a model wants to know of a run. Figures of the whole model scale the layers that were
// simulated: what stands before the first and behind the last one (embedding, last norm, logits, sampling)
// and the host are left out. Of a pipeline the layers of a stage scale, hand-overs and what waits for them do
// not: with s times the layers on the longest of P stages, M microbatches take M + P - 1 times s - 1 stage
// times more.
#pragma once

#include <vector>

#include "runtime/run/workload.h"
#include "workloads/transformer/bubble.h"
#include "workloads/transformer/experts/expert_routing.h"

namespace tahoma::workloads {

std::vector<runtime::WorkloadFigure> figures_of(const TransformerParams& params,
                                                const model::MachineParams& machine,
                                                const base::RunMeasurement& run, base::Duration exposed,
                                                const Bubble& bubble);

// Of a mixture of experts.
void add_routing_figures(std::vector<runtime::WorkloadFigure>& figures, const ExpertRouting& routing);

}  // namespace tahoma::workloads
