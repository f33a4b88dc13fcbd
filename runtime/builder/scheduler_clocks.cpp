// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/scheduler_clocks.h"

#include <algorithm>

#include "runtime/builder/operations.h"

namespace tahoma::runtime {

Clocks::Clocks(const Operations& ops) : operation_clocks_(ops.size()) {
  first_slot_.fill(kNoComponent);
  std::array<std::uint32_t, isa::kQueueCount> engine_ops{}, transfers{};
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::size_t q = index(ops[i].queue);
    operation_clocks_[i].queue = ops[i].queue;
    if (ops[i].notifies()) continue;
    if (ops[i].is_engine()) {
      operation_clocks_[i].component = static_cast<std::uint32_t>(q);
      operation_clocks_[i].count = ++engine_ops[q];
      continue;
    }
    if (first_slot_[q] == kNoComponent) {
      first_slot_[q] = components_;
      components_ += kDmaSlots;
    }
    operation_clocks_[i].component = first_slot_[q] + transfers[q] % kDmaSlots;
    operation_clocks_[i].count = transfers[q] / kDmaSlots + 1;
    ++transfers[q];
  }
  now_.fill(Clock(components_, 0));
  snapshots_.push_back(Clock(components_, 0));
}

bool Clocks::covers(const Clock& clock, std::uint32_t op) const {
  const OperationClock& p = operation_clocks_[op];
  return p.component != kNoComponent && clock[p.component] >= p.count;
}

void Clocks::wait(isa::Queue queue, std::uint32_t op) {
  Clock& now = now_[index(queue)];
  const OperationClock& p = operation_clocks_[op];
  const Clock& at_start = snapshots_[p.snapshot];
  for (std::size_t c = 0; c < now.size(); ++c) now[c] = std::max(now[c], at_start[c]);
  now[p.component] = std::max(now[p.component], p.count);
  changed_[index(queue)] = true;
}

void Clocks::start(std::uint32_t op) {
  const std::size_t q = index(operation_clocks_[op].queue);
  if (changed_[q]) {
    current_snapshot_[q] = static_cast<std::uint32_t>(snapshots_.size());
    snapshots_.push_back(now_[q]);
    changed_[q] = false;
  }
  operation_clocks_[op].snapshot = current_snapshot_[q];
}

bool Clocks::implies(std::uint32_t later, std::uint32_t op) const {
  const OperationClock &l = operation_clocks_[later], &p = operation_clocks_[op];
  // This also holds for a notifying transfer: everything that was complete at its start
  // is complete at its end.
  if (covers(snapshots_[l.snapshot], op)) return true;
  return l.component != kNoComponent && l.component == p.component && l.count >= p.count;
}

}  // namespace tahoma::runtime
