// SPDX-License-Identifier: Apache-2.0
// One engine of a NeuronCore, or one collective core: an in-order sequencer in front of a pipeline. Wakes
// once per instruction, at the time the sequencer runs it or hands it to the pipeline: then its values are
// applied, its time is booked, and the semaphore change that it will make is posted. Register and branch
// instructions are private and run ahead. Register words in memory take their latency, but none of the
// memory's bandwidth.
#pragma once

#include <optional>
#include <string>
#include <systemc>

#include "isa/core/program.h"
#include "model/engine/pipeline/access_reporter.h"
#include "model/engine/pipeline/activity_reporter.h"
#include "model/engine/pipeline/engine_values.h"
#include "model/engine/pipeline/pipeline.h"
#include "model/engine/pipeline/shared_user.h"
#include "model/engine/sequencer/doorbell.h"
#include "model/engine/sequencer/rendezvous.h"
#include "model/engine/sequencer/sequencer.h"
#include "model/engine/sequencer/sequencer_laws.h"
#include "model/sim/backdoor.h"
#include "model/sim/meter.h"
#include "model/sim/semaphores.h"
#include "model/sim/sharing.h"

namespace tahoma::model {

class Engine : public sc_core::sc_module, private sim::Watcher, private RoomWatcher, private Participant {
 public:
  sc_core::sc_port<sim::SemaphoreIf> semaphores{"semaphores"};
  sc_core::sc_port<DoorbellIf> doorbell{"doorbell"};
  sc_core::sc_port<sim::ScratchpadIf> sbuf{"sbuf"}, psum{"psum"};
  sc_core::sc_port<sim::BackdoorIf> hbm{"hbm"};
  sc_core::sc_port<RendezvousIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> meeting{
      "meeting"};  // of a logical core of two
  sc_core::sc_port<sim::RetireIf> retire{"retire"};
  sc_core::sc_port<sim::BanksIf> banks{"banks"};                   // of PSUM
  sc_core::sc_port<sim::SharedPortIf> shared_port{"shared_port"};  // of SBUF

  struct Place {
    base::EngineKind kind;
    isa::Queue queue;
    std::uint32_t core, chip;  // global numbers
    std::uint32_t cores;       // of the machine
    bool functional;
    bool run_ahead;
    check::Checker* checker;       // null: nobody watches
    TensorArray* array = nullptr;  // of a tensor engine, if gates stand in for it
  };
  Engine(sc_core::sc_module_name name, const Place& place, const CoreParams& params, sim::Meter& meter);

  // Before the run: the stream of this engine's queue. `program` and `arguments` must outlive the run.
  void load(const isa::Program& program, const Arguments& arguments);
  // Before the run: the seed of stochastic rounding. Every engine rounds by a stream of its own.
  void seed(std::uint64_t seed);
  bool done() const { return sequencer_.done(); }

  // What keeps the engine from going on, for the report of a run that makes no progress.
  struct Blocked {
    std::string path, instruction;
    std::size_t index = 0;
    std::optional<sim::Condition> condition;
    std::int64_t value = 0;
    const isa::Instruction* meeting = nullptr;  // waits for the other core; neither: for room in a DMA ring
  };
  std::optional<Blocked> blocked();
  // The semaphores that the rest of the stream would still raise.
  bool would_raise(unsigned semaphore) const;
  // Whether the rest of the stream would come to the other side of this meeting.
  bool would_meet(const isa::Instruction& other) const;

  base::EngineMeasurement measure(base::Time elapsed);

 private:
  void begin();
  void wake();
  void wake_at(base::Time start);
  bool may_run_ahead() const;
  void step();
  void semaphore_changed() override;
  void room() override;
  void met(base::Time together, base::Time done) override;

  std::span<const isa::Instruction> stream() const { return sequencer_.stream(); }
  void plan(base::Time ready);
  void book_wait(base::Time start);
  base::Time run_placed(base::Time t);
  base::Time run(const isa::Instruction& i, base::Time t);
  base::Time run_sequencer(const isa::Instruction& i, base::Time t);
  base::Time run_doorbell(const isa::Instruction& i, base::Time t);
  std::optional<sim::Notify> notification(const isa::Instruction& i, const isa::Update& update,
                                          std::int16_t peer) const;
  base::Time run_meeting(const isa::Instruction& i, base::Time t);
  base::Time run_pipeline(const isa::Instruction& i, base::Time t);
  void arrive(const isa::Instruction& i, base::Time t);
  void raise(const isa::Instruction& i, base::Time read, base::Time complete);
  base::Time behind(const isa::Instruction& i, base::Time start, base::Time end) const;
  base::Time behind_dispatch(base::Time dispatched, base::Time start);
  void conclude(const isa::Instruction& i, const base::InstructionActivity& activity);
  void finish(base::Time ready);
  CoreMemories memories() { return {*sbuf.operator->(), *psum.operator->(), *hbm.operator->()}; }

  Place place_;
  const CoreParams& params_;
  sim::Meter& meter_;
  std::unique_ptr<Pipeline> pipeline_;
  SequencerLaws laws_;
  EngineQueue queue_;
  base::StallReason raiser_;

  Sequencer sequencer_;
  Ledger ledger_;
  EngineValues values_;
  SharedUser shared_;
  AccessReporter accesses_;
  ActivityReporter activities_;

  sc_core::sc_event wake_;
  base::Time ready_{0};
  base::Duration late_{0};  // from the start of the instruction to the engine's wake-up
  bool watching_ = false, waiting_for_room_ = false, has_rung_ = false;
  std::optional<RendezvousTimes> rendezvous_;  // while the engine is at a meeting
  sim::Condition condition_;
  std::optional<sim::Satisfied> satisfied_;

  base::Time last_complete_{0};
  base::Time read_value_{0}, complete_value_{0};  // when a semaphore may tell of all that came before
  base::Time own_change_visible_{0};              // of the last semaphore changed by the sequencer itself
  unsigned own_change_ = 0;
  isa::Instruction resolved_;  // the one under way, where registers have moved its tiles
};

}  // namespace tahoma::model
