// SPDX-License-Identifier: Apache-2.0
// Vector clocks of a kernel: what is known to be complete when an operation starts and when it completes. A
// component counts the completed operations of one engine queue, or the completed transfers of one DMA slot.
#pragma once

#include <array>
#include <vector>

#include "runtime/builder/scheduler.h"

namespace tahoma::runtime {

class Clocks {
 public:
  explicit Clocks(const Operations& ops);

  // The component of an operation, and its count in that component (1 for the first). Transfers that notify
  // another core have no component.
  static constexpr std::uint32_t kNoComponent = 0xffffffff;
  std::uint32_t component_of(std::uint32_t op) const { return operation_clocks_[op].component; }
  std::uint32_t count_of(std::uint32_t op) const { return operation_clocks_[op].count; }
  // Returns the first component of the queue's DMA slots; kNoComponent if the queue rings no doorbells.
  std::uint32_t first_slot(isa::Queue queue) const { return first_slot_[static_cast<std::size_t>(queue)]; }
  std::uint32_t components() const { return components_; }

  // True if the next operation of `queue` starts after the completion of `op`; wait() adds what
  // that completion implies.
  bool known(isa::Queue queue, std::uint32_t op) const { return covers(now_[index(queue)], op); }
  void wait(isa::Queue queue, std::uint32_t op);
  void start(std::uint32_t op);  // fixes the clock of `op`; its queue learns nothing from the start itself

  // True if the completion of `later` (which has started) implies the completion of `op`.
  bool implies(std::uint32_t later, std::uint32_t op) const;

 private:
  using Clock = std::vector<std::uint32_t>;
  struct OperationClock {
    std::uint32_t component = kNoComponent, count = 0, snapshot = 0;
    isa::Queue queue = isa::Queue::kSync;
  };
  static std::size_t index(isa::Queue queue) { return static_cast<std::size_t>(queue); }
  bool covers(const Clock& clock, std::uint32_t op) const;

  std::uint32_t components_ = isa::kQueueCount;
  std::array<std::uint32_t, isa::kQueueCount> first_slot_{};
  std::vector<OperationClock> operation_clocks_;
  std::array<Clock, isa::kQueueCount> now_;
  std::array<std::uint32_t, isa::kQueueCount> current_snapshot_{};  // index of now_'s copy, if unchanged
  std::array<bool, isa::kQueueCount> changed_{};
  std::vector<Clock> snapshots_;
};

}  // namespace tahoma::runtime
