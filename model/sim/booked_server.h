// SPDX-License-Identifier: Apache-2.0
// A resource that serves bytes at a rate. Bytes are announced in advance, not always in order of arrival: a
// write is announced as soon as the arrival time of its data is known. The resource is work-conserving and
// never exceeds its rate. Bytes that are announced late use the time that earlier announcements left free.
#pragma once

#include "model/base/busy_series.h"
#include "model/sim/reservations.h"

namespace tahoma::sim {

class BookedServer {
 public:
  explicit BookedServer(base::Bandwidth rate) : rate_(rate) {}

  struct Slot {
    base::Time start, end;   // of its first and last byte
    base::Duration held{0};  // time between arrival and end without service
  };
  // Reserves service for `bytes` that arrive at `arrival`. `settled`: later announcements have no earlier
  // arrival; an arrival before it is treated as if it came then.
  Slot reserve(base::Time arrival, base::Bytes bytes, base::Time settled);

  base::Duration busy() const { return busy_; }
  base::Bandwidth rate() const { return rate_; }
  base::Series series() const { return series_.series(); }

 private:
  base::Bandwidth rate_;
  base::Duration busy_{0};
  base::Bytes last_bytes_{0};
  base::Duration last_time_{0};
  base::Time settled_{0};
  Reservations taken_;  // in femtoseconds
  base::BusySeries series_;
};

}  // namespace tahoma::sim
