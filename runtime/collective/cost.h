// SPDX-License-Identifier: Apache-2.0
// Closed forms of a collective's time on an idle machine:
//
//   rounds x an empty round + doorbells of the busiest queue beyond one a round
//   + B + (sum over the rounds of B_r - B) / pieces
//
// B is the time of the resource that has most to carry (a direction of a link, the DMA engines of a rank, the
// stacks of a rank) over the whole collective, B_r that of round r alone: with one piece rounds follow each
// other, with many all of them are under way at once and the busiest resource is all that counts.
//
// Loads are counted on the schedule: the bytes of each transfer on every link of its dimension-ordered way,
// on the sender's engines once for each source, on both ends' stacks.
#pragma once

#include "model/system/machine_params.h"
#include "runtime/collective/algorithm.h"
#include "runtime/collective/group.h"

namespace tahoma::runtime::collective {

struct Cost {
  double seconds = 0;
  std::uint32_t rounds = 0;
  std::string busiest;      // "link x+", "DMA engines", "HBM"
  double link = 0;          // the link that carries most, over its rate
  double more_sources = 0;  // reading the sources of sums beyond the first, on a rank's engines
};

class CostModel {
 public:
  CostModel(const model::MachineParams& machine, const Group& group) : machine_(machine), group_(group) {}

  // `bytes` as nccom-test counts them (runtime/collective/result.h).
  Cost of(const std::vector<ChannelPlan>& plan, std::uint64_t bytes) const;

  // One transfer of next to nothing to a neighbour: from its doorbell to what waited for it.
  double empty_round() const;

 private:
  const model::MachineParams& machine_;
  const Group& group_;
};

}  // namespace tahoma::runtime::collective
