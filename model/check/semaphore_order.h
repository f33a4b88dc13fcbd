// SPDX-License-Identifier: Apache-2.0
// Determines what a wait on one semaphore proves. A counting semaphore that several agents raise proves the
// completion of one of them only if the others alone cannot satisfy the wait. For example, with two transfers
// in flight, each of whose 16 DMA engines adds 1, a wait for 16 proves neither. A change counts from the
// moment at which it is certain: for a transfer, when its doorbell rings.
//
// Rules, for a wait >= v of a queue that knows (by its clock) some changes already:
//   - Change x is proven complete if everything that can happen without it adds up to less than v. That is
//     all other additions except those that start after x is complete and those that a DMA engine makes
//     behind x's share on the same ring, minus the subtractions that the queue knows of.
//   - Change x is proven to have begun if the same holds without any of x's shares. Then the queue knows what
//     was known at its doorbell.
//   - Changes that start only after all earlier ones are complete form a chain: proving one proves all
//   before.
//   - A wait == v proves the same, and likewise subtractions that must have happened.
//   - A set must come after the completion of every change so far, and after every wait that it would undo;
//     what follows must come after it. It starts a new count. A wait sees the new count if its queue knows
//     the set, or if no earlier count could have satisfied it.
//
// A later change that could have satisfied an earlier wait in place of the changes that the wait proved is
// reported, as is a set that is not ordered. Such a program depends on timing.
#pragma once

#include <optional>
#include <vector>

#include "model/check/origin.h"

namespace tahoma::model::check {

struct Change {
  Epoch point;        // its completion
  SharedClock start;  // what was complete when it started
  std::uint32_t amount = 0;
  std::uint32_t units = 1;  // 16: once per DMA engine
  bool in_order = true;     // each unit completes after the same unit of earlier members of the component
  Origin origin;

  std::uint64_t total() const { return std::uint64_t{amount} * units; }
  // Returns whether it starts only when x is complete.
  bool after(const Change& x) const;
};

struct Waiter {
  Origin origin;
  Knowledge& knowledge;
  std::int64_t value;
  bool equal;  // waits for exactly this value
};

// Receives semaphores whose meaning depends on timing.
struct SemaphoreWitness {
  // `waiter` relied on `counted`, but `also` could have satisfied it as well.
  virtual void ambiguous(const Origin& waiter, const Origin& counted, const Origin& also) = 0;
  // A set, and a change or a wait, without an order between them.
  virtual void unordered_set(const Origin& first, const Origin& second) = 0;

 protected:
  ~SemaphoreWitness() = default;
};

// The additions, or the subtractions, since the last set. Changes are kept in segments: all changes of one
// segment start after all of the earlier segments are complete.
class Changes {
 public:
  void add(Change change, SemaphoreWitness& witness);
  // The queue has seen at least `threshold` of these: merges what that proves.
  void prove(std::int64_t threshold, const Waiter& waiter);
  std::uint64_t total() const { return total_; }
  std::uint64_t known_to(const Clock& clock) const;
  // Returns a change, or a wait that the value `set.amount` would undo, that is not ordered before `set`;
  // null if none.
  const Origin* unordered_with(const Change& set) const;

  // Drops the segments at the front that every possible waiter knows: known(point) is true and remains true.
  template <class Known>
  void forget(Known&& known) {
    std::size_t done = 0;
    while (done < segments_.size() &&
           all_of(segments_[done], [&](const Change& x) { return known(x.point); }))
      ++done;
    if (done > 0) drop(done);
  }
  std::size_t size() const { return items_.size(); }

 private:
  struct Segment {
    std::size_t first;     // in items_
    std::uint64_t before;  // sum of all earlier ones
  };
  struct Proof {  // a wait that proved something
    Origin waiter;
    std::int64_t threshold, value;
    bool equal;
    SharedClock before;  // what its queue knew before
  };
  static constexpr std::size_t kMostCompared = 128;  // pairs are compared in segments up to this size

  std::size_t end_of(const Segment& s) const {
    return &s == &segments_.back() ? items_.size() : (&s + 1)->first;
  }
  template <class Predicate>
  bool all_of(const Segment& s, Predicate&& predicate) const {
    for (std::size_t i = s.first; i < end_of(s); ++i)
      if (!predicate(items_[i])) return false;
    return true;
  }
  struct Query {  // of one wait
    std::int64_t threshold;
    const Change* ignored = nullptr;  // has not happened
    const Origin* waiter = nullptr;   // changes that start after this wait have not happened either
  };
  static bool absent(const Change& y, const Query& query);
  bool complete(const Change& x, const Segment& s, const Query& query) const;
  bool begun(const Change& x, const Segment& s, const Query& query) const;
  void learn_segment(const Segment& s, std::int64_t threshold, Knowledge& knowledge) const;
  void doubt_forgotten(const Change& newcomer, SemaphoreWitness& witness) const;
  void doubt_proofs(const Segment& s, SemaphoreWitness& witness) const;
  void drop(std::size_t segments);

  std::vector<Change> items_;
  std::vector<Segment> segments_;
  std::vector<Proof> proofs_;
  std::vector<Change> forgotten_;          // the last segment dropped: every later change must come after it
  std::vector<Origin> forgotten_waiters_;  // the last dropped proof of each queue
  std::uint64_t total_ = 0, forgotten_total_ = 0;
};

class SemaphoreOrder {
 public:
  void change(isa::Update::Kind kind, Change change, SemaphoreWitness& witness);
  void wait(const Waiter& waiter, SemaphoreWitness& witness);

  template <class Known>
  void forget(Known&& known) {
    up_.forget(known);
    down_.forget(known);
    std::size_t past = 0;  // counts that no waiter can see
    while (past < older_.size() && known(next_set(past).point)) ++past;
    older_.erase(older_.begin(), older_.begin() + static_cast<std::ptrdiff_t>(past));
  }
  std::size_t size() const { return up_.size() + down_.size() + older_.size(); }

 private:
  struct OlderCount {
    std::optional<Change> set;  // the set that began it; none: the semaphore began at 0
    std::int64_t lowest, highest;
  };
  void set(Change change, SemaphoreWitness& witness);
  const Change& next_set(std::size_t older) const {
    return older + 1 < older_.size() ? *older_[older + 1].set : *set_;
  }
  bool older_count_satisfies(const Waiter& waiter) const;

  std::int64_t base_ = 0;
  std::optional<Change> set_;  // the set that began this count
  std::vector<OlderCount> older_;
  Changes up_, down_;
};

}  // namespace tahoma::model::check
