// SPDX-License-Identifier: Apache-2.0
// The segments that wait for the queues of a channel, the space in its queues, and which queue it serves: channel.h defines the policy.
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

class RequestLines {
 public:
  struct Line {                                         // one direction
    sim::Fifo<Segment> waiting;                         // in order of arrival
    std::uint32_t queued = 0, room = 0, announced = 0;  // accesses; `announced` counts those that wait
  };

  explicit RequestLines(const Policy& policy) : policy_(policy) {
    lines_[kReading].room = policy.read_queue;
    lines_[kWriting].room = policy.write_queue;
  }

  void submit(const Segment& segment);
  // Whether the first waiting segment of a direction has arrived and fits.
  bool may_enter(Direction d, Tick now) const {
    const Line& line = lines_[d];
    return !line.waiting.empty() && line.waiting.front().arrival <= now &&
           line.waiting.front().accesses <= line.room;
  }
  // Removes it from the line and takes its space.
  void enter(Direction d);
  // The segment leaves its queue with its command at `at`; its space is free from the next tick on.
  void leave(Direction d, std::uint32_t accesses, Tick at) { releases_.push_back({at + 1, d, accesses}); }
  void release(Tick now);
  void choose_mode();

  const Line& operator[](Direction d) const { return lines_[d]; }
  Direction mode() const { return mode_; }
  // A segment that has arrived and finds no space waits for a release.
  Tick next_arrival(Tick now) const;
  Tick next_release() const {
    Tick next = kNoTick;
    for (const Release& r : releases_) next = std::min(next, r.at);
    return next;
  }
  std::uint32_t queued() const { return lines_[kReading].queued + lines_[kWriting].queued; }
  bool waiting() const { return !lines_[kReading].waiting.empty() || !lines_[kWriting].waiting.empty(); }

 private:
  struct Release {  // space that a segment releases
    Tick at = kNoTick;
    Direction direction = kReading;
    std::uint32_t accesses = 0;
  };

  const Policy& policy_;
  std::array<Line, 2> lines_;
  std::vector<Release> releases_;  // at most two for each pseudo-channel
  Direction mode_ = kReading;
};

}  // namespace tahoma::model::dram
