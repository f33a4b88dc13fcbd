// SPDX-License-Identifier: Apache-2.0
// The completion of one engine's instructions. They complete in order, so that one counting semaphore can
// stand for all that came before; in the same order they have read.
#pragma once

#include "model/engine/sequencer/semaphore_wait.h"
#include "model/engine/sequencer/sequencer_laws.h"
#include "model/sim/meter.h"

namespace tahoma::model {

class InOrderCompletion {
 public:
  // `raiser`: what others call a wait for this engine. All references must outlive the object.
  InOrderCompletion(const SequencerLaws& laws, SemaphoreWait::Port& semaphores, base::StallReason raiser,
                    sim::Meter& meter)
      : laws_(laws), semaphores_(semaphores), raiser_(raiser), meter_(meter) {}

  // The next instruction has read its sources at `read` and is complete at `complete`: posts its update of a
  // semaphore, with that cause.
  void add(const isa::Instruction& i, base::Time read, base::Time complete, std::uint64_t cause);
  // Something whose semaphore, if any, is not the engine's to update is complete at `t`.
  void reach(base::Time t);

  // When all instructions so far are complete.
  base::Time last() const { return last_; }
  // When an update of a semaphore by the latest instruction becomes visible.
  base::Time visible(const isa::Update& update) const {
    return update.on_read ? read_value_ : complete_value_;
  }

 private:
  const SequencerLaws& laws_;
  SemaphoreWait::Port& semaphores_;
  base::StallReason raiser_;
  sim::Meter& meter_;
  base::Time last_{0};
  base::Time read_value_{0}, complete_value_{0};  // new values of semaphores, on read and on completion
};

}  // namespace tahoma::model
