// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/queue_registers.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/nki/lower/memory/allocate.h"
#include "isa/table/table_names.h"

namespace tahoma::runtime::nki {

QueueRegisters::QueueRegisters(const Trace& trace, const std::vector<isa::Queue>& queues)
    : uses_(trace.registers) {
  Set active{};
  active[static_cast<std::size_t>(isa::Queue::kSync)] = true;
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e)
    if (!trace.entries[e].registers) active[static_cast<std::size_t>(queues[e])] = true;
  for (std::size_t q = 0; q < isa::kQueueCount; ++q)
    if (active[q]) participants_.push_back(static_cast<isa::Queue>(q));
  const std::vector<Loop> loops = loops_of(trace);
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e) {
    const Recorded& entry = trace.entries[e];
    const auto side = [&](const Side& s) {
      if (s.dynamic.kind == Dynamic::Kind::kRegister) use(s.dynamic.reg, queues[e], e);
    };
    if (entry.transfer) {
      side(entry.transfer->dst);
      for (const Side& s : entry.transfer->sources) side(s);
    }
    if (!entry.registers) continue;
    using Kind = RegisterWork::Kind;
    const RegisterWork& work = *entry.registers;
    if (work.kind == Kind::kStore) use(work.reg, isa::Queue::kSync, e);
    const bool of_loop = work.kind == Kind::kLoopBegin || work.kind == Kind::kLoopEnd ||
                         work.kind == Kind::kWhileBegin || work.kind == Kind::kWhileEnd;
    for (const isa::Queue queue : of_loop ? participants_ : std::vector<isa::Queue>{}) {
      use(work.reg, queue, e);
      for (const RegisterOperand& bound : {work.a, work.b})
        if (bound.reg) use(*bound.reg, queue, e);
    }
  }
  // The operands of a value are used on all queues that use the value.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t e = 0; e < trace.entries.size(); ++e) {
      const auto& work = trace.entries[e].registers;
      if (!work || work->kind == RegisterWork::Kind::kStore) continue;
      for (const RegisterOperand& operand : {work->a, work->b}) {
        if (!operand.reg) continue;
        Use& from = uses_[*operand.reg];
        const Use before = from;
        for (std::size_t q = 0; q < isa::kQueueCount; ++q) from.on[q] = from.on[q] || uses_[work->reg].on[q];
        from.last = std::max(from.last, e);
        changed = changed || from.on != before.on;
      }
    }
  }
  // A value that is set before a loop and used in it keeps its register to the end of the loop.
  std::vector<std::uint32_t> set(uses_.size(), 0xffffffff);
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e)
    if (const auto& work = trace.entries[e].registers; work && work->kind != RegisterWork::Kind::kStore)
      set[work->reg] = std::min(set[work->reg], e);
  for (const Loop& loop : loops)
    for (std::size_t r = 0; r < uses_.size(); ++r)
      if (set[r] <= loop.begin && uses_[r].last >= loop.begin)
        uses_[r].last = std::max(uses_[r].last, loop.end);
}

void QueueRegisters::use(std::uint32_t reg, isa::Queue queue, std::uint32_t entry) {
  uses_[reg].on[static_cast<std::size_t>(queue)] = true;
  uses_[reg].last = std::max(uses_[reg].last, entry);
}

std::vector<isa::Queue> QueueRegisters::queues_of(std::uint32_t reg) const {
  std::vector<isa::Queue> queues;
  for (std::size_t q = 0; q < isa::kQueueCount; ++q)
    if (uses_[reg].on[q]) queues.push_back(static_cast<isa::Queue>(q));
  return queues;
}

std::uint8_t QueueRegisters::number(std::uint32_t reg, isa::Queue queue) {
  const auto q = static_cast<std::size_t>(queue);
  const auto [known, added] = numbers_.try_emplace({reg, q}, std::uint8_t{0});
  if (!added) return known->second;
  const auto free = std::find(taken_[q].begin(), taken_[q].end() - kScratch, false);
  if (free == taken_[q].end() - kScratch)
    refuse("E-NKI-024", fmt::format("queue {} needs more than {} registers at a time", isa::name_of(queue),
                                    isa::kRegisters - kScratch));
  *free = true;
  return known->second = static_cast<std::uint8_t>(free - taken_[q].begin());
}

std::uint8_t QueueRegisters::scratch(isa::Queue queue) {
  unsigned& next = next_scratch_[static_cast<std::size_t>(queue)];
  next = (next + 1) % kScratch;
  return static_cast<std::uint8_t>(isa::kRegisters - kScratch + next);
}

void QueueRegisters::release(std::uint32_t entry) {
  for (auto at = numbers_.begin(); at != numbers_.end();) {
    if (uses_[at->first.first].last > entry) {
      ++at;
      continue;
    }
    taken_[at->first.second][at->second] = false;
    at = numbers_.erase(at);
  }
}

}  // namespace tahoma::runtime::nki
