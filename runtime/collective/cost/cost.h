// SPDX-License-Identifier: Apache-2.0
// The expected time of a collective on a machine that is idle except for the groups that share its links: a
// simulation of its transfers without components (transfer_simulation.h).
//
// Its bound is the longest of: the time of the most loaded resource (a direction of a link, the DMA engines
// of a rank, the stacks of a rank), the doorbells of a queue, and its rounds, each as long as an empty one.
// Rounds are how often a transfer waits for the arrival of another one, on the longest chain.
//
// Loads are counted on the schedule: routes are in dimension order, around dead links, at the rates that
// faults leave.
#pragma once

#include "model/system/machine/fabric_ways.h"
#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/collective/schedule/group.h"

namespace tahoma::runtime::collective {

struct Cost {
  double seconds = 0;
  std::uint32_t rounds = 0;  // sequential rounds: the longest chain of waits
  std::string busiest;       // "link xp", "DMA engines", "HBM", "doorbells"
  double link = 0;           // the most loaded link: its bytes over its rate
  double more_sources = 0;   // reading the sources of sums beyond the first, on the DMA engines of a rank
  // A minimal transfer to a neighbour: from its doorbell to the start of what waited for it.
  double empty_round = 0;
};

// Each of the groups that share links moves these bytes.
struct MovedBytes {
  std::uint64_t bytes = 0;  // as nccom-test counts them (runtime/collective/result/collective_result.h)
  std::vector<std::uint64_t> of_chunks{};  // if they are not equal
};

class CostModel {
 public:
  CostModel(const model::MachineParams& machine, const Group& group);

  // Returns the cost with the bound as its time: no run of the plan is faster.
  Cost bound_of(const std::vector<ChannelPlan>& plan, const MovedBytes& moved) const;

  // `plan` is that of all groups that share the links, together.
  Cost of(const std::vector<ChannelPlan>& plan, const MovedBytes& moved) const;

  std::uint32_t sharers() const { return sharers_; }
  const Grid& grid() const { return group_.grid; }

 private:
  const model::MachineParams& machine_;
  Group group_;
  model::FabricWays ways_;
  std::size_t cores_;                 // of a rank
  std::uint32_t sharers_;             // groups that share the links
  std::vector<std::uint32_t> chips_;  // by rank
  double empty_round() const;
  std::uint32_t core_beside(std::uint32_t core, std::size_t groups) const;
  // A share of the bytes of all groups together in some chunks.
  double bytes_in(const Schedule& schedule, const MovedBytes& moved, const ChunkSet& chunks,
                  double share) const;
  base::Duration simulated(const std::vector<ChannelPlan>& plan, const MovedBytes& moved) const;
};

}  // namespace tahoma::runtime::collective
