// SPDX-License-Identifier: Apache-2.0
// Communication between the ranks of a case, and its times: collectives of groups, gathers among groups that
// share sequences, hand-overs between stages.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/collective/result/collective_result.h"
#include "workloads/transformer/stages.h"

namespace tahoma::workloads {

using AllStages = std::vector<std::unique_ptr<Stages>>;  // of all data replicas

std::vector<runtime::CollectiveResult> collectives_of(const model::MachineParams& machine,
                                                      const TransformerParams& params,
                                                      const AllStages& replicas,
                                                      const runtime::collective::Stopwatch& stopwatch);

// The hand-overs between stages, each with its two cores.
std::vector<runtime::MessageResult> messages_of(const TransformerParams& params, const AllStages& replicas,
                                                const runtime::collective::Stopwatch& stopwatch);

// Called for each channel of a collective on each of its cores, and for a hand-over at its receiver.
using OnCore = std::function<void(std::uint32_t core, base::Time begin, base::Time end)>;
void for_communication(const AllStages& replicas, const runtime::collective::Stopwatch& stopwatch,
                       const OnCore& body);

}  // namespace tahoma::workloads
