// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "isa/table/table.h"
#include "model/base/error.h"
#include "runtime/builder/operations.h"
#include "runtime/builder/scheduler_clocks.h"
#include "runtime/builder/scheduler_log.h"

namespace tahoma::runtime {

namespace {

// The waits of all operations, one after another: those of op i are list[begin[i] .. begin[i + 1]).
struct Waits {
  std::vector<std::uint32_t> begin, list;
};

[[noreturn]] void refuse_send(const isa::Program& program, const Operations& ops, std::uint32_t later,
                              std::uint32_t send) {
  throw base::UserError(
      "E-RUN-022", fmt::format("kernel '{}', operation {}", program.name, later),
      fmt::format("accesses memory that the send of operation {} on {} may still use: this core is not "
                  "notified when a transfer that notifies another core has landed; use memory of its own for "
                  "each send",
                  send, isa::name_of(ops[send].queue)),
      base::ExitStatus::kProgram);
}

class Planner {
 public:
  Planner(const Operations& ops, const isa::Program& program) : ops_(ops), program_(program), clocks_(ops) {}

  Waits plan() {
    Waits waits;
    waits.begin.reserve(ops_.size() + 1);
    for (std::uint32_t i = 0; i < ops_.size(); ++i) {
      waits.begin.push_back(static_cast<std::uint32_t>(waits.list.size()));
      find_needs(i);
      keep_what_is_news(i, waits.list);
      clocks_.start(i);
      record(i);
    }
    waits.begin.push_back(static_cast<std::uint32_t>(waits.list.size()));
    return waits;
  }

  const Clocks& clocks() const { return clocks_; }

 private:
  void find_needs(std::uint32_t i) {
    needs_.clear();
    const Op& op = ops_[i];
    for (const Access& access : op.accesses)
      if (!access.announced) log_.conflicts(access, [&](std::uint32_t earlier) { need(i, earlier); });
    if (!op.is_dma() || op.notifies()) return;
    // The slot's counter is meaningful only if its transfers land one after another.
    const std::uint32_t slot = clocks_.component_of(i);
    if (last_in_slot_.size() <= slot) last_in_slot_.resize(slot + 1, Clocks::kNoComponent);
    if (last_in_slot_[slot] != Clocks::kNoComponent) need(i, last_in_slot_[slot]);
    last_in_slot_[slot] = i;
  }

  void need(std::uint32_t i, std::uint32_t earlier) {
    if (earlier == i) return;
    const Op &op = ops_[i], &before = ops_[earlier];
    if (op.is_engine() && before.is_engine() && op.queue == before.queue)
      return;  // one engine completes its instructions in order
    if (clocks_.known(op.queue, earlier)) return;
    if (before.notifies()) refuse_send(program_, ops_, i, earlier);
    needs_.push_back(earlier);
  }

  // Checks the latest operation first: its completion often implies that of the others.
  void keep_what_is_news(std::uint32_t i, std::vector<std::uint32_t>& list) {
    std::sort(needs_.begin(), needs_.end(), std::greater<>());
    for (const std::uint32_t earlier : needs_) {
      if (clocks_.known(ops_[i].queue, earlier)) continue;
      clocks_.wait(ops_[i].queue, earlier);
      list.push_back(earlier);
    }
  }

  void record(std::uint32_t i) {
    if (ops_[i].instruction.op == isa::Opcode::kSemWait) return;  // accesses nothing: it waits for a landing
    // If the landing of two transfers is unknown, one is enough to refuse later accesses.
    const bool unknown = ops_[i].notifies();
    for (const Access& access : ops_[i].accesses)
      log_.record(
          access, i, [&](std::uint32_t earlier) { return clocks_.implies(i, earlier); },
          [&](std::uint32_t earlier) { return unknown && ops_[earlier].notifies(); });
  }

  const Operations& ops_;
  const isa::Program& program_;
  Clocks clocks_;
  AccessLog log_;
  std::vector<std::uint32_t> needs_, last_in_slot_;
};

// Assigns the semaphore numbers and writes the streams.
class Emitter {
 public:
  Emitter(const Operations& ops, const Clocks& clocks, const Waits& waits)
      : ops_(ops), clocks_(clocks), waits_(waits), waited_(ops.size(), false), value_(ops.size(), 0) {
    for (const std::uint32_t op : waits.list) waited_[op] = true;
  }

  void emit(isa::Program& program) {
    for (std::uint32_t i = 0; i < ops_.size(); ++i) {
      std::vector<isa::Instruction>& stream = program.stream(ops_[i].queue).edit();
      mark_region(i, program);
      mark_line(i, program);
      isa::Instruction instruction = ops_[i].instruction;
      add_waits(i, instruction, stream);
      add_update(i, instruction);
      // The data are known to be there already; no wait is needed.
      if (instruction.op == isa::Opcode::kSemWait && instruction.wait.kind == isa::Wait::Kind::kNone)
        continue;
      mark_filled(i, program);
      stream.push_back(instruction);
    }
  }

  ScheduleEnd end() const {
    std::map<std::uint8_t, ScheduleEnd::Slot> slots;
    ScheduleEnd end;
    for (std::uint32_t i = 0; i < ops_.size(); ++i) {
      if (!ops_[i].is_dma() || ops_[i].notifies()) continue;
      const auto semaphore = static_cast<std::uint8_t>(clocks_.component_of(i));
      slots[semaphore] = {ops_[i].queue, semaphore, value_[i]};
    }
    for (std::uint8_t q = 0; q < isa::kQueueCount; ++q)
      if (raised_[q] > 0) end.raised.push_back(q);
    for (const auto& [semaphore, slot] : slots) {
      end.raised.push_back(semaphore);
      end.slots.push_back(slot);
    }
    return end;
  }

 private:
  // Every visit gets a mark, even if a queue has done nothing else in between, so that visits can be counted.
  void mark_region(std::uint32_t i, isa::Program& program) {
    const isa::Queue queue = ops_[i].queue;
    std::uint32_t& visit = visits_[static_cast<std::size_t>(queue)];
    if (ops_.region(i) == 0 || visit == ops_.visit(i)) return;
    visit = ops_.visit(i);
    auto& marks = program.marks[static_cast<std::size_t>(queue)];
    const auto region = static_cast<std::uint16_t>(ops_.region(i) - 1);
    const auto here = static_cast<std::uint32_t>(program.stream(queue).size());
    if (!marks.empty() && marks.back().first == here)
      marks.back().region = region;
    else
      marks.push_back({here, region});
  }

  void mark_line(std::uint32_t i, isa::Program& program) const {
    if (ops_.line(i) == isa::kNoLine) return;
    auto& marks = program.line_marks[static_cast<std::size_t>(ops_[i].queue)];
    if (marks.empty() || marks.back().line != ops_.line(i)) mark_here(i, ops_.line(i), marks, program);
  }

  // Must follow the waits, which fill nothing.
  void mark_filled(std::uint32_t i, isa::Program& program) const {
    auto& marks = program.filled_marks[static_cast<std::size_t>(ops_[i].queue)];
    if (ops_.filled(i) == isa::kNothingNamed) return;
    if (marks.empty() || marks.back().filled != ops_.filled(i)) mark_here(i, ops_.filled(i), marks, program);
  }

  template <class Mark>
  void mark_here(std::uint32_t i, std::uint32_t to, std::vector<Mark>& marks,
                 const isa::Program& program) const {
    const auto here = static_cast<std::uint32_t>(program.stream(ops_[i].queue).size());
    if (!marks.empty() && marks.back().first == here)
      marks.back() = {here, to};
    else
      marks.push_back({here, to});
  }

  // Semaphore numbers are component numbers: engines first, then the slots of each queue
  // that rings doorbells.
  isa::Wait wait_for(std::uint32_t earlier) const {
    return {isa::Wait::Kind::kGe, static_cast<std::uint8_t>(clocks_.component_of(earlier)), value_[earlier]};
  }

  // The operation that is latest in program order is most likely still running. Its wait goes on the
  // instruction itself; the sem_waits before it are processed by the time it completes.
  void add_waits(std::uint32_t i, isa::Instruction& instruction,
                 std::vector<isa::Instruction>& stream) const {
    std::uint32_t first = waits_.begin[i];
    const std::uint32_t last = waits_.begin[i + 1];
    if (first < last && instruction.wait.kind == isa::Wait::Kind::kNone)
      instruction.wait = wait_for(waits_.list[first++]);
    for (std::uint32_t w = last; w > first; --w) {
      isa::Instruction extra;
      extra.op = isa::Opcode::kSemWait;
      extra.wait = wait_for(waits_.list[w - 1]);
      stream.push_back(extra);
    }
  }

  void add_update(std::uint32_t i, isa::Instruction& instruction) {
    if (ops_[i].notifies()) return;
    const auto semaphore = static_cast<std::uint8_t>(clocks_.component_of(i));
    if (ops_[i].is_dma()) {
      // Counted even if no operation waits: the slot's later values build on it.
      instruction.update = {isa::Update::Kind::kAdd, semaphore, 1};
      value_[i] = isa::kDmaEngines * clocks_.count_of(i);
    } else if (waited_[i]) {
      instruction.update = {isa::Update::Kind::kAdd, semaphore, 1};
      value_[i] = ++raised_[semaphore];
    }
  }

  const Operations& ops_;
  const Clocks& clocks_;
  const Waits& waits_;
  std::vector<bool> waited_;
  std::vector<std::uint32_t> value_;
  std::array<std::uint32_t, isa::kQueueCount> visits_{};  // the visit of each queue's latest mark
  std::array<std::uint32_t, isa::kQueueCount> raised_{};
};

}  // namespace

ScheduleEnd schedule(const Operations& ops, unsigned first_signal, isa::Program& program) {
  Planner planner(ops, program);
  if (planner.clocks().components() > first_signal) {
    throw base::UserError(
        "E-RUN-023", fmt::format("kernel '{}'", program.name),
        fmt::format("out of semaphores: {} for engines and transfers, {} for signals, {} in total",
                    planner.clocks().components(), isa::kSemaphores - first_signal, isa::kSemaphores),
        base::ExitStatus::kProgram);
  }
  const Waits waits = planner.plan();
  Emitter emitter(ops, planner.clocks(), waits);
  emitter.emit(program);
  return emitter.end();
}

}  // namespace tahoma::runtime
