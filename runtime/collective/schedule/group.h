// SPDX-License-Identifier: Apache-2.0
// Who takes part: groups of ranks over the machine, and what a rank is.
//
// A rank is a whole chip with all its cores and collective cores (`chips`), one physical core (`cores`), or
// two cores that form a logical one (`logical_cores`). Over: `machine`, one group of everything; `servers`,
// one group for each server (x times y chips in the order of their numbers: those with the same z); `chips`,
// one for each chip; or lists of rank numbers in machine order, "0-3" or "0,2,4,6", several groups apart by
// "|". All groups of a case work at once. How the ranks lie to each other is found in the list itself
// (runtime/collective/schedule/grid.h).
#pragma once

#include <string>
#include <vector>

#include "model/system/machine_params.h"
#include "runtime/collective/schedule/grid.h"

namespace tahoma::runtime::collective {

struct Group {
  std::string name;  // "machine", "server2", "0-3"
  Grid grid;
  std::vector<std::vector<std::uint32_t>> cores;  // of each rank, global numbers
  // Groups of the case that lie on several chips and have cores on one of this group's, which so share its
  // links; this one included.
  std::uint32_t sharers = 1;
  std::uint32_t share = 0;  // which of them this one is

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(cores.size()); }
};

// What a rank is.
enum class RankKind : std::uint8_t { kChips, kCores, kLogicalCores };
inline constexpr base::Named<RankKind> kRankKinds[] = {
    {RankKind::kChips, "chips"}, {RankKind::kCores, "cores"}, {RankKind::kLogicalCores, "logical_cores"}};

// Groups that are known by their ranks' cores and work at once.
struct Members {
  std::string name;
  std::vector<std::vector<std::uint32_t>> cores;  // of each rank
};
std::vector<Group> groups_from(const model::MachineParams& machine, std::vector<Members> groups);

// Throws UserError E-COL-020: a list that is none, that names what is not there, or that names it twice; a
// rank whose chip is dead.
std::vector<Group> groups_of(const model::MachineParams& machine, RankKind rank_kind,
                             const std::string& over);

}  // namespace tahoma::runtime::collective
