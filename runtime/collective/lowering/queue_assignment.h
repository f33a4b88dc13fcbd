// SPDX-License-Identifier: Apache-2.0
// Which collective queue of a rank runs which channel: neighbouring channels use different stacks, and every
// core has about the same to move.
#pragma once

#include <vector>

#include "isa/core/instruction.h"
#include "runtime/collective/schedule/group.h"

namespace tahoma::runtime::collective {

struct Place {
  std::uint32_t core;
  isa::Queue queue;
};

// By channel. The one with the largest share goes to the first core, and so on, stack by stack; the second
// queues are dealt backwards.
std::vector<Place> places(const model::MachineParams& machine, const Group& group, std::uint32_t rank,
                          const std::vector<double>& shares);

}  // namespace tahoma::runtime::collective
