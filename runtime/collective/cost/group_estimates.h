// SPDX-License-Identifier: Apache-2.0
// Choices of algorithms (choice.h) and costs of collectives (cost.h) for the groups of one machine. Groups
// with equivalent positions share one search and one simulation, because no estimate could distinguish them:
// their ranks are the same cores of their chips, and the routes between their ranks differ in nothing but the
// chips and links that they are made of. So 64 groups that are translations of each other on a torus cost one
// search, and a group beside a slow or dead link has its own.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/system/machine/fabric_ways.h"
#include "runtime/collective/cost/choice.h"
#include "runtime/collective/schedule/group.h"

namespace tahoma::runtime::collective {

class Estimates {
 public:
  // `machine` must outlive the object.
  explicit Estimates(const model::MachineParams& machine) : machine_(machine), ways_(machine) {}

  // Arguments and errors are those of collective::choose().
  const Choice& choose(Algorithm algorithm, const Problem& problem, const Group& group, std::uint64_t bytes,
                       std::uint32_t channels, std::uint32_t signals = kSignals);
  // Returns CostModel::of() for the plan of an algorithm.
  const Cost& cost(const AlgorithmRow& algorithm, const Problem& problem, const Group& group,
                   const MovedBytes& moved, const std::vector<ChannelPlan>& plan);

  const model::MachineParams& machine() const { return machine_; }
  std::size_t searches() const { return choices_.size(); }  // choices that were not those of a group before

 private:
  using Key = std::vector<std::uint64_t>;
  // Everything that an estimate depends on, up to the numbers of chips and links.
  Key key_of(Algorithm algorithm, const Problem& problem, const Group& group, std::uint64_t bytes,
             std::uint64_t channels) const;

  const model::MachineParams& machine_;
  model::FabricWays ways_;
  std::map<Key, Choice> choices_;
  std::map<Key, Cost> costs_;
};

}  // namespace tahoma::runtime::collective
