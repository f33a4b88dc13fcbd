// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/engine.h"

#include <algorithm>

#include "isa/core/program_error.h"
#include "isa/table/table.h"
#include "model/base/error.h"
#include "model/engine/sequencer/engine_kind.h"
#include "model/engine/sequencer/semaphore_update.h"

namespace tahoma::model {

using base::StallReason, base::Duration, base::Time;
using isa::CostClass;

namespace {

// An endless loop without waits must still let simulated time pass.
constexpr int kMostRunAhead = 256;

}  // namespace

Engine::Engine(sc_core::sc_module_name name, const Place& place, const CoreParams& params, sim::Meter& meter)
    : sc_module(name),
      place_(place),
      meter_(meter),
      pipeline_(make_pipeline(place.kind, params, place.array)),
      sequencer_({this->name(), place.queue, place.chip, place.functional}),
      schedule_(place.kind, params, sequencer_),
      wait_(semaphores, *this),
      rendezvous_(rendezvous, wake_),
      ringer_(place.core, place.cores, place.queue, params.dma, sequencer_),
      completion_(schedule_.laws(), semaphores, kind_row(place.kind).raiser, meter),
      values_({place.kind, place.queue, place.core, place.functional}, params, place.array),
      shared_(place.kind, place.queue, params, banks, shared_port),
      accesses_(place.checker, place.core, place.chip, place.queue, sequencer_),
      activities_(meter, place.core, place.queue, sequencer_, ledger_) {
  SC_HAS_PROCESS(Engine);
  SC_METHOD(begin);
}

// Runs once, at time zero.
void Engine::begin() {
  meter_.guard(name(), [this] {
    ledger_.report_to(meter_.timeline, place_.core, static_cast<std::uint8_t>(place_.queue));
    if (!done() && !held_) plan({0});
  });
}

void Engine::start(Time now) {
  held_ = false;
  ledger_.account(now, StallReason::kIdle);
  if (!done()) plan(now);
}

void Engine::wake() {
  meter_.guard(name(), [this] { step(); });
}

void Engine::step() {
  // A semaphore that changed earlier in this round has asked for the next round, but this action is the one
  // that it released.
  wake_.cancel();
  meter_.engine_activated();
  Time t = sim::now() - late_;
  book_wait(t);
  const int most = place_.run_ahead ? kMostRunAhead : 1;
  for (int ahead = 0; ahead < most; ++ahead) {
    const Time next = run_placed(t);
    if (waiting_for_room_ || rendezvous_.present()) return;
    ready_ = t = next;
    if (done() || !may_run_ahead()) break;
  }
  plan(t);
}

// Called at the time the instruction starts. The time since the engine was ready is waiting, then hand-over.
void Engine::book_wait(Time start) {
  const std::optional<sim::Satisfied> satisfied = wait_.end();
  if (!satisfied) return;
  ledger_.account(satisfied->when, satisfied->raiser);
  ledger_.account(start, StallReason::kHandover);
  activities_.released_by(satisfied->cause);
}

// The instruction neither waits nor accesses anything shared, so it may run ahead of simulated time. Its
// semaphore changes carry their own time, and a program without races cannot observe that its values are
// early.
bool Engine::may_run_ahead() const {
  const isa::Instruction& i = sequencer_.current();
  const CostClass cost = isa::row_of(i.op).cost;
  return i.wait.kind == isa::Wait::Kind::kNone && cost != CostClass::kDoorbell &&
         cost != CostClass::kRendezvous && !shared_.shares(i);
}

void Engine::plan(Time ready) {
  ready_ = ready;
  if (done()) return finish(ready);
  const isa::Wait& wait = sequencer_.current().wait;
  if (wait.kind == isa::Wait::Kind::kNone) return wake_at(ready);
  ready_ = wait_.begin(wait, sequencer_.wait_value(wait), ready);
  semaphore_changed();
}

void Engine::wake_at(Time start) {
  const Duration turn = shared_.turn(sequencer_.current());
  const Time at = std::max(start + turn, sim::now());
  late_ = std::min(at - start, turn);
  wake_.at(at);
}

void Engine::semaphore_changed() {
  wake_.cancel();
  const std::optional<sim::Satisfied>& satisfied = wait_.find_satisfied(ready_);
  if (!satisfied) return;
  wake_at(std::max(ready_, schedule_.laws().woken(satisfied->when, executor_of(sequencer_.current()))));
}

void Engine::room() {
  waiting_for_room_ = false;
  wake_.now();
}

// Errors of the program name the instruction.
Time Engine::run_placed(Time t) {
  TAHOMA_INVARIANT(!done(), std::string(name()) + ": acts after its last instruction");
  const std::size_t at = sequencer_.pc();
  try {
    return run(sequencer_.current(), t);
  } catch (const MemberError& e) {
    const std::string where = sequencer_.where(at);
    const std::size_t in_core = std::string_view(name()).size() - std::string_view(basename()).size() - 1;
    throw isa::ProgramError(e.code, e.core_path + where.substr(in_core), e.place + ": " + e.message);
  } catch (const isa::ProgramError& e) {
    const std::string where = sequencer_.where(at);
    if (e.place == where) throw;
    throw isa::ProgramError(e.code, where, e.place.empty() ? e.message : e.place + ": " + e.message);
  }
}

Time Engine::run(const isa::Instruction& i, Time t) {
  const CostClass cost = isa::row_of(i.op).cost;
  if (cost == CostClass::kRendezvous) return run_rendezvous(i, t);
  if (cost == CostClass::kDoorbell) return run_doorbell(i, t);
  if (accesses_.enabled()) accesses_.start(i, memories(), t);
  return executor_of(i) == Executor::kSequencer ? run_sequencer(i, t) : run_pipeline(i, t);
}

Time Engine::run_sequencer(const isa::Instruction& i, Time t) {
  const auto [start, end, complete] = schedule_.step(i, ready_, t);
  sequencer_.execute(i, memories());
  const Time next = schedule_.behind(i, start, end);
  if (activities_.wants_results() && i.op == isa::Opcode::kRegStore) activities_.stored_word(i, start);
  ledger_.account(start, StallReason::kDispatch);
  ledger_.active(start, end);
  ledger_.account(next, StallReason::kDispatch);
  completion_.add(i, end, complete, activities_.cause());
  if (changes_semaphore(i.update)) wait_.own_change(i.update.semaphore, completion_.visible(i.update));
  conclude(i, {.start = start, .next = next, .complete = complete});
  return next;
}

Time Engine::run_doorbell(const isa::Instruction& i, Time t) {
  if (!doorbell->has_room(i.ring)) {
    waiting_for_room_ = true;
    doorbell->call_when_room(i.ring, this);
    return t;
  }
  ledger_.account(t, StallReason::kQueueFull);
  DoorbellRinger::Ring ring = ringer_.ring(i, memories(), t, activities_.cause());
  const Time rung = ring.request.rung;
  if (accesses_.enabled()) ring.request.check_number = accesses_.ring(i, ring.request, t);
  doorbell->ring(ring.request);
  ledger_.active(t, rung);
  // The lanes may still be busy with an earlier instruction, which has that time.
  const Duration busy = ledger_.named(StallReason::kBusy);
  ledger_.account(ring.next, StallReason::kBusy);
  completion_.reach(rung);
  conclude(
      i, {.start = t, .next = ring.next, .complete = rung, .busy = ledger_.named(StallReason::kBusy) - busy});
  return ring.next;
}

// Runs twice: on arrival, and when both cores have arrived.
Time Engine::run_rendezvous(const isa::Instruction& i, Time t) {
  if (!rendezvous_.present()) arrive(i, t);
  const std::optional<RendezvousSide::Times> times = rendezvous_.leave(t);
  if (!times) return t;
  const auto [arrived, together, done] = *times;
  ledger_.account(arrived, StallReason::kDrain);
  ledger_.account(together, StallReason::kWaitCore);
  ledger_.active(together, done);
  if (accesses_.enabled()) accesses_.depart(i, together);
  ledger_.account(done, i.op == isa::Opcode::kSendRecv ? StallReason::kBusy : StallReason::kHandover);
  if (activities_.wants_results()) activities_.result({.start = together});
  completion_.add(i, done, done, activities_.cause());
  conclude(i, {.start = together, .next = done, .complete = done});
  return done;
}

// All earlier instructions of the queue are complete when an engine arrives at a rendezvous.
void Engine::arrive(const isa::Instruction& i, Time t) {
  ledger_.account(t, StallReason::kDispatch);
  if (accesses_.enabled()) accesses_.arrive(i, t);
  const Time complete = std::max(t, completion_.last());
  rendezvous_.arrive({place_.core, place_.queue, static_cast<std::uint32_t>(sequencer_.pc()), &i, complete,
                      nullptr, sequencer_.where(sequencer_.pc())},
                     memories());
}

Time Engine::run_pipeline(const isa::Instruction& i, Time t) {
  const bool moved = i.dst_reg != isa::kNone || i.src_reg != isa::kNone;
  const isa::Instruction& resolved = moved ? (resolved_ = sequencer_.resolve(i, memories())) : i;
  values_.apply(resolved, memories(), t);
  const Duration busy = ledger_.named(StallReason::kBusy);
  const std::uint64_t flops = pipeline_->counted().hardware_flops;
  pipeline_->decoded(ready_);
  const Issue issue = shared_.reserve(resolved, pipeline_->issue(resolved, t, ledger_), *pipeline_, ledger_);
  if (activities_.wants_results())
    activities_.result({.start = issue.start, .moved = std::int64_t{resolved.dst.offset} - i.dst.offset});
  completion_.add(i, issue.read, issue.complete, activities_.cause());
  const Time next = schedule_.behind_dispatch(t, issue.start);
  conclude(i, {.start = issue.start,
               .next = next,
               .complete = issue.complete,
               .busy = ledger_.named(StallReason::kBusy) - busy,
               .hardware_flops = pipeline_->counted().hardware_flops - flops});
  return next;
}

void Engine::conclude(const isa::Instruction& i, const base::InstructionActivity& activity) {
  activities_.end(activity);
  sequencer_.advance(i);
}

void Engine::finish(Time ready) {
  // The issue of the last instruction may end after its result, with a slow clock.
  completion_.reach(std::max(ready, ledger_.cursor()));
  retire->something_ended();
}

std::optional<Engine::Blocked> Engine::blocked() {
  if (done() || held_) return std::nullopt;
  const isa::Instruction& i = sequencer_.current();
  Blocked b{name(), std::string(isa::row_of(i.op).mnemonic), sequencer_.pc(), std::nullopt, 0, nullptr};
  if (rendezvous_.present()) b.rendezvous = &i;
  if (const sim::Condition* condition = wait_.condition()) {
    b.condition = *condition;
    b.value = wait_.value();
  }
  return b;
}

base::EngineMeasurement Engine::measure(Time elapsed) {
  ledger_.account(completion_.last(), StallReason::kDrain);
  ledger_.account(elapsed, StallReason::kIdle);
  TAHOMA_INVARIANT(ledger_.cursor() == elapsed, std::string(name()) + ": booked more time than has passed");
  base::EngineMeasurement m;
  if (pipeline_) static_cast<base::ArrayCounts&>(m) = pipeline_->counted();
  m.instructions = activities_.executed();
  m.path = name();
  m.kind = place_.kind;
  m.core = place_.core;
  ledger_.fill(m);
  return m;
}

}  // namespace tahoma::model
