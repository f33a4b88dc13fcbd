// SPDX-License-Identifier: Apache-2.0
// The completion of one engine's instructions. They read in order and complete in order, so that one counting
// semaphore covers all earlier ones.
#pragma once

#include "model/engine/sequencer/semaphore_wait.h"
#include "model/engine/sequencer/sequencer_laws.h"
#include "model/sim/meter.h"

namespace tahoma::model {

class InOrderCompletion {
 public:
  // `raiser` is the stall reason of waits for this engine. All references must outlive the object.
  InOrderCompletion(const SequencerLaws& laws, SemaphoreWait::Port& semaphores, base::StallReason raiser,
                    sim::Meter& meter)
      : laws_(laws), semaphores_(semaphores), raiser_(raiser), meter_(meter) {}

  // The next instruction has read its sources at `read` and is complete at `complete`: posts its semaphore
  // update with that cause.
  void add(const isa::Instruction& i, base::Time read, base::Time complete, std::uint64_t cause);
  // Work whose semaphore, if any, another component updates is complete at `t`.
  void reach(base::Time t);

  // The time at which all instructions so far are complete.
  base::Time last() const { return last_; }
  // The time at which a semaphore update of the latest instruction becomes visible.
  base::Time visible(const isa::Update& update) const {
    return update.on_read ? read_value_ : complete_value_;
  }

 private:
  const SequencerLaws& laws_;
  SemaphoreWait::Port& semaphores_;
  base::StallReason raiser_;
  sim::Meter& meter_;
  base::Time last_{0};
  base::Time read_value_{0}, complete_value_{0};  // semaphore updates visible, on read and on completion
};

}  // namespace tahoma::model
