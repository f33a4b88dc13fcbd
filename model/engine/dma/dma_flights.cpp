// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/dma_flights.h"

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::model {

using base::Duration, base::Time;

DmaFlights::DmaFlights(const DmaParams& params, FlightPool& pool)
    : overlap_(base::Clock(params.clock).length(params.read_overlap)),
      read_window_(params.read_window.count),
      pool_(pool),
      reads_(params.read_window, params.read_packets),
      writes_(params.write_window, params.write_packets) {}

DmaFlight& DmaFlights::issue(Time at, std::uint64_t bytes, Duration cost, Duration cold) {
  reads_.enter(at, bytes);
  DmaFlight& f = *flights_.push(pool_.take());
  f.bytes = bytes;
  f.tag = next_tag_++;
  f.first = f.last = at;
  f.cost = cost;
  f.cold = cold;
  unread_ += cost + cold;
  return f;
}

// Returns when the packet leaves the read window.
Time DmaFlights::lets_go(const DmaFlight& f, Time handed_on) const {
  if (f.bytes <= read_window_) return handed_on;
  const auto window = static_cast<std::int64_t>(read_window_), bytes = static_cast<std::int64_t>(f.bytes);
  return std::max(f.last, handed_on - Duration{f.cost.fs / bytes * window});
}

Time DmaFlights::youngest_needed() const {
  const DmaFlight& f = *flights_.back();
  return lets_go(f, std::max(f.first + f.cost + f.cold, passed_ + unread_) + overlap_);
}

void DmaFlights::have_read(std::uint32_t tag, Time first, Time last) {
  DmaFlight& f = at(tag);
  TAHOMA_INVARIANT(f.unanswered > 0, "a memory answers a read twice");
  --f.unanswered;
  f.first = std::max(f.first, first);
  f.last = std::max(f.last, last);
}

void DmaFlights::have_written(std::uint32_t tag, Duration held, Time at_time) {
  DmaFlight& f = at(tag);
  TAHOMA_INVARIANT(f.accepted == base::kNever, "a memory accepts a write twice");
  f.held = held;
  f.accepted = at_time;
}

// A packet starts when its first data have arrived and the engine has finished the previous one; it ends no
// earlier than its last data. The next one starts slightly before it has been read.
DmaFlight* DmaFlights::next_read() {
  if (read_ == flights_.size() || flights_[read_]->unanswered > 0) return nullptr;
  DmaFlight& f = *flights_[read_++];
  const Time idle = std::max(passed_, f.possible);
  f.start = std::max(f.first, passed_);
  f.blocked = std::clamp(f.unblocked - idle, Duration{0}, std::max(f.first - idle, Duration{0}));
  f.starved =
      std::max(f.first - idle, Duration{0}) - f.blocked + std::max(f.last - (f.start + f.cost), Duration{0});
  passed_ = std::max(f.start + f.cost, f.last) + f.cold;
  f.read = passed_ + overlap_;
  unread_ -= f.cost + f.cold;
  return &f;
}

DmaFlight* DmaFlights::next_handed_on() {
  if (handed_on_ == read_) return nullptr;
  DmaFlight& f = *flights_[handed_on_];
  const Time open = f.to_hbm ? writes_.open() : Time{0};
  if (open == base::kNever) return nullptr;
  gone_ = f.handed_on = std::max({f.read, gone_, open});
  if (f.to_hbm) {
    f.accepted = base::kNever;
    writes_.enter(f.handed_on, f.bytes);
  }
  reads_.leave(lets_go(f, f.handed_on));
  ++handed_on_;
  return &f;
}

DmaFlight* DmaFlights::oldest_over() {
  if (handed_on_ == 0 || flights_.front()->accepted == base::kNever) return nullptr;
  return flights_.front();
}

void DmaFlights::drop_oldest() {
  DmaFlight* f = flights_.front();
  if (f->to_hbm) writes_.leave(f->accepted);
  pool_.give(f);
  flights_.pop();
  --read_;
  --handed_on_;
}

}  // namespace tahoma::model
