// SPDX-License-Identifier: Apache-2.0
// One engine as a user of the shared resources of its core: the banks of PSUM and the port of SBUF.
#pragma once

#include <systemc>

#include "model/engine/pipeline/pipeline.h"
#include "model/engine/pipeline/shared_use.h"
#include "model/sim/sharing.h"

namespace tahoma::model {

class SharedUser {
 public:
  using Banks = sc_core::sc_port<sim::BanksIf>;
  using Port = sc_core::sc_port<sim::SharedPortIf>;

  // All references must outlive the user. The ports are first called when an instruction is issued.
  SharedUser(base::EngineKind kind, isa::Queue queue, const CoreParams& params, Banks& banks, Port& port)
      : kind_(kind), queue_(queue), params_(params), banks_(banks), port_(port) {}

  // Returns whether the instruction uses a shared resource; then it has to start at simulated time.
  bool shares(const isa::Instruction& i) const { return model::shares(i, kind_, params_); }
  // Engines that start at the same time on a shared resource ask for it in the order of their queues: each
  // wakes as many femtoseconds late as its number. Reported times exclude this delay.
  base::Duration turn(const isa::Instruction& i) const {
    return {shares(i) ? static_cast<std::int64_t>(queue_) : 0};
  }
  // Other engines may use the same bank or port meanwhile; then the instruction, just issued, streams longer.
  // Returns its issue with the new times.
  Issue reserve(const isa::Instruction& i, Issue issue, Pipeline& pipeline, Ledger& ledger);

 private:
  base::EngineKind kind_;
  isa::Queue queue_;
  const CoreParams& params_;
  Banks& banks_;
  Port& port_;
};

}  // namespace tahoma::model
