// SPDX-License-Identifier: Apache-2.0
// A resource that serves bytes at a rate, first come, first served. It is work-conserving and never exceeds
// its rate. Requests are made at kernel time and each reserves the next free interval.
#pragma once

#include <algorithm>

#include "model/base/busy_series.h"
#include "model/base/error.h"

namespace tahoma::sim {

class BandwidthServer {
 public:
  explicit BandwidthServer(base::Bandwidth rate) : rate_(rate) {}

  struct Slot {
    base::Time start, end;
  };
  // Reserves the interval in which `bytes` that arrive at `arrival` are served, after all
  // earlier reservations.
  Slot reserve(base::Time arrival, base::Bytes bytes) {
    const base::Time start = std::max(arrival, free_at_);
    if (bytes != last_bytes_) {  // packets come in few sizes: avoid the 128-bit division
      last_bytes_ = bytes;
      last_time_ = rate_.time_for(bytes);
    }
    return occupy(start, start + last_time_);
  }

  // Reserves an interval that the caller has computed, after all earlier reservations.
  Slot occupy(base::Time start, base::Time end) {
    TAHOMA_INVARIANT(start >= free_at_, "two uses of one resource overlap");
    TAHOMA_INVARIANT(end >= start, "simulated time overflows");
    free_at_ = end;
    busy_ += end - start;
    series_.add(start, end);
    return {start, end};
  }

  base::Time free_at() const { return free_at_; }
  base::Duration busy() const { return busy_; }
  base::Bandwidth rate() const { return rate_; }
  base::Series series() const { return series_.series(); }

 private:
  base::Bandwidth rate_;
  base::Time free_at_{0};
  base::Duration busy_{0};
  base::Bytes last_bytes_{0};
  base::Duration last_time_{0};
  base::BusySeries series_;
};

}  // namespace tahoma::sim
