// SPDX-License-Identifier: Apache-2.0
#include "model/system/deadlock.h"

#include <fmt/format.h>

#include "model/base/error.h"

namespace tahoma::model {
namespace {

constexpr std::size_t kMostLines = 16;

// Lists engines of the same core whose remaining instructions would raise the semaphore: the
// waits form a cycle.
std::string raisers(NeuronCore& core, unsigned semaphore) {
  std::string names;
  for (const auto& engine : core.engines())
    if (engine->would_raise(semaphore))
      names += (names.empty() ? "" : ", ") + std::string(engine->basename());
  return names.empty() ? "nothing left in this core's program raises it" : "would be raised by: " + names;
}

// Lists engines of the other core that could still arrive.
std::string attendants(NeuronCore& other, const isa::Instruction& meeting) {
  std::string names;
  for (const auto& engine : other.engines())
    if (engine->would_meet(meeting)) names += (names.empty() ? "" : ", ") + std::string(engine->basename());
  return names.empty() ? "nothing left in that core's program comes" : "would still come: " + names;
}

std::string line(Chip& chip, std::uint32_t n, const Engine::Blocked& b) {
  NeuronCore& core = chip.core(n);
  const std::string head = fmt::format("  {}[{}] {}", b.path, b.index, b.instruction);
  if (b.meeting != nullptr)
    return fmt::format("{} waits for {} on pipe {}; {}", head, chip.core(n ^ 1U).basename(), b.meeting->pipe,
                       attendants(chip.core(n ^ 1U), *b.meeting));
  if (!b.condition) return head + " waits for space in a DMA ring";
  return fmt::format("{} waits for semaphore {} {} {}, which is {}; {}", head, b.condition->semaphore,
                     b.condition->compare == sim::Compare::kGe ? ">=" : "==", b.condition->value, b.value,
                     raisers(core, b.condition->semaphore));
}

}  // namespace

void refuse_deadlock(const std::vector<Chip*>& chips, const MachineParams& params) {
  std::size_t blocked = 0;
  std::string lines;
  for (Chip* chip : chips) {
    for (std::uint32_t n = 0; n < params.chip.cores; ++n) {
      NeuronCore& core = chip->core(n);
      for (const auto& engine : core.engines()) {
        const auto b = engine->blocked();
        if (!b) continue;
        if (++blocked <= kMostLines) lines += "\n" + line(*chip, n, *b);
      }
      TAHOMA_INVARIANT(blocked > 0 || core.dma().idle(), std::string(core.name()) + ": a transfer is stuck");
    }
  }
  if (blocked == 0) return;
  if (blocked > kMostLines) lines += fmt::format("\n  and {} more", blocked - kMostLines);
  throw base::UserError(
      "E-RUN-051", fmt::format("at {:.3f} us", sim::now().ns() * 1e-3),
      fmt::format("no progress: {} engines wait for what nothing will bring about{}", blocked, lines),
      base::ExitStatus::kNoProgress);
}

}  // namespace tahoma::model
