// SPDX-License-Identifier: Apache-2.0
// The queues of a channel: how segments enter and leave them, and which one is served.
#include <algorithm>
#include <tuple>

#include "model/base/error.h"
#include "model/memory/dram/channel.h"

namespace tahoma::model::dram {

void Channel::submit(const Segment& segment) {
  const Direction d = segment.write ? kWriting : kReading;
  TAHOMA_INVARIANT(
      segment.accesses > 0 && segment.accesses <= (segment.write ? policy_.write_queue : policy_.read_queue),
      "a segment does not fit its queue");
  TAHOMA_INVARIANT(segment.arrival >= now_, "a segment arrives in the past");
  auto& waiting = lines_[d].waiting;
  const auto rank = [](const Segment& s) { return std::tie(s.arrival, s.order); };
  waiting.push(segment);
  for (std::size_t n = waiting.size() - 1; n > 0 && rank(waiting[n]) < rank(waiting[n - 1]); --n)
    std::swap(waiting[n], waiting[n - 1]);
  lines_[d].announced += segment.accesses;
}

bool Channel::has_room(bool write, std::uint32_t accesses) const {
  const Line& line = lines_[write ? kWriting : kReading];
  return line.waiting.empty() && line.room >= accesses;
}

bool Channel::write_surely_enters(std::uint32_t accesses) const {
  const Line& line = lines_[kWriting];
  return line.announced + accesses <= line.room;
}

void Channel::release() {
  for (std::size_t n = releases_.size(); n-- > 0;) {
    const Release r = releases_[n];
    if (r.at > now_) continue;
    lines_[r.direction].queued -= r.accesses;
    lines_[r.direction].room += r.accesses;
    releases_[n] = releases_.back();
    releases_.pop_back();
  }
}

void Channel::admit(Direction d) {
  Line& line = lines_[d];
  while (!line.waiting.empty() && line.waiting.front().arrival <= now_ &&
         line.waiting.front().accesses <= line.room) {
    const Segment& s = line.waiting.front();
    const auto accesses = static_cast<std::uint16_t>(s.accesses);
    pseudo_[s.pseudo]->admit(s.bank, d, {next_age_++, now_, 0, s.row, s.tag, accesses, accesses, 0, 0}, now_);
    line.room -= s.accesses;
    line.announced -= s.accesses;
    line.queued += s.accesses;
    if (d == kWriting) finished_.push_back({s.tag, true, now_, now_});
    line.waiting.pop();
  }
  std::uint32_t& most = d == kReading ? tally_.most_reads : tally_.most_writes;
  most = std::max(most, line.queued);
}

void Channel::choose_mode() {
  const std::uint32_t reads = lines_[kReading].queued, writes = lines_[kWriting].queued;
  if (mode_ == kReading && (writes > policy_.write_high || (reads == 0 && writes > 0)))
    mode_ = kWriting;
  else if (mode_ == kWriting && (writes == 0 || (writes < policy_.write_low && reads > 0)))
    mode_ = kReading;
  for (auto& p : pseudo_) p->serve(mode_, now_);
}

// A segment leaves its queue with its command at `at`.
void Channel::leaves(const Queued& s, Direction direction, Tick at) {
  releases_.push_back({at + 1, direction, s.accesses});
  const std::uint64_t stayed = static_cast<std::uint64_t>(at + 1 - s.admitted) * s.accesses;
  (direction == kReading ? tally_.read_queue_ticks : tally_.write_queue_ticks) += stayed;
}

void Channel::ended(const Ended& e) {
  if (e.at == kNoTick) return;
  const Queued& s = e.segment;
  if (e.held)
    --held_;
  else
    leaves(s, e.direction, e.at);
  if (e.direction == kReading)
    finished_.push_back({s.tag, false, s.first + timing_.cl, e.at + timing_.cl + timing_.burst});
}

}  // namespace tahoma::model::dram
