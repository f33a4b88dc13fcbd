// SPDX-License-Identifier: Apache-2.0
// Chooses the algorithms of the groups of a machine, as choice.h does for one group. Groups that lie alike get the choice of the
// first of them, because no estimate could tell them apart: their ranks are the same cores of their chips, and the routes between
// their ranks differ in nothing but the chips and links that they are made of. So 64 groups that are translations of each other
// on a torus cost one search, and a group beside a slow or dead link has its own.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/system/fabric_ways.h"
#include "runtime/collective/cost/choice.h"
#include "runtime/collective/schedule/group.h"

namespace tahoma::runtime::collective {

class Chooser {
 public:
  // `machine` must outlive the object.
  explicit Chooser(const model::MachineParams& machine) : machine_(machine), ways_(machine) {}

  // Arguments and errors as those of collective::choose().
  const Choice& choose(Algorithm algorithm, const Problem& problem, const Group& group, std::uint64_t bytes,
                       std::uint32_t channels, std::uint32_t signals = kSignals);
  const model::MachineParams& machine() const { return machine_; }
  std::size_t searches() const { return choices_.size(); }  // choices that were not those of a group before

 private:
  const model::MachineParams& machine_;
  model::FabricWays ways_;
  std::map<std::vector<std::uint64_t>, Choice> choices_;  // by everything that a choice depends on
};

}  // namespace tahoma::runtime::collective
