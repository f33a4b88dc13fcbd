// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/ring_shares.h"

#include <algorithm>
#include <bit>

namespace tahoma::model {

using base::Time;

void RingShares::push(const Share& share) {
  const std::uint32_t index = pool_.take(share);
  const unsigned ring = share.transfer->request.ring;
  Ring& r = rings_[ring];
  if (r.head == SharePool::kNone) {
    r.head = index;
    r.available = share.available;
    r.service = share.transfer->request.service;
  } else {
    pool_[r.tail].next = index;
  }
  r.tail = index;
  in_use_ |= 1U << ring;
  if (share.transfer->far()) ++far_shares_;
  if (share.transfer->request.service > 0) ++served_shares_;
}

void RingShares::pop(unsigned ring) {
  Ring& r = rings_[ring];
  const std::uint32_t index = r.head;
  if (pool_[index].transfer->far()) --far_shares_;
  if (pool_[index].transfer->request.service > 0) --served_shares_;
  r.head = pool_[index].next;
  if (r.head == SharePool::kNone) {
    in_use_ &= ~(1U << ring);
  } else {
    r.available = pool_[r.head].available;
    r.service = pool_[r.head].transfer->request.service;
  }
  pool_.give(index);
}

Time RingShares::earliest() const {
  Time earliest = base::kNever;
  for (std::uint32_t left = in_use_; left != 0; left &= left - 1)
    earliest = std::min(earliest, rings_[static_cast<unsigned>(std::countr_zero(left))].available);
  return earliest;
}

Share* RingShares::next(Time t, unsigned& ring) {
  bool found = false;
  const std::uint32_t after = in_use_ & ~((2U << last_ring_) - 1);  // rings after the last one come first
  for (std::uint32_t part : {after, in_use_ & ~after}) {
    for (; part != 0; part &= part - 1) {
      const auto candidate = static_cast<unsigned>(std::countr_zero(part));
      if (rings_[candidate].available > t) continue;
      if (!found || rings_[candidate].service > rings_[ring].service) ring = candidate;
      found = true;
      if (served_shares_ == 0) break;  // all of one class
    }
    if (found && served_shares_ == 0) break;
  }
  return found ? &pool_[rings_[ring].head] : nullptr;
}

}  // namespace tahoma::model
