// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/core/program_error.h"
#include "isa/table/table.h"
#include "model/engine/dma/dma_split.h"
#include "model/engine/dma/dma_timing.h"
#include "model/engine/pipeline/engine_kind.h"
#include "model/engine/sequencer/semaphore_update.h"

namespace tahoma::model {

using base::StallReason, base::Duration, base::Time;
using isa::CostClass;

namespace {

// What the GpSimd engine spends on descriptors that it generates itself.
Duration generation_of(const TransferRequest& request, const DmaParams& params) {
  if (request.dge != isa::Dge::kSw) return Duration{0};
  return generation_time(descriptors_of(runs_of(request, params.element_rows)), params);
}

// An endless loop without waits must still let simulated time pass.
constexpr int kMostRunAhead = 256;

}  // namespace

Engine::Engine(sc_core::sc_module_name name, const Place& place, const CoreParams& params, sim::Meter& meter)
    : sc_module(name),
      place_(place),
      params_(params),
      meter_(meter),
      pipeline_(make_pipeline(place.kind, params, place.array)),
      laws_(place.kind, params),
      queue_(pipeline_ ? (params.sequencer.*kind_row(place.kind).queue).depth : 1),
      raiser_(kind_row(place.kind).raiser),
      sequencer_({this->name(), place.queue, place.chip, place.functional}),
      values_(place.kind, place.functional, params, place.array),
      shared_(place.kind, place.queue, params, banks, shared_port),
      accesses_(place.checker, place.core, place.chip, place.queue, sequencer_),
      activities_(meter, place.core, place.queue, sequencer_, ledger_) {
  seed(0);
  SC_HAS_PROCESS(Engine);
  SC_METHOD(begin);
  SC_METHOD(wake);
  sensitive << wake_;
  dont_initialize();
}

void Engine::seed(std::uint64_t seed) {
  const std::size_t engine = place_.core * isa::kQueueCount + static_cast<std::size_t>(place_.queue);
  values_.seed(seed, static_cast<std::uint32_t>(engine));
}

void Engine::load(const isa::Program& program, const Arguments& arguments) {
  sequencer_.load(program, arguments);
}

// Time zero, once.
void Engine::begin() {
  meter_.guard(name(), [this] {
    ledger_.tell(meter_.timeline, place_.core, static_cast<std::uint8_t>(place_.queue));
    if (!done()) plan({0});
  });
}

void Engine::wake() {
  meter_.guard(name(), [this] { step(); });
}

void Engine::step() {
  meter_.engine_activated();
  Time t = sim::now() - late_;
  book_wait(t);
  const int most = place_.run_ahead ? kMostRunAhead : 1;
  for (int ahead = 0; ahead < most; ++ahead) {
    const Time next = run_placed(t);
    if (waiting_for_room_ || rendezvous_) return;
    ready_ = t = next;
    if (done() || !may_run_ahead()) break;
  }
  plan(t);
}

// Called at the time the instruction starts: what has passed since the engine was ready was waiting, then
// hand-over.
void Engine::book_wait(Time start) {
  if (watching_) semaphores->unwatch(condition_.semaphore, this);
  watching_ = false;
  if (satisfied_) {
    ledger_.account(satisfied_->when, satisfied_->raiser);
    ledger_.account(start, StallReason::kHandover);
    activities_.released_by(satisfied_->cause);
  }
  satisfied_.reset();
}

// Neither waits nor touches anything shared: may run ahead of simulated time. What it raises carries its own
// time, and a program without races cannot tell that its values are early.
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
  condition_.semaphore = wait.semaphore;
  condition_.compare = wait.kind == isa::Wait::Kind::kEq ? sim::Compare::kEq : sim::Compare::kGe;
  condition_.value = sequencer_.wait_value(wait);
  // A sequencer sees its own changes in the order of its program.
  if (condition_.semaphore == own_change_) ready_ = std::max(ready, own_change_visible_);
  semaphores->watch(condition_.semaphore, this);
  watching_ = true;
  semaphore_changed();
}

void Engine::wake_at(Time start) {
  const Duration turn = shared_.turn(sequencer_.current());
  const Time at = std::max(start + turn, sim::now());
  late_ = std::min(at - start, turn);
  sim::notify_at(wake_, at);
}

void Engine::semaphore_changed() {
  wake_.cancel();
  satisfied_ = semaphores->when(condition_, ready_);
  if (!satisfied_) return;
  wake_at(std::max(ready_, laws_.woken(satisfied_->when, executor_of(sequencer_.current()))));
}

void Engine::room() {
  waiting_for_room_ = false;
  wake_.notify(sc_core::SC_ZERO_TIME);
}

// What is wrong with a program is said of the instruction.
Time Engine::run_placed(Time t) {
  const std::size_t at = sequencer_.pc();
  try {
    return run(sequencer_.current(), t);
  } catch (const isa::ProgramError& e) {
    const std::string where = sequencer_.where(at);
    if (e.place == where) throw;
    throw isa::ProgramError(e.code, where, e.place.empty() ? e.message : e.place + ": " + e.message);
  }
}

Time Engine::run(const isa::Instruction& i, Time t) {
  const CostClass cost = isa::row_of(i.op).cost;
  const bool reported_later = cost == CostClass::kDoorbell || cost == CostClass::kRendezvous;
  if (accesses_.enabled() && !reported_later) accesses_.start(i, memories(), t);
  switch (cost) {
    case CostClass::kNone:
    case CostClass::kSemaphore:
    case CostClass::kRegister:
    case CostClass::kRegisterMemory:
    case CostClass::kBranch:
      return run_sequencer(i, t);
    case CostClass::kRendezvous:
      return run_meeting(i, t);
    case CostClass::kDoorbell:
      return run_doorbell(i, t);
    default:
      return run_pipeline(i, t);
  }
}

std::optional<sim::Notify> Engine::notification(const isa::Instruction& i, const isa::Update& update,
                                                std::int16_t peer) const {
  if (update.kind == isa::Update::Kind::kNone) return std::nullopt;
  const std::uint64_t from = i.notify_arg == isa::kNone ? place_.core : sequencer_.argument(i.notify_arg);
  const std::uint64_t core = from + static_cast<std::uint64_t>(std::int64_t{peer});
  if (core >= place_.cores)
    throw isa::ProgramError(
        "E-RUN-047", "",
        fmt::format("notifies core {}{:+}; the machine has cores 0..{}", from, peer, place_.cores - 1));
  return sim::Notify{static_cast<std::uint32_t>(core), update.semaphore,
                     static_cast<std::uint8_t>(change_of(update)), update.value, activities_.cause()};
}

Time Engine::run_doorbell(const isa::Instruction& i, Time t) {
  if (!doorbell->has_room(i.ring)) {
    waiting_for_room_ = true;
    doorbell->call_when_room(i.ring, this);
    return t;
  }
  ledger_.account(t, StallReason::kQueueFull);
  TransferRequest request = sequencer_.request(i, memories());
  request.queue = place_.queue;
  request.index = static_cast<std::uint32_t>(sequencer_.pc());
  request.dge = i.dge;
  const DoorbellTime bell = doorbell_time(place_.queue, !has_rung_, params_.dma);
  const Duration generation = generation_of(request, params_.dma);
  has_rung_ = true;
  request.rung = t + generation + bell.instruction;
  request.notify = notification(i, i.update, i.peer);
  request.on_read = i.update.on_read;
  request.notify_read = notification(i, i.read_update, i.read_peer);
  request.cause = activities_.cause();
  doorbell->ring(request);
  if (accesses_.enabled()) accesses_.ring(i, request, t);
  const Time next = t + generation + std::max(bell.instruction, bell.pitch);
  ledger_.active(t, request.rung);
  ledger_.account(next, StallReason::kBusy);
  last_complete_ = std::max(last_complete_, request.rung);
  meter_.effect_at(request.rung);
  conclude(i, {.start = t, .next = next, .complete = request.rung, .busy = next - t});
  return next;
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
  raise(i, issue.read, issue.complete);
  const Time next = behind_dispatch(t, issue.start);
  conclude(i, {.start = issue.start,
               .next = next,
               .complete = issue.complete,
               .busy = ledger_.named(StallReason::kBusy) - busy,
               .hardware_flops = pipeline_->counted().hardware_flops - flops});
  return next;
}

// Instructions complete in order, so that one counting semaphore can stand for all that came before; in the
// same order they have read.
void Engine::raise(const isa::Instruction& i, Time read, Time complete) {
  const isa::Update& update = i.update;
  last_complete_ = std::max(last_complete_, complete);
  read_value_ = std::max(read_value_, laws_.new_value(read, executor_of(i)));
  complete_value_ = std::max(complete_value_, laws_.new_value(complete, executor_of(i)));
  meter_.effect_at(last_complete_);
  if (update.kind == isa::Update::Kind::kNone) return;
  const Time visible = update.on_read ? read_value_ : complete_value_;
  semaphores->post(update.semaphore, change_of(update), update.value, visible, raiser_, activities_.cause());
  meter_.effect_at(visible);
}

void Engine::conclude(const isa::Instruction& i, const base::InstructionActivity& activity) {
  activities_.end(activity);
  sequencer_.advance(i);
}

}  // namespace tahoma::model
