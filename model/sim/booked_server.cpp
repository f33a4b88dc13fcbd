// SPDX-License-Identifier: Apache-2.0
#include "model/sim/booked_server.h"

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::sim {

using base::Duration, base::Time;

BookedServer::Slot BookedServer::reserve(Time arrival, base::Bytes bytes, Time settled) {
  if (bytes != last_bytes_) {  // packets come in few sizes: avoid the 128-bit division
    last_bytes_ = bytes;
    last_time_ = rate_.time_for(bytes);
  }
  busy_ += last_time_;

  settled_ = std::max(settled_, settled);
  const Time from = std::max(arrival, settled_);
  auto span = taken_.begin();
  while (span != taken_.end() && span->end < settled_) ++span;
  span = taken_.erase(taken_.begin(), span);
  while (span != taken_.end() && span->end < from) ++span;

  // From the first free instant on, every gap is filled up to the end, and all spans touched merge into one.
  const bool joins = span != taken_.end() && span->start <= from;
  const auto first = span;
  const Time start = joins ? span->end : from;
  if (joins) ++span;
  Time at = start;
  Duration left = last_time_;
  for (; span != taken_.end() && span->start < at + left; ++span) {
    series_.add(at, span->start);
    left -= span->start - at;
    at = span->end;
  }
  const Time end = at + left;
  series_.add(at, end);
  TAHOMA_INVARIANT(end >= arrival, "simulated time overflows");
  if (last_time_.fs > 0) take(first, span, {joins ? first->start : start, end});
  return {start, end, end - arrival - last_time_};
}

// Replaces the spans [first, behind) by one that covers them, and merges the next one if it is adjacent.
void BookedServer::take(Spans::iterator first, Spans::iterator behind, Span whole) {
  if (behind != taken_.end() && behind->start == whole.end) whole.end = (behind++)->end;
  if (first == behind) {
    taken_.insert(first, whole);
    return;
  }
  *first = whole;
  taken_.erase(first + 1, behind);
}

}  // namespace tahoma::sim
