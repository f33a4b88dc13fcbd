// SPDX-License-Identifier: Apache-2.0
// A collective of a phase, between the ranks of a group.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/collective/lowering/planned_collective.h"

namespace tahoma::workloads {

struct Team;

// Ranks that perform a collective together. Several teams of ranks may do so at once; their sizes may differ.
struct ExchangeParty {
  runtime::collective::PlannedCollective planned;
  const Team* team = nullptr;  // none: all ranks
};
struct PhaseExchange {
  std::string region;
  std::size_t physical_core = 0;
  std::vector<ExchangeParty> parties;
  const runtime::collective::PlannedCollective& planned() const { return parties.front().planned; }
};

}  // namespace tahoma::workloads
