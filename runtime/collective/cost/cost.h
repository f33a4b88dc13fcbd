// SPDX-License-Identifier: Apache-2.0
// Closed forms of a collective's time on a machine that is idle but for the groups that share its links:
//
//   waits x an empty round + max(B, doorbells of the busiest queue) + (sum over the waits of B_w - B) / n
//
// Waits: how often a transfer has to wait for another to arrive, on the longest chain. B is the time of the
// resource that has most to carry (a direction of a link, the DMA engines of a rank, the stacks of a rank)
// over the whole collective. B_w is what one wait's transfers take by themselves, the engines' part and the
// links' part one after the other. n is how many pieces are under way one behind the other, in all channels
// that run the same schedule: with one, waits follow each other, with many the busiest resource counts alone.
//
// Leaves out: contention for links beyond their load, first reads of cold engines, semaphores. On all
// algorithms, on 8 cores, 16 and 64 chips, from 64 KiB to 16 MiB, it is off by 21 % on average and 10 % too
// short; `best` needs no more than the order.
//
// Loads are counted on the schedule (runtime/collective/cost/loads.h): ways are those of dimension order, round
// dead links, at the rates that faults leave.
#pragma once

#include "model/system/fabric_ways.h"
#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/collective/schedule/group.h"

namespace tahoma::runtime::collective {

struct Cost {
  double seconds = 0;
  std::uint32_t rounds = 0;  // that follow each other: the longest chain of waits
  std::string busiest;       // "link xp", "DMA engines", "HBM", "doorbells"
  double link = 0;           // the link that carries most, over its rate
  double more_sources = 0;   // reading the sources of sums beyond the first, on a rank's engines
};

class CostModel {
 public:
  CostModel(const model::MachineParams& machine, const Group& group);

  // `plan`: of all groups that share the links together. `bytes` of one of them, as nccom-test counts them
  // (runtime/collective/result/collective_result.h).
  Cost of(const std::vector<ChannelPlan>& plan, std::uint64_t bytes) const;

  std::uint32_t sharers() const { return sharers_; }

  // One transfer of next to nothing to a neighbour: from its doorbell to what waited for it.
  double empty_round() const;

 private:
  const model::MachineParams& machine_;
  model::FabricWays ways_;
  std::size_t cores_;                 // of a rank
  std::uint32_t sharers_;             // groups that share the links
  std::vector<std::uint32_t> chips_;  // by rank
};

}  // namespace tahoma::runtime::collective
