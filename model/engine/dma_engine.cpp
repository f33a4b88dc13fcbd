// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma_engine.h"

#include <algorithm>
#include <bit>

#include "model/sim/time.h"

namespace tahoma::model {

using base::Time;

void DmaEngine::push(Transfer* transfer, const UnitRange& share, Time available) {
  const unsigned ring = transfer->request.ring;
  std::uint32_t index = free_share_;
  if (index == kNoShare) {
    index = static_cast<std::uint32_t>(shares_.size());
    shares_.emplace_back();
  } else {
    free_share_ = shares_[index].next;
  }
  shares_[index] = {transfer, available, share.first, share.last, 0, 0, kNoShare};
  if (witness_ != nullptr) witness_->pushed(index_, ring, shares_[index], sim::now());
  Ring& r = rings_[ring];
  (r.head == kNoShare ? r.head : shares_[r.tail].next) = index;
  r.tail = index;
  in_use_ |= 1U << ring;
  schedule();
}

void DmaEngine::pop_share(unsigned ring) {
  Ring& r = rings_[ring];
  const std::uint32_t index = r.head;
  r.head = shares_[index].next;
  if (r.head == kNoShare) in_use_ &= ~(1U << ring);
  shares_[index].next = free_share_;
  free_share_ = index;
}

void DmaEngine::schedule() {
  if (in_use_ == 0 || blocked_on_link_) return due_at(base::kNever, inject_at_);
  Time earliest = base::kNever;
  for (std::uint32_t left = in_use_; left != 0; left &= left - 1)
    earliest =
        std::min(earliest, shares_[rings_[static_cast<unsigned>(std::countr_zero(left))].head].available);
  due_at(std::max({earliest, free_at_, flights_.open(), sim::now()}), inject_at_);
}

void DmaEngine::act() {
  const Time t = sim::now();
  if (inject_at_ <= t) inject();
  if (step_at_ <= t) step();
}

// Round-robin over the rings whose head has come through its start-up.
Share* DmaEngine::next_share(Time t, unsigned& ring) {
  const std::uint32_t after = in_use_ & ~((2U << last_ring_) - 1);  // rings behind the last one first
  for (std::uint32_t part : {after, in_use_ & ~after}) {
    for (; part != 0; part &= part - 1) {
      ring = static_cast<unsigned>(std::countr_zero(part));
      Share& share = shares_[rings_[ring].head];
      if (share.available <= t) return &share;
    }
  }
  return nullptr;
}

void DmaEngine::step() {
  const Time t = sim::now();
  if (fabric_full()) {  // sent() goes on when the fabric has taken a packet
    blocked_on_link_ = true;
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
