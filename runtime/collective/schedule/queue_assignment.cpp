// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/schedule/queue_assignment.h"

#include <algorithm>
#include <numeric>

namespace tahoma::runtime::collective {

std::vector<ChannelQueue> channel_queues(const model::MachineParams& machine, const Group& group,
                                         std::uint32_t rank, const std::vector<double>& shares) {
  std::vector<std::uint32_t> cores = group.cores[rank];
  const std::uint64_t per_stack = std::max<std::uint64_t>(1, machine.chip.cores / machine.chip.hbm.stacks);
  std::stable_sort(cores.begin(), cores.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return a % per_stack < b % per_stack; });
  std::vector<std::size_t> by_share(shares.size());
  std::iota(by_share.begin(), by_share.end(), std::size_t{0});
  std::stable_sort(by_share.begin(), by_share.end(),
                   [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  std::vector<ChannelQueue> result(shares.size());
  for (std::size_t i = 0; i < by_share.size(); ++i) {
    const bool second = i >= cores.size();
    const std::size_t at = second ? 2 * cores.size() - 1 - i : i;
    result[by_share[i]] = {cores[at], second ? isa::Queue::kCc1 : isa::Queue::kCc0};
  }
  return result;
}

}  // namespace tahoma::runtime::collective
