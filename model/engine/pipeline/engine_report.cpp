// SPDX-License-Identifier: Apache-2.0
// The end of an engine's stream, and what it tells of itself afterwards.
#include <algorithm>

#include "isa/table/table.h"
#include "model/base/error.h"
#include "model/engine/pipeline/engine.h"

namespace tahoma::model {

using base::StallReason, base::Time;

void Engine::finish(Time ready) {
  last_complete_ = std::max(last_complete_, ready);
  meter_.effect_at(last_complete_);
  retire->something_ended();
}

std::optional<Engine::Blocked> Engine::blocked() {
  if (done()) return std::nullopt;
  const isa::Instruction& i = sequencer_.current();
  Blocked b{name(), std::string(isa::row_of(i.op).mnemonic), sequencer_.pc(), std::nullopt, 0, nullptr};
  if (rendezvous_) b.meeting = &i;
  if (watching_) {
    b.condition = condition_;
    b.value = semaphores->value(condition_.semaphore);
  }
  return b;
}

bool Engine::would_raise(unsigned semaphore) const {
  if (done()) return false;
  const auto raises = [&](const isa::Update& update) {
    return update.kind != isa::Update::Kind::kNone && update.semaphore == semaphore;
  };
  return std::any_of(stream().begin() + static_cast<std::ptrdiff_t>(sequencer_.pc()), stream().end(),
                     [&](const isa::Instruction& i) { return raises(i.update) || raises(i.read_update); });
}

bool Engine::would_meet(const isa::Instruction& other) const {
  if (done()) return false;
  return std::any_of(stream().begin() + static_cast<std::ptrdiff_t>(sequencer_.pc()), stream().end(),
                     [&](const isa::Instruction& i) { return i.op == other.op && i.pipe == other.pipe; });
}

base::EngineMeasurement Engine::measure(Time elapsed) {
  ledger_.account(last_complete_, StallReason::kDrain);
  ledger_.account(elapsed, StallReason::kIdle);
  TAHOMA_INVARIANT(ledger_.cursor() == elapsed, std::string(name()) + ": booked more time than has passed");
  base::EngineMeasurement m;
  m.instructions = activities_.executed();
  if (pipeline_) static_cast<base::ArrayCounts&>(m) = pipeline_->counted();
  m.path = name();
  m.kind = place_.kind;
  m.core = place_.core;
  ledger_.fill(m);
  return m;
}

}  // namespace tahoma::model
