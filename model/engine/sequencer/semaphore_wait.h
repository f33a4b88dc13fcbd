// SPDX-License-Identifier: Apache-2.0
// The wait of one sequencer for a semaphore: at most one at a time.
#pragma once

#include <optional>
#include <systemc>

#include "isa/core/instruction.h"
#include "model/sim/semaphores.h"

namespace tahoma::model {

class SemaphoreWait {
 public:
  using Port = sc_core::sc_port<sim::SemaphoreIf>;

  // `engine` receives changes of the semaphore from begin() to end(). Both references must outlive the wait.
  SemaphoreWait(Port& semaphores, sim::Watcher& engine) : semaphores_(semaphores), engine_(engine) {}

  // The sequencer could start an instruction at `ready`, but must wait until the semaphore has `value`.
  // Returns when the sequencer looks at the semaphore.
  base::Time begin(const isa::Wait& wait, std::int64_t value, base::Time ready);
  // The time at which the condition holds for a sequencer that looks at `ready`, as far as is known. end()
  // returns the latest answer.
  const std::optional<sim::Satisfied>& find_satisfied(base::Time ready);
  // The instruction starts. Returns nothing if it has not waited.
  std::optional<sim::Satisfied> end();

  // The sequencer has changed a semaphore itself. It sees its own changes in the order of its program.
  void own_change(unsigned semaphore, base::Time visible) {
    own_change_ = semaphore;
    own_change_visible_ = visible;
  }

  // The current wait, for the report of a deadlock.
  const sim::Condition* condition() const { return waiting_ ? &condition_ : nullptr; }
  std::int64_t value() { return semaphores_->last_value(condition_.semaphore); }

 private:
  Port& semaphores_;
  sim::Watcher& engine_;
  bool waiting_ = false;
  sim::Condition condition_;
  std::optional<sim::Satisfied> satisfied_;
  unsigned own_change_ = 0;  // the latest
  base::Time own_change_visible_{0};
};

}  // namespace tahoma::model
