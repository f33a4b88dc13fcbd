// SPDX-License-Identifier: Apache-2.0
// Tracks the packets that one DMA engine sends to this chip. Each lands exactly once, whatever the order in
// which the fabric delivers them and memories accept them. A packet's semaphore update is due when it and all
// packets before it have been written.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "model/base/error.h"
#include "model/sim/packet.h"

namespace tahoma::model {

class LandingOrder {
 public:
  // Packet `sequence` is in memory from `written` on. Calls due(notify, delay, when) for every notification
  // whose packets have all been written.
  template <class Due>
  void landed(const sim::PacketInfo& packet, base::Time written, Due&& due) {
    TAHOMA_INVARIANT(packet.sequence >= next_, "a packet has landed twice");
    if (packet.sequence != next_) {
      early_.push_back({packet.sequence, written, packet.notify, packet.notify_delay});
      return;
    }
    take(packet.notify, packet.notify_delay, written, due);
    for (auto found = expected(); found != early_.end(); found = expected()) {
      const Early early = *found;
      early_.erase(found);
      take(early.notify, early.delay, early.written, due);
    }
  }
  // Returns the number of landed packets; it equals the number sent when none is in flight.
  std::uint32_t count() const {
    TAHOMA_INVARIANT(early_.empty(), "a packet is missing among those that have landed");
    return next_;
  }

 private:
  struct Early {
    std::uint32_t sequence;
    base::Time written;
    std::optional<sim::Notify> notify;
    base::Duration delay;
  };
  std::vector<Early>::iterator expected() {
    return std::find_if(early_.begin(), early_.end(), [&](const Early& e) { return e.sequence == next_; });
  }
  template <class Due>
  void take(const std::optional<sim::Notify>& notify, base::Duration delay, base::Time written, Due&& due) {
    ++next_;
    written_ = std::max(written_, written);
    if (notify) due(*notify, delay, written_);
  }

  std::uint32_t next_ = 0;
  base::Time written_{0};
  std::vector<Early> early_;
};

}  // namespace tahoma::model
