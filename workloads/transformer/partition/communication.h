// SPDX-License-Identifier: Apache-2.0
// What the ranks of a case said to each other, and when: collectives of groups, gatherings among groups that
// share sequences, hand-overs between stages.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/collective/result/collective_result.h"
#include "workloads/transformer/partition/stages.h"

namespace tahoma::workloads {

using AllStages = std::vector<std::unique_ptr<Stages>>;  // of all data replicas

std::vector<runtime::CollectiveResult> collectives_of(const model::MachineParams& machine,
                                                      const TransformerParams& params,
                                                      const AllStages& replicas,
                                                      const runtime::collective::Stopwatch& stopwatch);

// Each channel of a collective on each of its cores; a hand-over at its receiver.
using OnCore = std::function<void(std::uint32_t core, base::Time begin, base::Time end)>;
void for_communication(const AllStages& replicas, const runtime::collective::Stopwatch& stopwatch,
                       const OnCore& body);

}  // namespace tahoma::workloads
