// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/check/semaphore_order.h"

namespace tahoma::model::check {

namespace {

bool same_component(const Epoch& a, const Epoch& b) { return a.core == b.core && a.component == b.component; }

// Returns whether y starts only after this wait was satisfied.
bool after_wait(const Change& y, const Origin& w) {
  const bool same_queue = y.origin.core == w.core && y.origin.queue == w.queue;
  if (same_queue) return y.origin.position >= w.position;
  return y.start->covers({w.core, completion_of(static_cast<std::uint32_t>(w.queue)), w.position});
}

}  // namespace

bool Change::after(const Change& x) const {
  if (start->covers(x.point)) return true;
  // Instructions of one engine read in order and complete in order.
  const bool an_engine = x.point.component < completion_of(isa::kQueueCount);
  const bool in_order = same_component(point, x.point) || same_component(read_point(point), x.point);
  return an_engine && in_order && point.count > x.point.count;
}

bool Changes::absent(const Change& y, const Query& query) {
  return &y == query.ignored || (query.waiter != nullptr && after_wait(y, *query.waiter));
}

// Returns whether the others can reach the threshold before x is complete.
bool Changes::complete(const Change& x, const Segment& s, const Query& query) const {
  std::uint64_t sum = s.before;
  for (std::size_t i = s.first; i < end_of(s); ++i) {
    const Change& y = items_[i];
    if (absent(y, query)) continue;
    const bool behind = y.in_order && same_component(y.point, x.point) && y.point.count > x.point.count;
    if (&y == &x || (behind && y.units > 1))
      sum += y.total() - y.amount;  // all DMA engines except the one that has not completed x
    else if (!y.after(x))
      sum += y.total();
  }
  return static_cast<std::int64_t>(sum) < query.threshold;
}

bool Changes::begun(const Change& x, const Segment& s, const Query& query) const {
  std::uint64_t sum = s.before;
  for (std::size_t i = s.first; i < end_of(s); ++i) {
    const Change& y = items_[i];
    if (&y != &x && !absent(y, query) && !y.origin.follows(x.origin) && !y.after(x)) sum += y.total();
  }
  return static_cast<std::int64_t>(sum) < query.threshold;
}

void Changes::learn_segment(const Segment& s, std::int64_t threshold, Knowledge& knowledge) const {
  const std::size_t size = end_of(s) - s.first;
  const std::uint64_t end = &s == &segments_.back() ? total_ : (&s + 1)->before;
  const bool all = threshold >= static_cast<std::int64_t>(end);
  if (!all && size > kMostCompared) return;  // proves less than is possible
  for (std::size_t i = s.first; i < end_of(s); ++i) {
    const Change& x = items_[i];
    if (knowledge.covers(x.point)) continue;
    // A component that does not complete in order is known up to its first gap.
    const bool gap = !x.in_order && x.point.count > 1 &&
                     !knowledge.covers({x.point.core, x.point.component, x.point.count - 1});
    if (!gap && (all || complete(x, s, {threshold})))
      knowledge.learn(x.point, *x.start);
    else if (begun(x, s, {threshold}))
      knowledge.learn(*x.start);
  }
}

void Changes::prove(std::int64_t threshold, const Waiter& waiter) {
  if (threshold <= 0 || segments_.empty()) return;
  threshold = std::min(threshold, static_cast<std::int64_t>(total_));
  auto after = std::partition_point(segments_.begin(), segments_.end(), [&](const Segment& s) {
    return static_cast<std::int64_t>(s.before) < threshold;
  });
  if (after == segments_.begin()) return;  // every waiter knows already what it could prove
  const SharedClock before = waiter.knowledge.snapshot();
  learn_segment(*--after, threshold, waiter.knowledge);
  if (after != segments_.begin()) learn_segment(*(after - 1), INT64_MAX, waiter.knowledge);
  if (waiter.knowledge.snapshot() != before)
    proofs_.push_back({waiter.origin, threshold, waiter.value, waiter.equal, before});
}

void Changes::add(Change change, SemaphoreWitness& witness) {
  std::size_t first = segments_.size();
  while (first > 0 && !all_of(segments_[first - 1], [&](const Change& x) { return change.after(x); }))
    --first;
  if (first == 0) doubt_forgotten(change, witness);
  const bool joins = first < segments_.size();
  if (joins)
    segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(first) + 1, segments_.end());
  else
    segments_.push_back({items_.size(), total_});
  total_ += change.total();
  items_.push_back(std::move(change));
  if (joins) doubt_proofs(segments_.back(), witness);
}

// Forgotten changes have been proven to all waiters that are left.
void Changes::doubt_forgotten(const Change& newcomer, SemaphoreWitness& witness) const {
  for (const Change& x : forgotten_) {
    if (newcomer.after(x)) continue;
    for (const Origin& waiter : forgotten_waiters_)
      if (!after_wait(newcomer, waiter)) witness.ambiguous(waiter, x.origin, newcomer.origin);
  }
}

// The last change of the segment is new: finds what was proven without it.
void Changes::doubt_proofs(const Segment& s, SemaphoreWitness& witness) const {
  const Change& newcomer = items_.back();
  if (items_.size() - s.first > kMostCompared) return;
  for (const Proof& proof : proofs_) {
    if (proof.threshold <= static_cast<std::int64_t>(s.before) || after_wait(newcomer, proof.waiter))
      continue;
    for (std::size_t i = s.first; i + 1 < items_.size(); ++i) {
      const Change& x = items_[i];
      if (proof.before->covers(x.point)) continue;
      const Query then{proof.threshold, &newcomer, &proof.waiter},
          now{proof.threshold, nullptr, &proof.waiter};
      if ((!complete(x, s, then) || complete(x, s, now)) && (!begun(x, s, then) || begun(x, s, now)))
        continue;
      witness.ambiguous(proof.waiter, x.origin, newcomer.origin);
      break;
    }
  }
}

std::uint64_t Changes::known_to(const Clock& clock) const {
  std::uint64_t sum = forgotten_total_;
  for (const Change& x : items_)
    if (clock.covers(x.point)) sum += x.total();
  return sum;
}

const Origin* Changes::unordered_with(const Change& set) const {
  for (const std::vector<Change>* list : {&forgotten_, &items_})
    for (const Change& x : *list)
      if (!set.after(x)) return &x.origin;
  for (const Proof& proof : proofs_) {
    const bool holds = proof.equal ? set.amount == proof.value : set.amount >= proof.value;
    if (!holds && !after_wait(set, proof.waiter)) return &proof.waiter;
  }
  return nullptr;
}

void Changes::drop(std::size_t segments) {
  const bool all = segments == segments_.size();
  const std::size_t items = all ? items_.size() : segments_[segments].first;
  forgotten_.assign(items_.begin() + static_cast<std::ptrdiff_t>(segments_[segments - 1].first),
                    items_.begin() + static_cast<std::ptrdiff_t>(items));
  forgotten_total_ = all ? total_ : segments_[segments].before;
  items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(items));
  segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(segments));
  for (Segment& s : segments_) s.first -= items;
  std::erase_if(proofs_, [&](const Proof& p) {
    if (p.threshold > static_cast<std::int64_t>(forgotten_total_)) return false;
    const auto same =
        std::find_if(forgotten_waiters_.begin(), forgotten_waiters_.end(),
                     [&](const Origin& o) { return o.core == p.waiter.core && o.queue == p.waiter.queue; });
    (same == forgotten_waiters_.end() ? forgotten_waiters_.emplace_back() : *same) = p.waiter;
    return true;
  });
}

}  // namespace tahoma::model::check
