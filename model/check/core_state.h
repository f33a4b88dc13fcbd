// SPDX-License-Identifier: Apache-2.0
// The checker's state for one core: the knowledge of each queue, the counts of its semaphores, and the
// accesses to its memories.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <unordered_map>

#include "isa/core/program.h"
#include "model/check/access_log.h"
#include "model/check/memory_state.h"
#include "model/check/semaphore_order.h"

namespace tahoma::model::check {

// The table of a program holds the last instruction of each queue that waits for each semaphore.
struct WaitTable {
  explicit WaitTable(const isa::Program& program);
  static constexpr std::uint32_t kNever = 0, kAlways = std::numeric_limits<std::uint32_t>::max();
  // Entries are one past the index; kAlways in streams that jump back, in which the last wait is unknown.
  std::array<std::array<std::uint32_t, isa::kSemaphores>, isa::kQueueCount> end{};
  std::array<std::uint32_t, isa::kQueueCount> length{};  // of the stream; kAlways if it jumps back
  bool has_waiters(unsigned semaphore) const;
};

struct QueueState {
  explicit QueueState(std::uint32_t core) : known(core) {}
  Knowledge known;
  Count position = 0;      // instructions started
  Count last_compute = 0;  // position of the last one that an engine executes
  std::uint32_t next = 0;  // one past the index of the last one started
};

class CoreState {
 public:
  CoreState(std::uint32_t core, std::shared_ptr<const WaitTable> waits);

  QueueState& queue(isa::Queue q) { return queues_[static_cast<std::size_t>(q)]; }
  CoreMemory memory;
  AccessLog& log(isa::Space space) { return space == isa::Space::kPsum ? psum_ : sbuf_; }

  // Null if no instruction waits for it, so it cannot order anything.
  SemaphoreOrder* semaphore(unsigned number);
  // After a change: lets the semaphore drop what every waiter knows.
  void trim(unsigned number);

  // The next member of a component of transfers. Local transfers (within the chip) ignore target and
  // semaphore.
  Epoch next_transfer(isa::Queue queue, unsigned ring, bool remote, std::uint32_t target, unsigned semaphore);

  // Returns whether every queue that has not ended knows that this is complete.
  bool all_know(const Epoch& point) const;

 private:
  struct Counted {
    SemaphoreOrder order;
    std::size_t limit = kFirstLimit;
  };
  struct Component {
    std::uint32_t number = 0;
    Count members = 0;
  };
  static constexpr std::size_t kFirstLimit = 64;

  std::uint32_t core_;
  std::shared_ptr<const WaitTable> waits_;
  std::vector<QueueState> queues_;
  std::array<std::unique_ptr<Counted>, isa::kSemaphores> semaphores_;
  std::unordered_map<std::uint64_t, Component> components_;
  AccessLog sbuf_, psum_;
};

}  // namespace tahoma::model::check
