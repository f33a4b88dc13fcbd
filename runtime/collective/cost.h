// SPDX-License-Identifier: Apache-2.0
// Closed forms of a collective's time on an idle machine: rounds that follow each other, and the resource that
// has most to carry.
//
//   time = empty round x rounds + largest of (bytes over a link / its rate, bytes that a core's DMA engines read
//          / their rate, bytes of a stack / its rate) x (1 + (rounds - 1) / (pieces x rounds on that resource))
//
// The loads are counted on the schedule itself: every transfer's bytes on every link of its dimension-ordered
// way, the reading of every source at the sender, of reads and writes at the stacks. The last factor is the
// time in which the pipeline of pieces fills and empties.
#pragma once

#include "model/system/machine_params.h"
#include "runtime/collective/algorithm.h"
#include "runtime/collective/group.h"

namespace tahoma::runtime::collective {

struct Cost {
  double seconds = 0;
  double latency = 0;     // of it: rounds
  double bandwidth = 0;   // of it: the busiest resource
  std::string busiest;    // "link x+", "DMA engines", "HBM"
  std::uint32_t rounds = 0;
};

class CostModel {
 public:
  CostModel(const model::MachineParams& machine, const Group& group) : machine_(machine), group_(group) {}

  Cost of(const std::vector<ChannelPlan>& plan, double bytes, std::uint32_t pieces) const;

  // One transfer of next to nothing to a neighbour: from its doorbell to what waited for it.
  double empty_round() const;

 private:
  const model::MachineParams& machine_;
  const Group& group_;
};

}  // namespace tahoma::runtime::collective
