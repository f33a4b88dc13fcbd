// SPDX-License-Identifier: Apache-2.0
// Where an engine meets the others of its core in SBUF and PSUM.
#include <algorithm>

#include "model/engine/pipeline/engine.h"
#include "model/engine/pipeline/shared_use.h"

namespace tahoma::model {

using base::StallReason, base::Duration, base::Time;

// Engines that start at the same time on something shared ask for it in the order of their queues: each wakes
// as many femtoseconds late as its number says. Their times do not show it.
void Engine::wake_at(Time start) {
  const Duration turn{
      shares(sequencer_.current(), place_.kind, params_) ? static_cast<std::int64_t>(place_.queue) : 0};
  const Time at = std::max(start + turn, sim::now());
  late_ = std::min(at - start, turn);
  sim::notify_at(wake_, at);
}

// Others may have the same bank or use the same port meanwhile: then it streams longer.
Issue Engine::issue(const isa::Instruction& i, Time t) {
  pipeline_->decoded(ready_);
  Issue issue = pipeline_->issue(i, t, ledger_);
  if (!shares(i, place_.kind, params_)) return issue;
  const SharedUse use = shared_use(i, place_.kind, params_);
  const auto hold = [&](Duration longer, StallReason reason) {
    if (longer.fs != 0) issue = pipeline_->hold(issue, longer, reason, ledger_);
  };
  const auto user = static_cast<unsigned>(place_.queue);
  hold(banks->reserve(use.banks, user, issue.enter, issue.read), StallReason::kBankConflict);
  if (use.through_port.count != 0)
    hold(shared_port->reserve(user, use.through_port, issue.enter, issue.read), StallReason::kPortConflict);
  return issue;
}

}  // namespace tahoma::model
