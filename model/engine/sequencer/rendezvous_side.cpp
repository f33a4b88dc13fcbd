// SPDX-License-Identifier: Apache-2.0
#include "model/engine/sequencer/rendezvous_side.h"

#include <algorithm>
#include <utility>

#include "isa/core/program_error.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::Time;

void RendezvousSide::arrive(Arrival arrival, const CoreMemories& memories) {
  if (port_.size() == 0)
    throw isa::ProgramError("E-RUN-045", arrival.place,
                            "needs a logical core of two physical cores; expected machine.chip.lnc = 2");
  times_ = Times{arrival.when};
  met_ = false;
  arrival.who = this;
  port_->arrive(arrival, memories);
}

void RendezvousSide::met(Time together, Time done) {
  met_ = true;
  times_->together = together;
  times_->done = done;
  wake_.at(std::max(done, sim::now()));
}

std::optional<RendezvousSide::Times> RendezvousSide::leave(Time t) {
  if (!met_ || times_->done > t) return std::nullopt;
  wake_.cancel();  // a rendezvous without cost ends as it begins
  met_ = false;
  return std::exchange(times_, std::nullopt);
}

}  // namespace tahoma::model
