// SPDX-License-Identifier: Apache-2.0
// Assigns channels to the collective queues of a rank: neighbouring channels use different stacks, and every
// core moves about the same amount of data.
#pragma once

#include <vector>

#include "isa/core/instruction.h"
#include "runtime/collective/schedule/group.h"

namespace tahoma::runtime::collective {

struct ChannelQueue {
  std::uint32_t core;
  isa::Queue queue;
};

// Returns a queue for each channel. The channel with the largest share goes to the first core, and so on,
// stack by stack; the second queues are assigned in reverse order.
std::vector<ChannelQueue> channel_queues(const model::MachineParams& machine, const Group& group,
                                         std::uint32_t rank, const std::vector<double>& shares);

}  // namespace tahoma::runtime::collective
