// SPDX-License-Identifier: Apache-2.0
// Reports what the instructions of one engine access to the race checker, if the run has one.
#pragma once

#include <vector>

#include "model/check/race_checker.h"
#include "model/engine/sequencer/sequencer.h"

namespace tahoma::model {

class AccessReporter {
 public:
  // `checker` is null in a run without it. `sequencer` is the engine's and must outlive the reporter.
  AccessReporter(check::RaceChecker* checker, std::uint32_t core, std::uint32_t chip, isa::Queue queue,
                 const Sequencer& sequencer)
      : checker_(checker), core_(core), chip_(chip), queue_(queue), sequencer_(sequencer) {}

  // False if the run has no checker; then none of the following may be called.
  bool enabled() const { return checker_ != nullptr; }

  // Each is called for the sequencer's current instruction: when it starts; for a doorbell, when it rings;
  // for a rendezvous, when the engine arrives and when both engines are there.
  void start(const isa::Instruction& i, const CoreMemories& memories, base::Time t);
  // ring() returns the number of the transfer for the checker.
  std::uint64_t ring(const isa::Instruction& i, const TransferRequest& request, base::Time t);
  void arrive(const isa::Instruction& i, base::Time t) { checker_->arrive(step_of(i, t)); }
  void depart(const isa::Instruction& i, base::Time t) { checker_->depart(step_of(i, t)); }

 private:
  check::Step step_of(const isa::Instruction& i, base::Time t) const;
  void list_rows(const TransferRequest& request, const isa::Instruction& i);

  check::RaceChecker* checker_;
  std::uint32_t core_, chip_;
  isa::Queue queue_;
  const Sequencer& sequencer_;
  std::vector<isa::OperandAccess> accesses_;  // of one transfer; kept for its capacity
};

}  // namespace tahoma::model
