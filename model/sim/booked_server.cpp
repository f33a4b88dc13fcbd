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
  const auto [start, end] =
      taken_.reserve(from.fs, last_time_.fs, settled_.fs,
                     [this](std::int64_t begin, std::int64_t until) { series_.add({begin}, {until}); });
  TAHOMA_INVARIANT(end >= arrival.fs, "simulated time overflows");
  return {{start}, {end}, Time{end} - arrival - last_time_};
}

}  // namespace tahoma::sim
