// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/kernel_signals.h"

#include "runtime/builder/dma_operation.h"

namespace tahoma::runtime {

namespace {

void deliver(const KernelRecord& record, Op& op, const Delivery& to, std::int16_t& peer,
             isa::Update& update) {
  record.require(to.peer >= INT16_MIN && to.peer <= INT16_MAX, "the peer must be at most 32768 cores away");
  op.instruction.notify_arg = to.core;
  peer = static_cast<std::int16_t>(to.peer);
  update = {isa::Update::Kind::kAdd, to.signal.semaphore, 1};
}

}  // namespace

std::uint8_t KernelSignals::core_argument(const std::string& name) { return record_.new_argument(name, 1); }

std::uint8_t KernelSignals::own_core(const std::string& name) {
  return own_core_ = record_.new_argument(name, 1);
}

Signal KernelSignals::signal() {
  if (next_signal_ == 0) record_.refuse("E-RUN-023", "out of semaphores for signals");
  return {static_cast<std::uint8_t>(--next_signal_)};
}

void KernelSignals::fold(const HbmView& dst, const Folded& what, isa::Queue on,
                         const std::optional<Delivery>& read) {
  Op& op = append_move(record_, dst, what, on);
  record_.touches(op, dst, true);
  if (!read) return;
  // The scheduler's own update of the transfer refers to the same argument.
  record_.require(read->core == own_core_ && read->core != isa::kNone,
                  "fold: `read` must use the argument of own_core()");
  deliver(record_, op, *read, op.instruction.read_peer, op.instruction.read_update);
}

void KernelSignals::send(const HbmView& dst, const Folded& what, isa::Queue on, const Delivery& landed,
                         const std::optional<Delivery>& read) {
  // The destination belongs to the other core. The programs' own signals order the writes there.
  Op& op = append_move(record_, dst, what, on);
  record_.require(!read || read->core == landed.core, "send: `read` and `landed` must use the same argument");
  deliver(record_, op, landed, op.instruction.peer, op.instruction.update);
  if (read) deliver(record_, op, *read, op.instruction.read_peer, op.instruction.read_update);
  op.instruction.ring = send_ring_of(on, record_.machine.chip.core.dma.rings);
}

void KernelSignals::wait(isa::Queue on, Signal signal, std::uint32_t value) {
  Op& op = record_.append(isa::Opcode::kSemWait, on);
  op.instruction.wait = {isa::Wait::Kind::kGe, signal.semaphore, value};
}

void KernelSignals::wait(isa::Queue on, const HbmView& written) {
  record_.require(written.distance == 0, "wait: the window must belong to this core");
  record_.append(isa::Opcode::kSemWait, on).touch(record_.region_of(written), false);
}

void KernelSignals::landed(isa::Queue on, const HbmView& window, Signal signal, std::uint32_t value) {
  landed(on, window);
  record_.ops.newest().instruction.wait = {isa::Wait::Kind::kGe, signal.semaphore, value};
}

void KernelSignals::landed(isa::Queue on, const HbmView& window) {
  record_.require(window.distance == 0, "landed: the window must belong to this core");
  record_.append(isa::Opcode::kNop, on).announce(record_.region_of(window));
}

void KernelSignals::rendezvous(isa::Queue on, unsigned pipe, const std::vector<HbmView>& own,
                               const std::vector<HbmView>& theirs) {
  Op& op = record_.append(isa::Opcode::kCoreBarrier, on);
  op.instruction.pipe = static_cast<std::uint8_t>(pipe);
  for (const HbmView& window : own) op.touch(record_.region_of(window), false);
  for (const HbmView& window : theirs) op.announce(record_.region_of(window));
}

}  // namespace tahoma::runtime
