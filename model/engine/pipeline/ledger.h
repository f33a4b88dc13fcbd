// SPDX-License-Identifier: Apache-2.0
// The account of an engine's time. A cursor moves along simulated time, and every stretch that it passes gets
// one stall reason, so the reasons add up to the elapsed time by construction.
#pragma once

#include <algorithm>
#include <span>

#include "model/base/activity.h"
#include "model/base/measurements.h"

namespace tahoma::model {

class Ledger {
 public:
  // From now on `timeline` receives every stretch as one of that engine; null for none.
  void report_to(base::TimelineObserver* timeline, std::uint32_t core, std::uint8_t queue) {
    timeline_ = timeline;
    core_ = core;
    queue_ = queue;
  }
  // Attributes the time from the cursor to `until`; does nothing if the cursor is already there.
  void account(base::Time until, base::StallReason name) {
    if (until <= cursor_) return;
    time_[static_cast<std::size_t>(name)] += until - cursor_;
    if (timeline_ != nullptr) timeline_->stretch({core_, queue_, name, cursor_, until});
    cursor_ = until;
  }
  // An instruction was in the engine from `start` to `end`: the vendor's *_active is the union of these.
  void active(base::Time start, base::Time end) {
    const base::Time from = std::max(start, active_until_);
    if (end > from) {
      active_ += end - from;
      active_until_ = end;
    }
    first_start_ = std::min(first_start_, start);
    last_end_ = std::max(last_end_, end);
  }
  base::Duration named(base::StallReason name) const { return time_[static_cast<std::size_t>(name)]; }
  std::span<const base::Duration> times() const { return time_; }
  base::Time cursor() const { return cursor_; }
  base::Time last_end() const { return last_end_; }

  void fill(base::EngineMeasurement& m) const {
    m.time = time_;
    m.active = active_;
    m.first_start = first_start_;
    m.last_end = last_end_;
  }

 private:
  base::Time cursor_{0}, active_until_{0}, first_start_ = base::kNever, last_end_{0};
  base::Duration active_{0};
  std::array<base::Duration, base::kStallReasons> time_{};
  base::TimelineObserver* timeline_ = nullptr;
  std::uint32_t core_ = 0;
  std::uint8_t queue_ = 0;
};

}  // namespace tahoma::model
