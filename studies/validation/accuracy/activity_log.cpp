// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/activity_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/table/table_names.h"
#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

[[noreturn]] void refuse_missing(const std::string& event, const std::string& reason) {
  throw base::UserError("E-ACC-012", event, "did not happen: " + reason, base::ExitStatus::kCheckFailed);
}

// Record `index` of `records`, counted from the end when negative.
template <class Record>
const Record& at(const std::vector<Record>& records, std::int64_t index, const std::string& event,
                 const std::string& owner) {
  const auto size = static_cast<std::int64_t>(records.size());
  if (index >= size || index < -size) refuse_missing(event, fmt::format("{} has {} of them", owner, size));
  return records[static_cast<std::size_t>(index < 0 ? index + size : index)];
}

// Inserts into `records` in the order of `time`; records of equal time stay in the order of arrival.
template <class Record>
void insert(std::vector<Record>& records, const Record& record, base::Time Record::*time) {
  const auto after = std::upper_bound(records.begin(), records.end(), record,
                                      [&](const Record& a, const Record& b) { return a.*time < b.*time; });
  records.insert(after, record);
}

}  // namespace

void ActivityLog::instruction(const base::InstructionActivity& activity) {
  if (activity.core == 0) instructions_.at(activity.queue).push_back(activity);
}

void ActivityLog::packet(const base::PacketActivity& activity) {
  if (activity.core == 0)
    insert(packets_[{activity.engine, activity.ring}], activity, &base::PacketActivity::start);
}

void ActivityLog::semaphore(const base::SemaphoreActivity& activity) {
  if (activity.core == 0)
    insert(semaphores_[activity.semaphore], activity, &base::SemaphoreActivity::visible);
}

base::Time ActivityLog::when(const Event& event) const {
  return std::visit([&](const auto& what) { return when(what, event.text); }, event.what);
}

base::Time ActivityLog::when(const InstructionEvent& event, const std::string& text) const {
  const auto& records = instructions_.at(static_cast<std::size_t>(event.queue));
  const std::string place = fmt::format("queue {} on core 0", isa::name_of(event.queue));
  const auto& record = at(records, event.index, text, place);
  constexpr std::array kTimes{&base::InstructionActivity::start, &base::InstructionActivity::next,
                              &base::InstructionActivity::complete};
  return record.*kTimes.at(static_cast<std::size_t>(event.moment));
}

base::Time ActivityLog::when(const PacketEvent& event, const std::string& text) const {
  static const std::vector<base::PacketActivity> none;
  const auto found = packets_.find({event.engine, event.ring});
  const std::string place = fmt::format("ring {} of DMA engine {} on core 0", event.ring, event.engine);
  const auto& record = at(found == packets_.end() ? none : found->second, event.index, text, place);
  constexpr std::array kTimes{&base::PacketActivity::start, &base::PacketActivity::read_done,
                              &base::PacketActivity::write_done};
  return record.*kTimes.at(static_cast<std::size_t>(event.moment));
}

base::Time ActivityLog::when(const SemaphoreEvent& event, const std::string& text) const {
  std::int64_t value = 0, most = 0;
  if (const auto found = semaphores_.find(event.semaphore); found != semaphores_.end()) {
    for (const base::SemaphoreActivity& change : found->second) {
      value = change.sets ? change.by : value + change.by;
      most = std::max(most, value);
      if (value >= event.at_least) return change.visible;
    }
  }
  refuse_missing(text, fmt::format("its largest value was {}", most));
}

}  // namespace tahoma::runtime
