// SPDX-License-Identifier: Apache-2.0
// One engine of a NeuronCore, or one collective core: an in-order sequencer in front of a pipeline. Wakes
// once per instruction, at the time the instruction starts: then its values are applied, its time is booked,
// and the semaphore change that it will make is posted. Register and branch instructions are private and run
// ahead.
#pragma once

#include <optional>
#include <string>
#include <systemc>

#include "isa/program.h"
#include "isa/semantics.h"
#include "model/check/checker.h"
#include "model/engine/doorbell.h"
#include "model/engine/pipeline.h"
#include "model/sim/backdoor.h"
#include "model/sim/meter.h"
#include "model/sim/semaphores.h"

namespace tahoma::model {

using Arguments = std::array<std::uint64_t, isa::kArguments>;

class Engine : public sc_core::sc_module, private sim::Watcher, private RoomWatcher {
 public:
  sc_core::sc_port<sim::SemaphoreIf> semaphores{"semaphores"};
  sc_core::sc_port<DoorbellIf> doorbell{"doorbell"};
  sc_core::sc_port<sim::ScratchpadIf> sbuf{"sbuf"}, psum{"psum"};
  sc_core::sc_port<sim::RetireIf> retire{"retire"};

  struct Place {
    base::EngineKind kind;
    isa::Queue queue;
    std::uint32_t core, chip;  // global numbers
    bool functional;
    bool run_ahead;
    check::Checker* checker;  // null: nobody watches
  };
  Engine(sc_core::sc_module_name name, const Place& place, const CoreParams& params, sim::Meter& meter);

  // Before the run: the stream of this engine's queue. `program` and `arguments` must outlive the run.
  void load(const isa::Program& program, const Arguments& arguments);
  bool done() const { return program_ == nullptr || pc_ == stream().size(); }

  // What keeps the engine from going on, for the report of a run that makes no progress.
  struct Blocked {
    std::string path, instruction;
    std::size_t index = 0;
    std::optional<sim::Condition> condition;  // none: waits for room in a DMA ring
    std::int64_t value = 0;
  };
  std::optional<Blocked> blocked();
  // The semaphores that the rest of the stream would still raise.
  bool would_raise(unsigned semaphore) const;

  base::EngineMeasurement measure(base::Time elapsed);

 private:
  void begin();
  void wake();
  void step();
  void semaphore_changed() override;
  void room() override;

  const std::vector<isa::Instruction>& stream() const { return program_->stream(place_.queue); }
  void plan(base::Time ready);
  void book_wait();
  base::Time run(const isa::Instruction& i, base::Time t);
  check::Step step_of(const isa::Instruction& i, base::Time t) const;
  void watch_doorbell(const isa::Instruction& i, const TransferRequest& request, base::Time t);
  base::Time run_sequencer(const isa::Instruction& i, base::Time t);
  base::Time run_doorbell(const isa::Instruction& i, base::Time t);
  base::Time run_pipeline(const isa::Instruction& i, base::Time t);
  void raise(const isa::Update& update, base::Time complete);
  void jump_or_advance(const isa::Instruction& i);
  void finish(base::Time ready);
  std::int64_t reg(std::uint8_t r) const { return registers_[r]; }
  std::uint64_t address_of(const isa::DmaSide& side, std::uint8_t offset_register) const;

  Place place_;
  const CoreParams& params_;
  sim::Meter& meter_;
  std::unique_ptr<Pipeline> pipeline_;
  base::Duration wake_latency_, raise_latency_;
  base::Cycle raiser_;

  const isa::Program* program_ = nullptr;
  const Arguments* arguments_ = nullptr;
  std::size_t pc_ = 0;
  std::array<std::int32_t, isa::kRegisters> registers_{};

  sc_core::sc_event wake_;
  base::Time ready_{0};
  bool watching_ = false, waiting_for_room_ = false;
  sim::Condition condition_;
  std::optional<sim::Satisfied> satisfied_;

  base::Time last_complete_{0};
  base::Time own_change_visible_{0};  // of the last semaphore changed by the sequencer itself
  unsigned own_change_ = 0;
  isa::Weights weights_;
  Ledger ledger_;
  std::uint64_t instructions_ = 0;
};

}  // namespace tahoma::model
