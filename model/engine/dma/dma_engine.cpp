// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/dma_engine.h"

#include <algorithm>
#include <bit>

#include "model/sim/time.h"

namespace tahoma::model {

using base::Time;

void DmaEngine::push(const Share& share) {
  const std::uint32_t index = shares_.take(share);
  const unsigned ring = share.transfer->request.ring;
  Ring& r = rings_[ring];
  if (r.head == SharePool::kNone) {
    r.head = index;
    r.available = share.available;
  } else {
    shares_[r.tail].next = index;
  }
  r.tail = index;
  in_use_ |= 1U << ring;
  if (share.transfer->far) ++far_shares_;
  schedule();
}

void DmaEngine::pop_share(unsigned ring) {
  Ring& r = rings_[ring];
  const std::uint32_t index = r.head;
  if (shares_[index].transfer->far) --far_shares_;
  r.head = shares_[index].next;
  if (r.head == SharePool::kNone)
    in_use_ &= ~(1U << ring);
  else
    r.available = shares_[r.head].available;
  shares_.give(index);
}

void DmaEngine::schedule() {
  if (in_use_ == 0 || blocked_on_link()) return due_at(base::kNever, inject_at_);
  Time earliest = base::kNever;
  for (std::uint32_t left = in_use_; left != 0; left &= left - 1)
    earliest = std::min(earliest, rings_[static_cast<unsigned>(std::countr_zero(left))].available);
  due_at(std::max({earliest, free_at_, flights_.open(), sim::now()}), inject_at_);
}

void DmaEngine::act(Time horizon) {
  const Time now = sim::now();
  if (inject_at_ <= now) inject();
  if (step_at_ <= now) step(now);
  while (step_at_ > now && step_at_ <= horizon && looks_ahead()) step(step_at_);
}

// Round-robin over the rings whose head has completed its start-up.
Share* DmaEngine::next_share(Time t, unsigned& ring) {
  const std::uint32_t after = in_use_ & ~((2U << last_ring_) - 1);  // rings after the last one come first
  for (std::uint32_t part : {after, in_use_ & ~after}) {
    for (; part != 0; part &= part - 1) {
      ring = static_cast<unsigned>(std::countr_zero(part));
      if (rings_[ring].available <= t) return &shares_[rings_[ring].head];
    }
  }
  return nullptr;
}

void DmaEngine::step(Time t) {
  if (fabric_full()) {  // sent() resumes when the fabric has taken a packet
    blocked_ |= 1U << index_;
    blocked_since_ = t;
    return schedule();
  }
  unsigned ring = 0;
  Share* share = next_share(t, ring);
  if (share == nullptr || flights_.open() > t) return schedule();
  last_ring_ = ring;
  issue(*share, t);
  settle();
  schedule();
}

void DmaEngine::answered(sim::Payload& access) {
  note(access, sim::info_of(access));
  settle();
  schedule();
}

}  // namespace tahoma::model
