// SPDX-License-Identifier: Apache-2.0
#include "model/engine/engine.h"

#include "isa/alu.h"
#include "isa/table.h"
#include "model/base/error.h"

namespace tahoma::model {

using base::Cycle, base::Duration, base::Time;
using isa::CostClass;

namespace {

struct KindRow {
  Cycle raiser;
  Duration SequencerParams::*wake;
  Duration SequencerParams::*raise;
};
// By EngineKind.
const KindRow kKinds[base::kEngineKinds] = {
    {Cycle::kWaitTensor, &SequencerParams::wake_tensor, &SequencerParams::raise_tensor},
    {Cycle::kWaitVector, &SequencerParams::wake_vector, &SequencerParams::raise_vector},
    {Cycle::kWaitScalar, &SequencerParams::wake_scalar, &SequencerParams::raise_scalar},
    {Cycle::kWaitGpSimd, &SequencerParams::wake_gpsimd, &SequencerParams::raise_gpsimd},
    {Cycle::kWaitSync, &SequencerParams::wake_sync, &SequencerParams::raise_sync},
    {Cycle::kWaitCollective, &SequencerParams::wake_collective, &SequencerParams::raise_collective},
};
const KindRow& row(base::EngineKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::unique_ptr<Pipeline> make_pipeline(base::EngineKind kind, const CoreParams& p) {
  if (kind == base::EngineKind::kTensor) return make_tensor_pipeline(p.tensor);
  if (kind == base::EngineKind::kSync || kind == base::EngineKind::kCollective) return nullptr;
  return make_lane_pipeline(kind, p);
}

// Neither waits nor touches anything shared: may run ahead of simulated time. What it raises carries its own
// time, and a program without races cannot tell that its values are early.
bool may_run_ahead(const isa::Instruction& i) {
  return i.wait.kind == isa::Wait::Kind::kNone && isa::row_of(i.op).cost != CostClass::kDoorbell;
}

sim::Change change_of(isa::Update::Kind kind) {
  if (kind == isa::Update::Kind::kSubtract) return sim::Change::kSubtract;
  return kind == isa::Update::Kind::kSet ? sim::Change::kSet : sim::Change::kAdd;
}

bool compare(std::int64_t a, isa::CompareOp op, std::int64_t b) {
  switch (op) {
    case isa::CompareOp::kEq:
      return a == b;
    case isa::CompareOp::kNe:
      return a != b;
    case isa::CompareOp::kLt:
      return a < b;
    case isa::CompareOp::kLe:
      return a <= b;
    case isa::CompareOp::kGt:
      return a > b;
    case isa::CompareOp::kGe:
      return a >= b;
  }
  return false;
}

// An endless loop without waits must still let simulated time pass.
constexpr int kMostRunAhead = 256;

}  // namespace

Engine::Engine(sc_core::sc_module_name name, const Place& place, const CoreParams& params, sim::Meter& meter)
    : sc_module(name),
      place_(place),
      params_(params),
      meter_(meter),
      pipeline_(make_pipeline(place.kind, params)),
      wake_latency_(params.sequencer.*row(place.kind).wake),
      raise_latency_(params.sequencer.*row(place.kind).raise),
      raiser_(row(place.kind).raiser) {
  weights_.array = {static_cast<unsigned>(params.tensor.rows), static_cast<unsigned>(params.tensor.columns)};
  SC_HAS_PROCESS(Engine);
  SC_METHOD(begin);
  SC_METHOD(wake);
  sensitive << wake_;
  dont_initialize();
}

void Engine::load(const isa::Program& program, const Arguments& arguments) {
  program_ = &program;
  arguments_ = &arguments;
}

// Time zero, once.
void Engine::begin() {
  meter_.guard(name(), [this] {
    if (!done()) plan({0});
  });
}

void Engine::wake() {
  meter_.guard(name(), [this] { step(); });
}

void Engine::step() {
  meter_.engine_activated();
  book_wait();
  Time t = sim::now();
  const int most = place_.run_ahead ? kMostRunAhead : 1;
  for (int ahead = 0; ahead < most; ++ahead) {
    const Time next = run(stream()[pc_], t);
    if (waiting_for_room_) return;
    t = next;
    if (done() || !may_run_ahead(stream()[pc_])) break;
  }
  plan(t);
}

// Called at the time the instruction starts: what has passed since the engine was ready was waiting, then
// hand-over.
void Engine::book_wait() {
  if (watching_) semaphores->unwatch(condition_.semaphore, this);
  watching_ = false;
  if (satisfied_) {
    ledger_.account(satisfied_->when, satisfied_->raiser);
    ledger_.account(sim::now(), Cycle::kHandover);
  }
  satisfied_.reset();
}

void Engine::plan(Time ready) {
  ready_ = ready;
  if (done()) return finish(ready);
  const isa::Wait& wait = stream()[pc_].wait;
  if (wait.kind == isa::Wait::Kind::kNone) return sim::notify_at(wake_, ready);
  condition_.semaphore = wait.semaphore;
  condition_.compare = wait.kind == isa::Wait::Kind::kEq ? sim::Compare::kEq : sim::Compare::kGe;
  condition_.value =
      wait.kind == isa::Wait::Kind::kGeReg ? reg(static_cast<std::uint8_t>(wait.value)) : wait.value;
  semaphores->watch(condition_.semaphore, this);
  watching_ = true;
  semaphore_changed();
}

void Engine::semaphore_changed() {
  wake_.cancel();
  satisfied_ = semaphores->when(condition_);
  if (!satisfied_) return;
  sim::notify_at(wake_, std::max({ready_, satisfied_->when + wake_latency_, sim::now()}));
}

void Engine::room() {
  waiting_for_room_ = false;
  wake_.notify(sc_core::SC_ZERO_TIME);
}

Time Engine::run(const isa::Instruction& i, Time t) {
  switch (isa::row_of(i.op).cost) {
    case CostClass::kNone:
    case CostClass::kSemaphore:
    case CostClass::kRegister:
    case CostClass::kRegisterMemory:
    case CostClass::kMeeting:
    case CostClass::kBranch:
      return run_sequencer(i, t);
    case CostClass::kDoorbell:
      return run_doorbell(i, t);
    default:
      return run_pipeline(i, t);
  }
}

Time Engine::run_sequencer(const isa::Instruction& i, Time t) {
  const CostClass cost = isa::row_of(i.op).cost;
  const SequencerParams& p = params_.sequencer;
  const Time end = t + (cost == CostClass::kSemaphore ? p.semaphore_instruction
                        : cost == CostClass::kBranch  ? p.branch
                                                      : p.register_instruction);
  ledger_.account(t, Cycle::kDispatch);
  ledger_.active(t, end);
  ledger_.account(end, Cycle::kDispatch);
  if (i.op == isa::Opcode::kRegSet) registers_[i.reg_d] = i.imm;
  if (i.op == isa::Opcode::kRegAlu)
    registers_[i.reg_d] = isa::register_alu(i.op0, registers_[i.reg_a],
                                            i.reg_b == isa::kNone ? i.imm : registers_[i.reg_b]);
  raise(i.update, end);
  jump_or_advance(i);
  return end;
}

std::uint64_t Engine::address_of(const isa::DmaSide& side, std::uint8_t offset_register) const {
  if (side.space != isa::Space::kHbm) return 0;
  const std::int64_t offset = offset_register == isa::kNone ? 0 : reg(offset_register);
  return (*arguments_)[side.arg] + side.offset + static_cast<std::uint64_t>(offset);
}

Time Engine::run_doorbell(const isa::Instruction& i, Time t) {
  if (!doorbell->has_room(i.ring)) {
    waiting_for_room_ = true;
    doorbell->call_when_room(i.ring, this);
    return t;
  }
  ledger_.account(t, Cycle::kQueueFull);
  const isa::Descriptor& d = program_->descriptors[i.descriptor];
  TransferRequest request{&d, address_of(d.dst, i.dst_reg), address_of(d.src, i.src_reg), i.ring, {}, {}};
  request.rung = t + params_.dma.doorbell;
  if (i.update.kind != isa::Update::Kind::kNone) {
    const std::uint64_t target = i.notify_arg == isa::kNone ? place_.core : (*arguments_)[i.notify_arg];
    request.notify = sim::Notify{static_cast<std::uint32_t>(target), i.update.semaphore,
                                 static_cast<std::uint8_t>(change_of(i.update.kind)), i.update.value};
  }
  doorbell->ring(request);
  const Time next = t + std::max(params_.dma.doorbell, params_.dma.doorbell_pitch);
  ledger_.active(t, request.rung);
  ledger_.account(next, Cycle::kBusy);
  last_complete_ = std::max(last_complete_, request.rung);
  meter_.effect_at(request.rung);
  jump_or_advance(i);
  return next;
}

Time Engine::run_pipeline(const isa::Instruction& i, Time t) {
  if (place_.functional) {
    isa::CoreView view{sbuf->bytes(), sbuf->stride(), psum->bytes(), psum->stride(), &weights_};
    isa::execute(i, view);
  }
  const Issue issue = pipeline_->issue(i, t, ledger_);
  raise(i.update, issue.complete);
  jump_or_advance(i);
  return issue.next;
}

// Instructions complete in order, so that one counting semaphore can stand for all that came before.
void Engine::raise(const isa::Update& update, Time complete) {
  last_complete_ = std::max(last_complete_, complete);
  Time visible = last_complete_;
  if (update.kind != isa::Update::Kind::kNone) {
    visible += raise_latency_;
    semaphores->post(update.semaphore, change_of(update.kind), update.value, visible, raiser_);
  }
  meter_.effect_at(visible);
}

void Engine::jump_or_advance(const isa::Instruction& i) {
  ++instructions_;
  ++meter_.instructions;
  const bool taken = i.op == isa::Opcode::kJump ||
                     (i.op == isa::Opcode::kBranch &&
                      compare(reg(i.reg_a), i.compare, i.reg_b == isa::kNone ? i.imm : reg(i.reg_b)));
  pc_ = taken ? i.target : pc_ + 1;
}

void Engine::finish(Time ready) {
  last_complete_ = std::max(last_complete_, ready);
  meter_.effect_at(last_complete_);
  retire->something_ended();
}

std::optional<Engine::Blocked> Engine::blocked() {
  if (done()) return std::nullopt;
  Blocked b{name(), std::string(isa::row_of(stream()[pc_].op).mnemonic), pc_, std::nullopt, 0};
  if (watching_) {
    b.condition = condition_;
    b.value = semaphores->value(condition_.semaphore);
  }
  return b;
}

bool Engine::would_raise(unsigned semaphore) const {
  if (program_ == nullptr) return false;
  for (std::size_t n = pc_; n < stream().size(); ++n)
    if (stream()[n].update.kind != isa::Update::Kind::kNone && stream()[n].update.semaphore == semaphore)
      return true;
  return false;
}

base::EngineMeasurement Engine::measure(Time elapsed) {
  ledger_.account(last_complete_, Cycle::kDrain);
  ledger_.account(elapsed, Cycle::kIdle);
  TAHOMA_INVARIANT(ledger_.cursor() == elapsed, std::string(name()) + ": booked more time than has passed");
  base::EngineMeasurement m;
  m.path = name();
  m.kind = place_.kind;
  m.core = place_.core;
  m.instructions = instructions_;
  if (pipeline_) m.hardware_flops = pipeline_->hardware_flops();
  ledger_.fill(m);
  return m;
}

}  // namespace tahoma::model
