// SPDX-License-Identifier: Apache-2.0
#include "model/memory/scratchpad/shared_port.h"

#include <algorithm>

#include "model/sim/time.h"

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

// Port time that a stream of `length` needs within `overlap`.
std::int64_t portion(Duration needed, Duration overlap, Duration length) {
  return static_cast<std::int64_t>(static_cast<base::Int128>(needed.fs) * overlap.fs / length.fs);
}

}  // namespace

Duration SharedPort::reserve(unsigned user, base::Bytes bytes, Time from, Time until) {
  const Duration length = until - from, needed = rate_.time_for(bytes);
  if (length.fs <= 0) return {0};
  std::int64_t longer = std::max<std::int64_t>(0, needed.fs - length.fs);
  for (unsigned other = 0; other < sim::kSharers; ++other) {
    std::deque<Stream>& streams = streams_[other];
    while (!streams.empty() && streams.front().until <= sim::now()) streams.pop_front();
    if (other == user) continue;
    for (const Stream& s : streams) {
      const Duration overlap = std::min(until, s.until) - std::max(from, s.from);
      if (overlap.fs <= 0) continue;
      longer += std::max<std::int64_t>(
          0, portion(needed, overlap, length) + portion(s.needed, overlap, s.until - s.from) - overlap.fs);
    }
  }
  streams_.at(user).push_back({from, until + Duration{longer}, needed});
  return {longer};
}

}  // namespace tahoma::model
