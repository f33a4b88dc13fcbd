// SPDX-License-Identifier: Apache-2.0
// The groups of ranks of a collective, and the kinds of ranks.
//
// A rank is a whole chip with all its cores and collective cores (`chips`), one physical core (`cores`), or
// two cores that form a logical one (`logical_cores`). The groups are `machine`, one group of everything;
// `servers`, one group for each server (x times y chips in the order of their numbers: those with the same
// z); `chips`, one for each chip; or lists of rank numbers in machine order, "0-3" or "0,2,4,6", with "|"
// between groups. All groups of a case work at once. The geometry of the ranks is derived from the list
// itself (runtime/collective/schedule/grid.h).
#pragma once

#include <string>
#include <vector>

#include "model/system/machine/machine_params.h"
#include "runtime/collective/schedule/grid.h"

namespace tahoma::runtime::collective {

struct Group {
  std::string name;  // "machine", "server2", "0-3"
  Grid grid;
  std::vector<std::vector<std::uint32_t>> cores;  // of each rank, global numbers
  // The number of groups of the case that span several chips and have cores on one of this group's chips, and
  // so share its links; including this one.
  std::uint32_t sharers = 1;
  std::uint32_t share = 0;  // the index of this one among them

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(cores.size()); }
};

enum class RankKind : std::uint8_t { kChips, kCores, kLogicalCores };
inline constexpr base::Named<RankKind> kRankKinds[] = {
    {RankKind::kChips, "chips"}, {RankKind::kCores, "cores"}, {RankKind::kLogicalCores, "logical_cores"}};

// Groups that are given by their ranks' cores and work at once.
struct Members {
  std::string name;
  std::vector<std::vector<std::uint32_t>> cores;  // of each rank
};
std::vector<Group> groups_from(const model::MachineParams& machine, std::vector<Members> groups);

// Throws UserError E-COL-020 for an invalid list, a rank that does not exist, that appears twice, or whose
// chip is dead.
std::vector<Group> groups_of(const model::MachineParams& machine, RankKind rank_kind,
                             const std::string& over);

}  // namespace tahoma::runtime::collective
