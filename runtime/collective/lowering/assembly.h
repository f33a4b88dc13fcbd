// SPDX-License-Identifier: Apache-2.0
// Collectives of one or more groups on a machine: one kernel per core, tensors in each core's own stack,
// collectives in sequence with a barrier in between. The matrix of a channel
// (runtime/collective/lowering/planned_collective.h) is in the stack of the core whose queue runs the
// channel.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "runtime/collective/lowering/core_program.h"
#include "runtime/collective/lowering/planned_collective.h"
#include "runtime/collective/schedule/queue_assignment.h"

namespace tahoma::runtime::collective {

class Assembly {
 public:
  Assembly(Machine& machine, std::vector<Group> groups);
  ~Assembly();

  const std::vector<Group>& groups() const { return groups_; }
  // Appends a collective after those that the group already has. Throws what the lowering throws.
  PlannedCollective add(std::size_t group, const Spec& spec);
  void barrier();  // of all groups: no later operation starts before all earlier ones have ended
  void load(Stopwatch& stopwatch);

 private:
  struct CoreState;
  CoreState& core(std::uint32_t number);
  Seat seat(const ChannelQueue& place, const Problem& problem, std::uint32_t rank, PlannedChannel& channel,
            std::uint32_t chunks, isa::DType dtype);
  Strip strip(std::uint32_t core, const Tensor& tensor);
  Allocate allocator(const Channel& channel);
  std::uint32_t mark(const Seat& seat);

  Machine& machine_;
  std::vector<Group> groups_;
  // By lane, of which cores have one in turn. Ranks do much the same, so all cores of a lane share the kinds.
  std::array<std::shared_ptr<OperationKinds>, 2> kinds_;
  std::map<std::uint32_t, std::unique_ptr<CoreState>> cores_;
};

}  // namespace tahoma::runtime::collective
