// SPDX-License-Identifier: Apache-2.0
// A resource that serves bytes at a rate and is told of them ahead, not always in the order in which they
// arrive: a write is announced when it is known when its data will be there. Work-conserving and never above
// its rate: bytes that are announced late take the time that those announced before them left free.
#pragma once

#include <vector>

#include "model/base/busy_series.h"

namespace tahoma::sim {

class BookedServer {
 public:
  explicit BookedServer(base::Bandwidth rate) : rate_(rate) {}

  struct Slot {
    base::Time start, end;   // of its first and last byte
    base::Duration held{0};  // between arrival and end, not being served
  };
  // When `bytes` that arrive at `arrival` are served. `settled`: nothing arrives before it any more; what
  // does comes too late, and is taken as arriving then.
  Slot reserve(base::Time arrival, base::Bytes bytes, base::Time settled);

  base::Duration busy() const { return busy_; }
  base::Bandwidth rate() const { return rate_; }
  base::Series series() const { return series_.series(); }

 private:
  struct Span {
    base::Time start, end;
  };
  using Spans = std::vector<Span>;
  void take(Spans::iterator first, Spans::iterator behind, Span whole);

  base::Bandwidth rate_;
  base::Duration busy_{0};
  base::Bytes last_bytes_{0};
  base::Duration last_time_{0};
  base::Time settled_{0};
  Spans taken_;  // apart from each other and in order; those that are past are dropped
  base::BusySeries series_;
};

}  // namespace tahoma::sim
