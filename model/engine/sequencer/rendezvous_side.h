// SPDX-License-Identifier: Apache-2.0
// One engine's side of a rendezvous with the other core of its logical core.
#pragma once

#include <optional>
#include <systemc>

#include "model/engine/sequencer/rendezvous.h"
#include "model/sim/wake.h"

namespace tahoma::model {

class RendezvousSide : private Participant {
 public:
  using Port = sc_core::sc_port<RendezvousIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  struct Times {
    base::Time arrived{0}, together{0}, done{0};
  };

  // `port` is bound in a logical core of two. `wake` is notified when the engine may go on. Both references
  // must outlive the side.
  RendezvousSide(Port& port, sim::Wake& wake) : port_(port), wake_(wake) {}

  // The engine is at a rendezvous: from arrive() until leave() returns its times.
  bool present() const { return times_.has_value(); }
  // Sets `arrival.who`. Throws ProgramError E-RUN-045 without a second core, and E-RUN-046 as Rendezvous
  // does.
  void arrive(Arrival arrival, const CoreMemories& memories);
  // Empty if the rendezvous is not over at `t`.
  std::optional<Times> leave(base::Time t);

 private:
  void met(base::Time together, base::Time done) override;

  Port& port_;
  sim::Wake& wake_;
  std::optional<Times> times_;
  bool met_ = false;
};

}  // namespace tahoma::model
