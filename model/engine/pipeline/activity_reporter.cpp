// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/activity_reporter.h"

#include <utility>

#include "model/base/cause.h"
#include "model/engine/sequencer/semaphore_update.h"

namespace tahoma::model {

using base::Time;

std::uint64_t ActivityReporter::cause() const {
  return base::make_cause(core_ * isa::kQueueCount + static_cast<std::size_t>(queue_), executed_);
}

void ActivityReporter::result(base::ResultActivity result) {
  result.core = core_;
  result.queue = static_cast<std::uint8_t>(queue_);
  result.index = static_cast<std::uint32_t>(sequencer_.pc());
  meter_.results->result(result);
}

void ActivityReporter::stored_word(const isa::Instruction& i, Time start) {
  const std::uint64_t at = sequencer_.word_access(i).pattern.offset;
  if (i.word.space == isa::Space::kHbm) return result({.start = start, .address = at});
  result({.start = start, .moved = static_cast<std::int64_t>(at - i.word.offset)});
}

void ActivityReporter::end(base::InstructionActivity activity) {
  const std::uint64_t released_by = std::exchange(released_by_, 0);
  if (meter_.observer != nullptr) report(activity, released_by);
  ++executed_;
  ++meter_.instructions;
}

void ActivityReporter::report(base::InstructionActivity& activity, std::uint64_t released_by) const {
  activity.core = core_;
  activity.queue = static_cast<std::uint8_t>(queue_);
  activity.index = static_cast<std::uint32_t>(sequencer_.pc());
  const isa::Instruction& i = sequencer_.current();
  if (changes_semaphore(i.update) || changes_semaphore(i.read_update)) activity.cause = cause();
  activity.released_by = released_by;
  activity.engine_time = ledger_.times();
  meter_.observer->instruction(activity);
}

}  // namespace tahoma::model
