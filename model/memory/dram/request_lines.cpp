// SPDX-License-Identifier: Apache-2.0
#include "model/memory/dram/request_lines.h"

namespace tahoma::model::dram {

void RequestLines::submit(const Segment& segment) {
  Line& line = lines_[segment.write ? kWriting : kReading];
  const auto earlier = [](const Segment& one, const Segment& other) {
    return one.arrival < other.arrival || (one.arrival == other.arrival && one.order < other.order);
  };
  const std::size_t n = insert_in_order(line.waiting, segment, earlier);
  line.announced += segment.accesses;
  if (n > 0) return;
  line.look_at_first();
  change_ = kUnknown;
}

void RequestLines::enter(Direction d) {
  Line& line = lines_[d];
  line.room -= line.accesses;
  line.announced -= line.accesses;
  line.queued += line.accesses;
  line.waiting.pop();
  line.look_at_first();
  change_ = kUnknown;
}

void RequestLines::leave(Direction d, std::uint32_t accesses, Tick at) {
  releases_.push_back({at + 1, d, accesses});
  lines_[d].released += accesses;
  first_release_ = std::min(first_release_, at + 1);
  last_release_ = std::max(last_release_, at + 1);
  change_ = kUnknown;
}

void RequestLines::apply_releases(Tick now) {
  first_release_ = kNoTick;
  for (std::size_t n = releases_.size(); n-- > 0;) {
    const Release r = releases_[n];
    if (r.at > now) {
      first_release_ = std::min(first_release_, r.at);
      continue;
    }
    lines_[r.direction].queued -= r.accesses;
    lines_[r.direction].room += r.accesses;
    lines_[r.direction].released -= r.accesses;
    releases_[n] = releases_.back();
    releases_.pop_back();
  }
  change_ = kUnknown;
}

void RequestLines::choose_mode() {
  const std::uint32_t reads = lines_[kReading].queued, writes = lines_[kWriting].queued;
  if (mode_ == kReading && (writes > policy_.write_high || (reads == 0 && writes > 0)))
    mode_ = kWriting;
  else if (mode_ == kWriting && (writes == 0 || (writes < policy_.write_low && reads > 0)))
    mode_ = kReading;
  change_ = kUnknown;
}

Tick RequestLines::next_arrival(Tick now) const {
  Tick next = kNoTick;
  for (const Line& line : lines_)
    if (!line.blocked(now)) next = std::min(next, std::max(line.arrival, now));
  return next;
}

// A segment that arrives later finds the space, and a mode that it switches is chosen then.
bool RequestLines::decides(const Release& r) const {
  const Line &reads = lines_[kReading], &writes = lines_[kWriting];
  if (lines_[r.direction].arrival <= r.at) return true;
  if (mode_ != r.direction) return false;
  if (mode_ == kReading) return writes.queued > 0 && reads.queued == reads.released;
  const std::uint32_t left = writes.queued - writes.released;
  return left == 0 || (left < policy_.write_low && reads.queued > 0);
}

Tick RequestLines::next_decisive_release() const {
  Tick next = kNoTick;
  for (const Release& r : releases_)
    if (r.at < next && decides(r)) next = r.at;
  return next;
}

}  // namespace tahoma::model::dram
