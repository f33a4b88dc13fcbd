// SPDX-License-Identifier: Apache-2.0
#include "model/memory/banks/write_level.h"

#include <algorithm>

namespace tahoma::model::dram {

void WriteLevel::leave(Tick until, bool idle) {
  if (leaves_ >= until) return;
  const std::uint32_t least = idle ? 0 : std::min(level_, policy_.write_low);
  const auto most = static_cast<std::uint32_t>(std::min<Tick>(level_, (until - leaves_) / pace_));
  level_ = std::max(least, level_ - most);
  leaves_ = level_ == least ? kNoTick : leaves_ + most * pace_;
}

Tick WriteLevel::enter(Tick arrival, std::uint32_t accesses, Tick reads_end) {
  const bool idle = reads_end < arrival;
  if (idle && level_ > 0 && leaves_ == kNoTick) leaves_ = std::max(reads_end, changed_) + first_;
  leave(arrival, idle);
  Tick enters = arrival;
  if (level_ + accesses > policy_.write_queue) {
    if (leaves_ == kNoTick) leaves_ = arrival + first_;
    const Tick space = level_ + accesses - policy_.write_queue;
    enters = std::max(arrival, leaves_ + space * pace_);
    leave(enters, true);
  }
  level_ += accesses;
  if (level_ > policy_.write_high && leaves_ == kNoTick) leaves_ = enters + first_;
  changed_ = std::max(changed_, enters);
  return enters;
}

}  // namespace tahoma::model::dram
