// SPDX-License-Identifier: Apache-2.0
#include "model/memory/dram/request_lines.h"

#include <tuple>

namespace tahoma::model::dram {

void RequestLines::submit(const Segment& segment) {
  Line& line = lines_[segment.write ? kWriting : kReading];
  const auto rank = [](const Segment& s) { return std::tie(s.arrival, s.order); };
  line.waiting.push(segment);
  for (std::size_t n = line.waiting.size() - 1; n > 0 && rank(line.waiting[n]) < rank(line.waiting[n - 1]);
       --n)
    std::swap(line.waiting[n], line.waiting[n - 1]);
  line.announced += segment.accesses;
}

void RequestLines::enter(Direction d) {
  Line& line = lines_[d];
  const std::uint32_t accesses = line.waiting.front().accesses;
  line.room -= accesses;
  line.announced -= accesses;
  line.queued += accesses;
  line.waiting.pop();
}

void RequestLines::release(Tick now) {
  for (std::size_t n = releases_.size(); n-- > 0;) {
    const Release r = releases_[n];
    if (r.at > now) continue;
    lines_[r.direction].queued -= r.accesses;
    lines_[r.direction].room += r.accesses;
    releases_[n] = releases_.back();
    releases_.pop_back();
  }
}

void RequestLines::choose_mode() {
  const std::uint32_t reads = lines_[kReading].queued, writes = lines_[kWriting].queued;
  if (mode_ == kReading && (writes > policy_.write_high || (reads == 0 && writes > 0)))
    mode_ = kWriting;
  else if (mode_ == kWriting && (writes == 0 || (writes < policy_.write_low && reads > 0)))
    mode_ = kReading;
}

Tick RequestLines::next_arrival(Tick now) const {
  Tick next = kNoTick;
  for (const Line& line : lines_) {
    if (line.waiting.empty()) continue;
    const Segment& first = line.waiting.front();
    if (first.arrival > now || first.accesses <= line.room)
      next = std::min(next, std::max(first.arrival, now));
  }
  return next;
}

}  // namespace tahoma::model::dram
