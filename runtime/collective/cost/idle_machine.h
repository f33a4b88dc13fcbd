// SPDX-License-Identifier: Apache-2.0
// The links and stacks of a machine that is idle except for a rehearsal: each serves requests in the order of the
// calls.
#pragma once

#include <cstdint>
#include <vector>

#include "model/system/fabric_ways.h"

namespace tahoma::runtime::collective {

class IdleMachine {
 public:
  // Both must outlive the object.
  IdleMachine(const model::MachineParams& machine, const model::FabricWays& ways);

  // Reserve the stack of a core of the machine, or a link, from `ready` on. Return the start and set the end.
  base::Time on_stack(std::uint32_t core, base::Time ready, std::uint64_t bytes, base::Time& end);
  base::Time on_link(std::uint32_t link, base::Time ready, std::uint64_t bytes, base::Time& end);
  // Time of an empty packet from chip to chip.
  base::Duration path(std::uint32_t from, std::uint32_t to) const;

 private:
  const model::MachineParams& machine_;
  const model::FabricWays& ways_;
  std::vector<base::Time> links_, stacks_;  // free from then on
};

}  // namespace tahoma::runtime::collective
