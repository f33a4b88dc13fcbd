// SPDX-License-Identifier: Apache-2.0
// Registers and loops of a traced kernel.
//
// A program with loops consists of parts without any: what is before a loop, its body, what follows. Each
// part is scheduled alone, with semaphores that begin at 0. At its end all queues meet: transfers have
// landed, instructions are complete, and one queue (sync) clears the semaphores before the others go on. The
// last semaphores are for these meetings: one that counts arrivals, and one for each queue to let it go.
#include <algorithm>

#include "frontend/nki/lower/emitter.h"

namespace tahoma::runtime::nki {

namespace {

isa::Instruction wait_for(std::uint8_t semaphore, std::uint32_t value) {
  isa::Instruction i;
  i.op = isa::Opcode::kSemWait;
  i.wait = {isa::Wait::Kind::kGe, semaphore, value};
  return i;
}

isa::Instruction change(std::uint8_t semaphore, isa::Update::Kind kind, std::uint16_t value) {
  isa::Instruction i;
  i.op = isa::Opcode::kSemSet;
  i.update = {kind, semaphore, value};
  return i;
}

isa::Instruction branch(std::uint8_t a, isa::CompareOp compare, std::optional<std::uint8_t> b,
                        std::int32_t imm) {
  isa::Instruction i;
  i.op = isa::Opcode::kBranch;
  i.reg_a = a;
  i.compare = compare;
  if (b)
    i.reg_b = *b;
  else
    i.imm = imm;
  return i;
}

}  // namespace

void Emitter::registers(const Recorded& entry) {
  const RegisterWork& work = *entry.registers;
  using Kind = RegisterWork::Kind;
  if (work.kind == Kind::kStore) {
    isa::Instruction store;
    store.op = isa::Opcode::kRegStore;
    store.reg_a = registers_.number(work.reg, isa::Queue::kSync);
    store.word = word_of(*work.word);
    note_word(append(store, isa::Queue::kSync), *work.word, true);
    return;
  }
  if (work.kind == Kind::kLoopBegin || work.kind == Kind::kWhileBegin) return loop_begin(work);
  if (work.kind == Kind::kLoopEnd || work.kind == Kind::kWhileEnd) return loop_end(work);
  for (const isa::Queue queue : registers_.queues_of(work.reg)) {
    const std::uint8_t d = registers_.number(work.reg, queue);
    if (work.kind == Kind::kLoad) {
      load_word(*work.word, d, queue);
      continue;
    }
    isa::Instruction i;
    i.reg_d = d;
    if (work.kind == Kind::kSet && !work.a.reg) {
      i.op = isa::Opcode::kRegSet;
      i.imm = work.a.imm;
      append(i, queue);
      continue;
    }
    i.op = isa::Opcode::kRegAlu;
    i.op0 = work.kind == Kind::kSet ? isa::AluOp::kAdd : work.op;
    if (work.a.reg) {
      i.reg_a = registers_.number(*work.a.reg, queue);
    } else {
      isa::Instruction constant;
      constant.op = isa::Opcode::kRegSet;
      constant.reg_d = registers_.scratch(queue);
      constant.imm = work.a.imm;
      append(constant, queue);
      i.reg_a = constant.reg_d;
    }
    if (work.b.reg)
      i.reg_b = registers_.number(*work.b.reg, queue);
    else
      i.imm = work.b.imm;
    append(i, queue);
  }
}

void Emitter::close_segment() {
  const ScheduleEnd end = schedule(ops_, first_signal(), program_);
  ops_ = Operations();
  ops_.at_line(trace_.entries[entry_].line);
  standing_.clear();
  groups_.boundary();
  using Kind = isa::Update::Kind;
  const auto arrivals = static_cast<std::uint8_t>(isa::kSemaphores - 1);
  const auto go = [](isa::Queue queue) {
    return static_cast<std::uint8_t>(first_loop_semaphore() + static_cast<unsigned>(queue));
  };
  for (const isa::Queue queue : registers_.participants()) {
    for (const ScheduleEnd::Slot& slot : end.slots)
      if (slot.queue == queue) stream(queue).push_back(wait_for(slot.semaphore, slot.value));
    stream(queue).push_back(change(arrivals, Kind::kAdd, 1));
    if (queue != isa::Queue::kSync) {
      stream(queue).push_back(wait_for(go(queue), 1));
      stream(queue).push_back(change(go(queue), Kind::kSet, 0));
      continue;
    }
    stream(queue).push_back(wait_for(arrivals, static_cast<std::uint32_t>(registers_.participants().size())));
    stream(queue).push_back(change(arrivals, Kind::kSet, 0));
    for (const std::uint8_t semaphore : end.raised) stream(queue).push_back(change(semaphore, Kind::kSet, 0));
    for (const isa::Queue other : registers_.participants())
      if (other != isa::Queue::kSync) stream(queue).push_back(change(go(other), Kind::kAdd, 1));
  }
}

void Emitter::loop_begin(const RegisterWork& work) {
  close_segment();
  groups_.forget();
  OpenLoop loop;
  for (const isa::Queue queue : registers_.participants()) {
    const auto q = static_cast<std::size_t>(queue);
    std::vector<isa::Instruction>& out = stream(queue);
    const std::uint8_t d = registers_.number(work.reg, queue);
    if (work.kind == RegisterWork::Kind::kLoopBegin) {
      isa::Instruction first;
      first.reg_d = d;
      first.op = work.a.reg ? isa::Opcode::kRegAlu : isa::Opcode::kRegSet;
      if (work.a.reg) {
        first.reg_a = registers_.number(*work.a.reg, queue);
        first.op0 = isa::AluOp::kAdd;
      } else {
        first.imm = work.a.imm;
      }
      out.push_back(first);
    }
    loop.body[q] = static_cast<std::uint32_t>(out.size());
    loop.leaving[q] = loop.body[q];
    if (work.kind == RegisterWork::Kind::kWhileBegin) {
      out.push_back(branch(d, isa::CompareOp::kEq, std::nullopt, 0));
    } else {
      std::optional<std::uint8_t> upper;
      if (work.b.reg) upper = registers_.number(*work.b.reg, queue);
      out.push_back(branch(d, isa::CompareOp::kGe, upper, work.b.imm));
    }
  }
  loops_.push_back(loop);
}

void Emitter::loop_end(const RegisterWork& work) {
  close_segment();
  groups_.forget();
  const OpenLoop loop = loops_.back();
  loops_.pop_back();
  for (const isa::Queue queue : registers_.participants()) {
    const auto q = static_cast<std::size_t>(queue);
    std::vector<isa::Instruction>& out = stream(queue);
    if (work.kind == RegisterWork::Kind::kLoopEnd) {
      isa::Instruction next;
      next.op = isa::Opcode::kRegAlu;
      next.reg_d = next.reg_a = registers_.number(work.reg, queue);
      next.op0 = isa::AluOp::kAdd;
      next.imm = work.step;
      out.push_back(next);
    }
    isa::Instruction again;
    again.op = isa::Opcode::kJump;
    again.target = loop.body[q];
    out.push_back(again);
    out[loop.leaving[q]].target = static_cast<std::uint32_t>(out.size());
  }
}

}  // namespace tahoma::runtime::nki
