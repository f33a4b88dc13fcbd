// SPDX-License-Identifier: Apache-2.0
#include "model/engine/sequencer/in_order_completion.h"

#include <algorithm>

#include "model/engine/sequencer/semaphore_update.h"

namespace tahoma::model {

using base::Time;

void InOrderCompletion::add(const isa::Instruction& i, Time read, Time complete, std::uint64_t cause) {
  const Executor by = executor_of(i);
  read_value_ = std::max(read_value_, laws_.new_value(read, by));
  complete_value_ = std::max(complete_value_, laws_.new_value(complete, by));
  reach(complete);
  if (!changes_semaphore(i.update)) return;
  const Time new_value = visible(i.update);
  semaphores_->post(i.update.semaphore, change_of(i.update), i.update.value, new_value, raiser_, cause);
  meter_.effect_at(new_value);
}

void InOrderCompletion::reach(Time t) {
  last_ = std::max(last_, t);
  meter_.effect_at(last_);
}

}  // namespace tahoma::model
