// SPDX-License-Identifier: Apache-2.0
// The segments that wait for the queues of a channel, the space in its queues, and which queue it serves:
// channel.h defines the policy.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "model/memory/dram/bank_state.h"
#include "model/sim/fifo.h"

namespace tahoma::model::dram {

struct Segment {
  bool write = false;
  std::uint8_t pseudo = 0;
  std::uint8_t bank = 0;
  std::uint32_t row = 0;
  std::uint32_t accesses = 1;  // 1 to the smaller queue's size
  Tick arrival = 0;            // not before the last advance()
  std::uint32_t tag = 0;       // returned in Done
  std::uint32_t order = 0;     // the lower one goes first when two arrive in the same tick
};

// Inserts a value into a queue that is in order of before(), behind its equals. Returns its position.
template <class T, class Before>
std::size_t insert_in_order(sim::Fifo<T>& queue, const T& value, Before&& before) {
  queue.push(value);
  std::size_t n = queue.size() - 1;
  for (; n > 0 && before(value, queue[n - 1]); --n) queue[n] = queue[n - 1];
  queue[n] = value;
  return n;
}

class RequestLines {
 public:
  struct Line {                                         // one direction
    sim::Fifo<Segment> waiting;                         // in order of arrival
    Tick arrival = kNoTick;                             // of the first that waits
    std::uint32_t accesses = 0;                         // of the first that waits
    std::uint32_t queued = 0, room = 0, announced = 0;  // accesses; `announced` counts those that wait
    std::uint32_t released = 0;                         // of those queued, by releases to come
    bool may_enter(Tick now) const { return arrival <= now && accesses <= room; }
    bool blocked(Tick now) const { return arrival <= now && accesses > room; }
    void look_at_first() {
      arrival = waiting.empty() ? kNoTick : waiting.front().arrival;
      accesses = waiting.empty() ? 0 : waiting.front().accesses;
    }
  };

  explicit RequestLines(const Policy& policy) : policy_(policy) {
    lines_[kReading].room = policy.read_queue;
    lines_[kWriting].room = policy.write_queue;
  }

  void submit(const Segment& segment);
  // Removes the first segment from the line and takes its space.
  void enter(Direction d);
  // The segment leaves its queue with its command at `at`; its space is free from the next tick on.
  void leave(Direction d, std::uint32_t accesses, Tick at);
  // Applies the releases up to now.
  void release(Tick now) {
    if (first_release_ <= now) apply_releases(now);
  }
  void choose_mode();

  const Line& operator[](Direction d) const { return lines_[d]; }
  Direction mode() const { return mode_; }
  // A segment that has arrived and finds no space waits for a release.
  Tick next_arrival(Tick now) const;
  Tick next_release() const { return first_release_; }
  // The first release that may admit a segment or switch the mode. Others need not be applied before the next
  // change of the queues.
  Tick next_decisive_release() const;
  // Time at which a segment may enter its queue or the mode may change.
  Tick next_change(Tick now) {
    if (change_ == kUnknown) change_ = std::min(next_arrival(now), next_decisive_release());
    return change_;
  }
  std::uint32_t queued() const { return lines_[kReading].queued + lines_[kWriting].queued; }
  // Accesses of segments that are queued and have not had their last command.
  std::uint32_t unserved() const { return queued() - lines_[kReading].released - lines_[kWriting].released; }
  Tick last_release() const { return last_release_; }
  bool waiting() const { return !lines_[kReading].waiting.empty() || !lines_[kWriting].waiting.empty(); }

 private:
  struct Release {  // space that a segment releases
    Tick at = kNoTick;
    Direction direction = kReading;
    std::uint32_t accesses = 0;
  };
  static constexpr Tick kUnknown = -1;

  void apply_releases(Tick now);
  bool decides(const Release& release) const;

  const Policy& policy_;
  std::array<Line, 2> lines_;
  std::vector<Release> releases_;  // at most two for each pseudo-channel
  Tick first_release_ = kNoTick, last_release_ = 0, change_ = kUnknown;
  Direction mode_ = kReading;
};

}  // namespace tahoma::model::dram
