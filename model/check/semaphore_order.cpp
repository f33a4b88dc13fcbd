// SPDX-License-Identifier: Apache-2.0
#include "model/check/semaphore_order.h"

#include <algorithm>

namespace tahoma::model::check {

void SemaphoreOrder::change(isa::Update::Kind kind, Change change, SemaphoreWitness& witness) {
  if (kind == isa::Update::Kind::kSet) return set(std::move(change), witness);
  if (change.amount == 0) return;
  if (set_ && !change.after(*set_)) witness.unordered_set(set_->origin, change.origin);
  (kind == isa::Update::Kind::kSubtract ? down_ : up_).add(std::move(change), witness);
}

void SemaphoreOrder::set(Change change, SemaphoreWitness& witness) {
  const bool again = set_ && set_->amount == change.amount;
  if (again && up_.total() == 0 && down_.total() == 0 && change.after(*set_)) return;  // changes nothing
  if (set_ && !again && !change.after(*set_)) witness.unordered_set(set_->origin, change.origin);
  for (const Changes* list : {&up_, &down_})
    if (const Origin* other = list->unordered_with(change)) witness.unordered_set(*other, change.origin);
  older_.push_back({std::move(set_), base_ - static_cast<std::int64_t>(down_.total()),
                    base_ + static_cast<std::int64_t>(up_.total())});
  base_ = change.amount;
  up_ = {};
  down_ = {};
  set_ = std::move(change);
}

// The queue may observe any count unless it knows that the count has ended.
bool SemaphoreOrder::older_count_satisfies(const Waiter& waiter) const {
  for (std::size_t n = older_.size(); n-- > 0 && !waiter.knowledge.covers(next_set(n).point);) {
    const OlderCount& count = older_[n];
    if (waiter.value <= count.highest && (!waiter.equal || waiter.value >= count.lowest)) return true;
  }
  return false;
}

void SemaphoreOrder::wait(const Waiter& waiter, SemaphoreWitness& witness) {
  Knowledge& knowledge = waiter.knowledge;
  if (set_ && !knowledge.covers(set_->point)) {
    if (older_count_satisfies(waiter)) {
      const bool holds = waiter.equal ? waiter.value == base_ : waiter.value <= base_;
      if (!holds) witness.unordered_set(set_->origin, waiter.origin);
      return;
    }
    if (set_->units > 1)
      knowledge.learn(*set_->start);  // one share has arrived
    else
      knowledge.learn(set_->point, *set_->start);
  }
  const std::int64_t above = waiter.value - base_;
  up_.prove(above + static_cast<std::int64_t>(down_.known_to(knowledge.clock())), waiter);
  if (waiter.equal) down_.prove(static_cast<std::int64_t>(up_.known_to(knowledge.clock())) - above, waiter);
}

}  // namespace tahoma::model::check
