// SPDX-License-Identifier: Apache-2.0
// Limits the packets that an engine has in flight. Packets enter and leave in order, and another may enter
// while the window holds fewer bytes and fewer packets than its bounds. A packet's departure may be reported
// in advance or much later.
#pragma once

#include <algorithm>

#include "model/base/units.h"
#include "model/sim/fifo.h"

namespace tahoma::model {

class DmaWindow {
 public:
  DmaWindow(base::Bytes bytes, std::uint64_t packets) : most_bytes_(bytes.count), most_packets_(packets) {}

  // Returns when another packet may enter; kNever while that depends on a packet whose departure is unknown.
  base::Time open() {
    while (full() && known_ > 0) drop();
    return full() ? base::kNever : open_;
  }
  // Enters a packet at a time not before open().
  void enter(base::Time at, std::uint64_t bytes) {
    while (known_ > 0 && held_.front().until <= at) drop();
    held_.push({base::kNever, bytes});
    bytes_ += bytes;
  }
  // The oldest packet with unknown departure leaves at `until`, or together with the one before it.
  void leave(base::Time until) {
    last_ = std::max(last_, until);
    held_[known_++].until = last_;
  }

 private:
  struct Held {
    base::Time until{0};
    std::uint64_t bytes = 0;
  };
  bool full() const { return held_.size() >= most_packets_ || bytes_ >= most_bytes_; }
  void drop() {
    open_ = held_.front().until;
    bytes_ -= held_.front().bytes;
    held_.pop();
    --known_;
  }

  std::uint64_t most_bytes_, most_packets_;
  std::uint64_t bytes_ = 0;
  std::size_t known_ = 0;  // number of oldest packets with known departure
  base::Time open_{0}, last_{0};
  sim::Fifo<Held, 8> held_;
};

}  // namespace tahoma::model
