// SPDX-License-Identifier: Apache-2.0
#include "model/memory/dram/channel.h"

#include <algorithm>
#include <tuple>

#include "model/base/error.h"

namespace tahoma::model::dram {

Channel::Channel(const Organisation& organisation, const Timing& timing, const Policy& policy,
                 CommandLog* log)
    : timing_(timing),
      policy_(policy),
      pseudo_(organisation.pseudo_channels),
      log_(log),
      settled_after_(refresh_settles(organisation, timing, policy.refresh)) {
  lines_[kReading].room = policy.read_queue;
  lines_[kWriting].room = policy.write_queue;
  const PseudoChannel::Surroundings own{organisation, timing_, policy_, tally_, log};
  for (std::uint32_t p = 0; p < organisation.pseudo_channels; ++p) pseudo_[p].emplace(p, own);
  releases_.reserve(pseudo_.size());
}

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

void Channel::Location::fetch() const {
  dram::fetch(channel, channel + 1);
  for (std::size_t p = 0; p < pseudo_channels; ++p) (*(pseudo + p))->fetch_state();
}

void Channel::fetch() const {
  location().fetch();
  for (const Line& line : lines_)
    for (std::size_t n = 0; n < std::min<std::size_t>(line.waiting.size(), 8); ++n)
      pseudo_[line.waiting[n].pseudo]->fetch_bank(line.waiting[n].bank);
  for (const auto& p : pseudo_) p->fetch_queued();
}

Tick Channel::passing_time(std::uint32_t accesses) const {
  return static_cast<Tick>(accesses - 1) * std::max(timing_.ccd_long, timing_.column_slot) + timing_.cl +
         timing_.burst;
}

Tick Channel::earliest_read_end() {
  Tick end = kNoTick;
  const Line& line = lines_[kReading];
  // A waiting request enters when released space becomes available. If no release is pending, it enters after
  // a queued segment ends, which the loop over `pseudo_` covers.
  const Tick room = line.queued == 0 ? now_ : next_release();
  for (std::size_t n = 0; n < line.waiting.size(); ++n) {
    const Segment& s = line.waiting[n];
    const Tick enters = s.arrival > now_ ? s.arrival : room;
    if (enters != kNoTick) end = std::min(end, enters + passing_time(s.accesses));
  }
  for (auto& p : pseudo_)
    end = std::min(end, p->earliest_read_end(now_, row_bus_free_) + timing_.cl + timing_.burst);
  return end;
}

// A request that has arrived and finds no space waits for a release.
Tick Channel::next_arrival() const {
  Tick next = kNoTick;
  for (const Line& line : lines_) {
    if (line.waiting.empty()) continue;
    const Segment& first = line.waiting.front();
    if (first.arrival > now_ || first.accesses <= line.room)
      next = std::min(next, std::max(first.arrival, now_));
  }
  return next;
}

bool Channel::idle() const {
  return std::all_of(lines_.begin(), lines_.end(),
                     [](const Line& line) { return line.queued == 0 && line.waiting.empty(); });
}

// Time at which a segment arrives or space is released.
Tick Channel::next_change() const { return std::min(next_arrival(), next_release()); }

Tick Channel::next_command() {
  Tick next = kNoTick;
  for (auto& p : pseudo_) next = std::min(next, p->next(now_, row_bus_free_));
  return next;
}

// Only refreshes happen while there is no segment. They are counted instead of issued, unless a log is
// attached. The rules still process the last of them, which could affect an arrival.
void Channel::rest(Tick until) {
  if (log_ != nullptr || lines_[kReading].queued + lines_[kWriting].queued > 0) return;
  const Tick past = std::min(until, next_arrival()) - settled_after_;
  for (auto& p : pseudo_)
    if (p->refresh_due() <= past) p->rest(past);
}

void Channel::advance(Tick until) {
  for (;;) {
    rest(until);
    const Tick change = next_change();
    const Tick next = std::min(change, next_command());
    if (next > until) break;
    now_ = next;
    if (change == next) change_queues();
    commands(until);
  }
  now_ = std::max(now_, until);
}

// Processes time now_ in the policy's order: first the queues, then the commands.
void Channel::change_queues() {
  release();
  for (const Direction d : kDirections) admit(d);
  choose_mode();
}

void Channel::commands(Tick until) {
  for (auto& p : pseudo_)
    if (p->refresh_due() == now_) p->claim_refresh();
  row_command();
  for (auto& p : pseudo_)
    if (p->next_column(now_) == now_) column_commands(*p, until);
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

void Channel::row_command() {
  PseudoChannel* chosen = nullptr;
  RowStep best;
  for (auto& p : pseudo_) {
    const RowStep& step = p->next_row(now_, row_bus_free_);
    if (step.at > now_) continue;
    if (chosen != nullptr && std::tie(step.urgency, step.age) >= std::tie(best.urgency, best.age)) continue;
    // Steps without an age are ordered by pseudo-channel.
    if (chosen != nullptr && step.urgency == best.urgency && step.urgency != 1) continue;
    best = step;
    chosen = &*p;
  }
  if (chosen != nullptr) row_bus_free_ = now_ + chosen->issue_row();
}

void Channel::column_commands(PseudoChannel& own, Tick until) {
  const PseudoChannel::Train train = own.start_train();
  Tick limit = own.fills_pins(train) ? mode_until(own, until) : foreseen(own, until);
  if (policy_.scheduler == Scheduler::kFrFcfs)  // any row command may close its row
    limit = std::min(limit, own.next_row(now_, row_bus_free_).at - 1);
  ended(own.issue(train, std::max(now_, limit)));
}

// Time until which the mode certainly stays while a segment of `own` is served: no write arrives, and no
// segment ends that leaves fewer than the threshold.
Tick Channel::mode_until(PseudoChannel& own, Tick until) {
  const Line &reads = lines_[kReading], &writes = lines_[kWriting];
  if (mode_ == kReading)
    return writes.waiting.empty() ? until : std::min(until, writes.waiting.front().arrival - 1);
  if (reads.queued + reads.announced == 0) return until;
  if (reads.queued == 0) until = std::min(until, reads.waiting.front().arrival - 1);
  return std::min({until, next_release() - 1, next_end_beside(own)});
}

// Time until which no other segment can come between, by arrival, by released space, or by the end of a
// segment elsewhere, which admits another or switches the channel from writes to reads.
Tick Channel::foreseen(PseudoChannel& own, Tick until) {
  Tick limit = std::min({until, next_arrival() - 1, next_release() - 1});
  const bool line = !lines_[kReading].waiting.empty() || !lines_[kWriting].waiting.empty();
  if (!line && (mode_ == kReading || lines_[kReading].queued == 0)) return limit;
  return std::min(limit, next_end_beside(own));
}

Tick Channel::next_release() const {
  Tick next = kNoTick;
  for (const Release& r : releases_) next = std::min(next, r.at);
  return next;
}

Tick Channel::next_end_beside(PseudoChannel& own) {
  Tick next = kNoTick;
  for (auto& other : pseudo_) {
    if (&*other == &own) continue;
    other->next_row(now_, row_bus_free_);
    other->next_column(now_);
    next = std::min(next, other->next_end());
  }
  return next;
}

void Channel::ended(const Ended& e) {
  if (e.at == kNoTick) return;
  const Queued& s = e.segment;
  releases_.push_back({e.at + 1, mode_, s.accesses});
  const std::uint64_t stayed = static_cast<std::uint64_t>(e.at + 1 - s.admitted) * s.accesses;
  (mode_ == kReading ? tally_.read_queue_ticks : tally_.write_queue_ticks) += stayed;
  if (mode_ == kReading)
    finished_.push_back({s.tag, false, s.first + timing_.cl, e.at + timing_.cl + timing_.burst});
}

}  // namespace tahoma::model::dram
