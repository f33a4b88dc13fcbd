// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost/idle_machine.h"

#include <algorithm>

namespace tahoma::runtime::collective {

using base::Duration, base::Time;

IdleMachine::IdleMachine(const model::MachineParams& machine, const model::FabricWays& ways)
    : machine_(machine),
      ways_(ways),
      links_(ways.links().size(), Time{0}),
      stacks_(machine.chips() * machine.chip.hbm.stacks, Time{0}) {}

Time IdleMachine::on_stack(std::uint32_t core, Time ready, std::uint64_t bytes, Time& end) {
  Time& free = stacks_[core / machine_.chip.cores * machine_.chip.hbm.stacks + machine_.chip.stack_of(core)];
  const Time start = std::max(ready, free);
  free = end = start + machine_.chip.hbm.bandwidth.time_for({bytes});
  return start;
}

Time IdleMachine::on_link(std::uint32_t link, Time ready, std::uint64_t bytes, Time& end) {
  constexpr double kFsPerSecond = 1e15;
  const Time start = std::max(ready, links_[link]);
  const double seconds = static_cast<double>(bytes) / ways_.links()[link].rate;
  links_[link] = end = start + Duration{static_cast<std::int64_t>(seconds * kFsPerSecond)};
  return start;
}

Duration IdleMachine::path(std::uint32_t from, std::uint32_t to) const {
  const auto hops = static_cast<std::int64_t>(ways_.hops(from, to));
  const Duration each = machine_.link.wire + machine_.link.router;
  return hops == 0 ? Duration{0} : machine_.link.router + each * hops;
}

}  // namespace tahoma::runtime::collective
