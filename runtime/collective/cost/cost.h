// SPDX-License-Identifier: Apache-2.0
// Closed forms of the time of a collective on a machine that is idle except for the
// groups that share its links:
//
//   waits x an empty round + max(B, doorbells of the busiest queue) + (sum over the waits of B_w - B) / n
//
// Waits is how often a transfer waits for the arrival of another one, on the longest chain. B is the time of
// the most loaded resource (a direction of a link, the DMA engines of a rank, the stacks of a rank) over the
// whole collective. B_w is the time that the transfers of one wait take alone, the engines' part plus the
// links' part. n is the number of pieces in flight one after another, in all channels that run the same
// schedule: with one piece, waits are sequential; with many, only the busiest resource counts.
//
// Not modelled: contention for links beyond their load, first reads of cold engines, semaphores. Over all
// algorithms, on 8 cores, 16 and 64 chips, from 64 KiB to 16 MiB, the error is 15 % on average. So the form
// serves to explain a time and to order what is simulated; it does not decide
// (runtime/collective/cost/choice.h).
//
// Loads are counted on the schedule (runtime/collective/cost/loads.h): routes are in dimension order, around
// dead links, at the rates that faults leave.
#pragma once

#include "model/system/fabric_ways.h"
#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/collective/schedule/group.h"

namespace tahoma::runtime::collective {

struct Cost {
  double seconds = 0;
  std::uint32_t rounds = 0;  // sequential rounds: the longest chain of waits
  std::string busiest;       // "link xp", "DMA engines", "HBM", "doorbells"
  double link = 0;           // the most loaded link: its bytes over its rate
  double bound = 0;          // no shorter time is possible: the most loaded link or the DMA engines of a rank
  double more_sources = 0;   // reading the sources of sums beyond the first, on the DMA engines of a rank
};

class CostModel {
 public:
  CostModel(const model::MachineParams& machine, const Group& group);

  // `plan`: of all groups that share the links, together. `bytes`: of one of them, as nccom-test counts them
  // (runtime/collective/result/collective_result.h).
  Cost of(const std::vector<ChannelPlan>& plan, std::uint64_t bytes) const;

  std::uint32_t sharers() const { return sharers_; }

  // Time of one minimal transfer to a neighbour: from its doorbell to the start of what waited for it.
  double empty_round() const;

 private:
  const model::MachineParams& machine_;
  model::FabricWays ways_;
  std::size_t cores_;                 // of a rank
  std::uint32_t sharers_;             // groups that share the links
  std::vector<std::uint32_t> chips_;  // by rank
};

}  // namespace tahoma::runtime::collective
