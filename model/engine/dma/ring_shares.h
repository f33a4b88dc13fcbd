// SPDX-License-Identifier: Apache-2.0
// The shares of transfers that wait on the rings of one DMA engine. Each ring is in order; the engine serves
// the highest class of service first (documented of Trainium3: strict priority between queues; that a
// transfer states the class, and not the ring, is assumed) and the rings of one class round-robin.
#pragma once

#include <array>

#include "model/engine/dma/dma_share.h"

namespace tahoma::model {

inline constexpr unsigned kMostRings = 16;

class RingShares {
 public:
  explicit RingShares(SharePool& pool) : pool_(pool) {}

  void push(const Share& share);
  void pop(unsigned ring);  // its head
  // Returns the head with the highest class of service among those that have completed their start-up; of
  // several, that of the first ring after the last one served. Null if there is none.
  Share* next(base::Time t, unsigned& ring);
  void served(unsigned ring) { last_ring_ = ring; }
  bool empty() const { return in_use_ == 0; }
  bool any_far() const { return far_shares_ != 0; }  // of a transfer that touches another chip
  base::Time earliest() const;                       // when the first head has completed its start-up

 private:
  struct Ring {  // a list in pool_
    std::uint32_t head = SharePool::kNone, tail = SharePool::kNone;
    base::Time available{0};  // the head
    unsigned service = 0;     // likewise
  };
  std::uint32_t in_use_ = 0;  // bit per ring that holds a share
  std::uint32_t far_shares_ = 0;
  std::uint32_t served_shares_ = 0;  // of a class of service above 0
  unsigned last_ring_ = 0;
  SharePool& pool_;
  std::array<Ring, kMostRings> rings_;
};

}  // namespace tahoma::model
