// SPDX-License-Identifier: Apache-2.0
#include "model/system/machine/idle_machine.h"

#include <algorithm>

#include "model/sim/booked_server.h"

namespace tahoma::model {

using base::Bytes, base::Duration, base::Time;

struct IdleMachine::Servers {
  explicit Servers(const MachineParams& m)
      : stacks(m.chips() * m.chip.hbm.stacks, sim::BookedServer(m.chip.hbm.bandwidth)),
        crossings(m.chips() * m.chip.dies * m.chip.dies, sim::BookedServer(m.chip.noc.cross_die_bandwidth)) {}

  sim::BookedServer& stack_of(const MachineParams& m, std::uint32_t core) {
    return stacks[core / m.chip.cores * m.chip.hbm.stacks + m.chip.stack_of(core)];
  }

  std::vector<sim::BookedServer> stacks, crossings;  // crossings: by chip, from die, to die
};

IdleMachine::IdleMachine(const MachineParams& machine, const FabricWays& ways)
    : machine_(machine),
      ways_(ways),
      servers_(std::make_unique<Servers>(machine)),
      links_(ways.links().size(), Time{0}) {}

IdleMachine::~IdleMachine() = default;

IdleMachine::Slot IdleMachine::read(std::uint32_t core, Time arrival, Bytes bytes, Time now) {
  const auto slot = servers_->stack_of(machine_, core).reserve(arrival, bytes, now);
  return {slot.start, slot.end, slot.held};
}

IdleMachine::Slot IdleMachine::write(std::uint32_t from, std::uint32_t to, Time arrival, Bytes bytes,
                                     Time now) {
  Duration held{0};
  Time crossed{0};
  if (const std::uint64_t here = die_of(from), there = die_of(to); here != there) {
    const std::uint64_t dies = machine_.chip.dies, chip = from / machine_.chip.cores;
    arrival += machine_.chip.noc.cross_die;
    const auto slot = servers_->crossings[(chip * dies + here) * dies + there].reserve(arrival, bytes, now);
    held = slot.held;
    arrival += held;
    crossed = slot.end;
  }
  const auto slot = servers_->stack_of(machine_, to).reserve(arrival, bytes, now);
  return {slot.start, std::max(slot.end, crossed), slot.held + held};
}

IdleMachine::Slot IdleMachine::carry(std::uint32_t link, Time head, Bytes bytes) {
  constexpr double kFsPerSecond = 1e15;
  const Time start = std::max(head, links_[link]);
  const double seconds = static_cast<double>(bytes.count) / ways_.links()[link].rate;
  links_[link] = start + Duration{static_cast<std::int64_t>(seconds * kFsPerSecond)};
  return {start, links_[link], start - head};
}

Duration IdleMachine::path(std::uint32_t from, std::uint32_t to) const {
  return from == to ? Duration{0} : machine_.link.router + ways_.flight(from, to);
}

}  // namespace tahoma::model
