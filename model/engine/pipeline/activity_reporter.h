// SPDX-License-Identifier: Apache-2.0
// Counts the instructions that one engine has executed and reports them to the observers of the run, if there
// are any (model/base/activity.h).
#pragma once

#include "model/engine/pipeline/ledger.h"
#include "model/engine/sequencer/sequencer.h"
#include "model/sim/meter.h"

namespace tahoma::model {

class ActivityReporter {
 public:
  // `core` is a global number. All references must outlive the reporter.
  ActivityReporter(sim::Meter& meter, std::uint32_t core, isa::Queue queue, const Sequencer& sequencer,
                   const Ledger& ledger)
      : meter_(meter), core_(core), queue_(queue), sequencer_(sequencer), ledger_(ledger) {}

  std::uint64_t executed() const { return executed_; }
  // Identifies this execution of the current instruction uniquely in the machine.
  std::uint64_t cause() const;
  // The wait of the current instruction was ended by a change with that cause.
  void released_by(std::uint64_t cause) { released_by_ = cause; }

  // Returns whether the following two report anything.
  bool wants_results() const { return meter_.results != nullptr; }
  // Reports the values of the current instruction, which have been applied to memory.
  void result(base::ResultActivity result);
  // Reports the word that a reg_store writes.
  void stored_word(const isa::Instruction& i, base::Time start);

  // The current instruction ends: counts it and reports `activity`, which has the times, busy time and FLOPs.
  void end(base::InstructionActivity activity);

 private:
  void report(base::InstructionActivity& activity, std::uint64_t released_by) const;

  sim::Meter& meter_;
  std::uint32_t core_;
  isa::Queue queue_;
  const Sequencer& sequencer_;
  const Ledger& ledger_;
  std::uint64_t executed_ = 0;
  std::uint64_t released_by_ = 0;  // 0: the current instruction has not waited
};

}  // namespace tahoma::model
