// SPDX-License-Identifier: Apache-2.0
#include "model/engine/sequencer/semaphore_wait.h"

#include <algorithm>
#include <utility>

namespace tahoma::model {

using base::Time;

Time SemaphoreWait::begin(const isa::Wait& wait, std::int64_t value, Time ready) {
  condition_.semaphore = wait.semaphore;
  condition_.compare = wait.kind == isa::Wait::Kind::kEq ? sim::Compare::kEq : sim::Compare::kGe;
  condition_.value = value;
  semaphores_->watch(condition_.semaphore, &engine_);
  waiting_ = true;
  return condition_.semaphore == own_change_ ? std::max(ready, own_change_visible_) : ready;
}

const std::optional<sim::Satisfied>& SemaphoreWait::find_satisfied(Time ready) {
  return satisfied_ = semaphores_->when(condition_, ready);
}

std::optional<sim::Satisfied> SemaphoreWait::end() {
  if (!waiting_) return std::nullopt;
  semaphores_->unwatch(condition_.semaphore, &engine_);
  waiting_ = false;
  return std::exchange(satisfied_, std::nullopt);
}

}  // namespace tahoma::model
