// SPDX-License-Identifier: Apache-2.0
#include "model/system/netlist/deadlock.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::model {
namespace {

constexpr std::size_t kMostLines = 16;

bool would_raise(const Engine& engine, unsigned semaphore) {
  const auto raises = [&](const isa::Update& update) {
    return update.kind != isa::Update::Kind::kNone && update.semaphore == semaphore;
  };
  return engine.any_remaining(
      [&](const isa::Instruction& i) { return raises(i.update) || raises(i.read_update); });
}

// Returns whether the engine can still arrive at the other side of this rendezvous.
bool would_meet(const Engine& engine, const isa::Instruction& other) {
  return engine.any_remaining(
      [&](const isa::Instruction& i) { return i.op == other.op && i.pipe == other.pipe; });
}

// Lists engines of the same core whose remaining instructions would raise the semaphore: the
// waits form a cycle.
std::string raisers(NeuronCore& core, unsigned semaphore) {
  std::string names;
  for (const auto& engine : core.engines())
    if (would_raise(*engine, semaphore))
      names += (names.empty() ? "" : ", ") + std::string(engine->basename());
  return names.empty() ? "no remaining instruction of this core raises it" : "would be raised by: " + names;
}

// Lists engines of the other core that could still arrive.
std::string participants(NeuronCore& other, const isa::Instruction& rendezvous) {
  std::string names;
  for (const auto& engine : other.engines())
    if (would_meet(*engine, rendezvous))
      names += (names.empty() ? "" : ", ") + std::string(engine->basename());
  return names.empty() ? "no remaining instruction of that core arrives" : "would still arrive: " + names;
}

std::string line(Chip& chip, std::uint32_t n, const std::string& path, const Engine::Blocked& b) {
  NeuronCore& core = chip.core(n);
  const std::string head = fmt::format("  {}[{}] {}", path, b.index, b.instruction);
  if (b.rendezvous != nullptr)
    return fmt::format("{} waits for {} on pipe {}; {}", head, chip.core(n ^ 1U).basename(),
                       b.rendezvous->pipe, participants(chip.core(n ^ 1U), *b.rendezvous));
  if (!b.condition) return head + " waits for space in a DMA ring";
  return fmt::format("{} waits for semaphore {} {} {}, which is {}; {}", head, b.condition->semaphore,
                     b.condition->compare == sim::Compare::kGe ? ">=" : "==", b.condition->value, b.value,
                     raisers(core, b.condition->semaphore));
}

}  // namespace

BlockedEngines blocked_engines(const std::vector<Chip*>& chips, const MachineParams& params,
                               const Unfolding& unfolding) {
  BlockedEngines all;
  for (std::uint32_t number = 0; number < chips.size(); ++number) {
    Chip* chip = chips[number];
    if (chip == nullptr) continue;
    for (std::uint32_t n = 0; n < params.chip.cores; ++n)
      for (const auto& engine : chip->core(n).engines()) {
        const auto b = engine->blocked();
        if (b && ++all.count <= kMostLines)
          all.first.push_back({number, line(*chip, n, unfolding.path(number, b->path), *b)});
      }
  }
  return all;
}

void refuse_deadlock(const std::vector<BlockedEngines>& parts, base::Time at) {
  std::uint64_t blocked = 0;
  std::vector<BlockedEngines::Line> lines;
  for (const BlockedEngines& part : parts) {
    blocked += part.count;
    lines.insert(lines.end(), part.first.begin(), part.first.end());
  }
  if (blocked == 0) return;
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.chip < b.chip; });
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  std::string text = fmt::format("no progress: {} engines wait for events that cannot happen", blocked);
  for (const BlockedEngines::Line& line : lines) text += "\n" + line.text;
  if (blocked > kMostLines) text += fmt::format("\n  and {} more", blocked - kMostLines);
  throw base::UserError("E-RUN-051", fmt::format("at {:.3f} us", at.ns() * 1e-3), text,
                        base::ExitStatus::kNoProgress);
}

void refuse_overtime(base::Duration limit) {
  throw base::UserError(
      "E-RUN-054", "machine.time_limit",
      fmt::format("the programs have not ended after {:.3f} us of simulated time; expected an "
                  "end by then",
                  limit.ns() * 1e-3),
      base::ExitStatus::kNoProgress);
}

void check_idle(const std::vector<Chip*>& chips, const MachineParams& params) {
  for (Chip* chip : chips)
    for (std::uint32_t n = 0; chip != nullptr && n < params.chip.cores; ++n)
      TAHOMA_INVARIANT(chip->core(n).dma().idle(),
                       std::string(chip->core(n).name()) + ": a transfer is stuck");
}

}  // namespace tahoma::model
