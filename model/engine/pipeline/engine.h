// SPDX-License-Identifier: Apache-2.0
// One engine of a NeuronCore, or one collective core: an in-order sequencer in front of a pipeline. It wakes
// once per instruction, when the sequencer runs it or hands it to the pipeline. Then it applies the values,
// books the time and posts the future semaphore change. Register and branch instructions are private and run
// ahead. Register words in memory take the latency of the memory, but none of its bandwidth.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <systemc>

#include "isa/core/program.h"
#include "model/engine/pipeline/access_reporter.h"
#include "model/engine/pipeline/activity_reporter.h"
#include "model/engine/pipeline/doorbell_ringer.h"
#include "model/engine/pipeline/engine_values.h"
#include "model/engine/pipeline/pipeline.h"
#include "model/engine/pipeline/shared_user.h"
#include "model/engine/ports/doorbell.h"
#include "model/engine/sequencer/in_order_completion.h"
#include "model/engine/sequencer/rendezvous_side.h"
#include "model/engine/sequencer/semaphore_wait.h"
#include "model/engine/sequencer/sequencer.h"
#include "model/engine/sequencer/sequencer_schedule.h"
#include "model/sim/backdoor.h"
#include "model/sim/meter.h"
#include "model/sim/semaphores.h"
#include "model/sim/sharing.h"
#include "model/sim/wake.h"

namespace tahoma::model {

class Engine : public sc_core::sc_module, private sim::Watcher, private RoomWatcher {
 public:
  SemaphoreWait::Port semaphores{"semaphores"};
  sc_core::sc_port<DoorbellIf> doorbell{"doorbell"};
  sc_core::sc_port<sim::ScratchpadIf> sbuf{"sbuf"}, psum{"psum"};
  sc_core::sc_port<sim::BackdoorIf> hbm{"hbm"};
  RendezvousSide::Port rendezvous{"rendezvous"};  // of a logical core of two
  sc_core::sc_port<sim::RetireIf> retire{"retire"};
  SharedUser::Banks banks{"banks"};             // of PSUM
  SharedUser::Port shared_port{"shared_port"};  // of SBUF

  struct Place {
    base::EngineKind kind;
    isa::Queue queue;
    std::uint32_t core, chip;  // global numbers
    std::uint32_t cores;       // of the machine
    bool functional;
    bool run_ahead;
    check::RaceChecker* checker;   // null: no checks
    TensorArray* array = nullptr;  // of a tensor engine, if gates stand in for it
  };
  Engine(sc_core::sc_module_name name, const Place& place, const CoreParams& params, sim::Meter& meter);

  // Before the run: the stream of this engine's queue. `program` and `arguments` must outlive the run.
  void load(const isa::Program& program, const Arguments& arguments) { sequencer_.load(program, arguments); }
  // Before the run: the stream begins at start() instead of time zero.
  void hold() { held_ = true; }
  void start(base::Time now);
  // The time at which all instructions so far are complete.
  base::Time ended() const { return completion_.last(); }
  // Before the run, in functional mode: the cores for which this one stands. They must outlive the run.
  void stand_for(const Members& members) {
    members_ = members;
    values_.stand_for(members.cores);
  }
  // Before the run: the seed of stochastic rounding. Every engine has its own random stream.
  void seed(std::uint64_t seed) { values_.seed(seed); }
  bool done() const { return sequencer_.done(); }

  // The reason why the engine does not proceed, for the report of a run that makes no progress.
  struct Blocked {
    std::string path, instruction;
    std::size_t index = 0;
    std::optional<sim::Condition> condition;
    std::int64_t value = 0;
    // It waits for the other core. If it has neither this nor a condition, it waits for room in a DMA ring.
    const isa::Instruction* rendezvous = nullptr;
  };
  std::optional<Blocked> blocked();
  // Returns whether it holds for the current instruction or one of the next ones in the stream.
  template <class Holds>
  bool any_remaining(Holds&& holds) const {
    const isa::Stream& stream = sequencer_.stream();
    return std::any_of(isa::Stream::Iterator(stream, sequencer_.pc()), stream.end(), holds);
  }

  // After the run.
  base::EngineMeasurement measure(base::Time elapsed);

 private:
  void begin();
  void wake();
  void wake_at(base::Time start);
  bool may_run_ahead() const;
  void step();
  void semaphore_changed() override;
  void room() override;

  void plan(base::Time ready);
  void book_wait(base::Time start);
  base::Time run_placed(base::Time t);
  base::Time run(const isa::Instruction& i, base::Time t);
  base::Time run_sequencer(const isa::Instruction& i, base::Time t);
  base::Time run_doorbell(const isa::Instruction& i, base::Time t);
  base::Time run_rendezvous(const isa::Instruction& i, base::Time t);
  base::Time run_pipeline(const isa::Instruction& i, base::Time t);
  void arrive(const isa::Instruction& i, base::Time t);
  void conclude(const isa::Instruction& i, const base::InstructionActivity& activity);
  void finish(base::Time ready);
  CoreMemories memories() { return {*sbuf.operator->(), *psum.operator->(), *hbm.operator->(), members_}; }

  Place place_;
  Members members_;
  sim::Meter& meter_;
  std::unique_ptr<Pipeline> pipeline_;
  sim::Wake wake_ = sim::Wake::calling<&Engine::wake>(this);

  Sequencer sequencer_;
  SequencerSchedule schedule_;
  SemaphoreWait wait_;
  RendezvousSide rendezvous_;
  DoorbellRinger ringer_;
  InOrderCompletion completion_;
  Ledger ledger_;
  EngineValues values_;
  SharedUser shared_;
  AccessReporter accesses_;
  ActivityReporter activities_;

  base::Time ready_{0};
  base::Duration late_{0};  // from the start of the instruction to the engine's wake-up
  bool held_ = false, waiting_for_room_ = false;
  isa::Instruction resolved_;  // the current one, with its tiles moved by registers
};

}  // namespace tahoma::model
