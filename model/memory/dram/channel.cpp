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
      lines_(policy),
      log_(log),
      settled_after_(refresh_settles(organisation, timing, policy.refresh)) {
  const PseudoChannel::Surroundings own{organisation, timing_, policy_, tally_, log};
  for (std::uint32_t p = 0; p < organisation.pseudo_channels; ++p) pseudo_[p].emplace(p, own);
}

void Channel::submit(const Segment& segment) {
  TAHOMA_INVARIANT(
      segment.accesses > 0 && segment.accesses <= (segment.write ? policy_.write_queue : policy_.read_queue),
      "a segment does not fit its queue");
  TAHOMA_INVARIANT(segment.arrival >= now_, "a segment arrives in the past");
  lines_.submit(segment);
}

bool Channel::has_room(bool write, std::uint32_t accesses) const {
  const RequestLines::Line& line = lines_[write ? kWriting : kReading];
  return line.waiting.empty() && line.room >= accesses;
}

bool Channel::write_surely_enters(std::uint32_t accesses) const {
  const RequestLines::Line& line = lines_[kWriting];
  return line.announced + accesses <= line.room;
}

void Channel::Location::fetch() const {
  dram::fetch(channel, channel + 1);
  for (std::size_t p = 0; p < pseudo_channels; ++p) (*(pseudo + p))->fetch_state();
}

void Channel::fetch() const {
  location().fetch();
  for (const Direction d : kDirections) {
    const sim::Fifo<Segment>& waiting = lines_[d].waiting;
    for (std::size_t n = 0; n < std::min<std::size_t>(waiting.size(), 8); ++n)
      pseudo_[waiting[n].pseudo]->fetch_bank(waiting[n].bank);
  }
  for (const auto& p : pseudo_) p->fetch_queued();
}

Tick Channel::passing_time(std::uint32_t accesses) const {
  return static_cast<Tick>(accesses - 1) * std::max(timing_.ccd_long, timing_.column_slot) + timing_.cl +
         timing_.burst;
}

Tick Channel::earliest_read_end() {
  Tick end = kNoTick;
  const RequestLines::Line& line = lines_[kReading];
  // A waiting request enters when released space becomes available. If no release is pending, it enters after
  // a queued segment ends, which the loop over `pseudo_` covers.
  const bool soon = line.queued == 0 || policy_.queue_exit == QueueExit::kActivate;  // with any activate
  const Tick room = soon ? now_ : lines_.next_release();
  for (std::size_t n = 0; n < line.waiting.size(); ++n) {
    const Segment& s = line.waiting[n];
    const Tick enters = s.arrival > now_ ? s.arrival : room;
    if (enters != kNoTick) end = std::min(end, enters + passing_time(s.accesses));
  }
  for (auto& p : pseudo_)
    end = std::min(end, p->earliest_read_end(now_, row_bus_free_) + timing_.cl + timing_.burst);
  return end;
}

bool Channel::idle() const { return held_ + lines_.queued() == 0 && !lines_.waiting(); }

// Time at which a segment arrives or space is released.
Tick Channel::next_change() const { return std::min(lines_.next_arrival(now_), lines_.next_release()); }

Tick Channel::next_command() {
  Tick next = kNoTick;
  for (auto& p : pseudo_) next = std::min(next, p->next(now_, row_bus_free_, column_bus_free_));
  return next;
}

// Only refreshes happen while there is no segment. They are counted instead of issued, unless a log is
// attached. The rules still process the last of them, which could affect an arrival.
void Channel::rest(Tick until) {
  if (log_ != nullptr || lines_.queued() + held_ > 0) return;
  const Tick past = std::min(until, lines_.next_arrival(now_)) - settled_after_;
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
  lines_.release(now_);
  for (const Direction d : kDirections) admit(d);
  lines_.choose_mode();
  for (auto& p : pseudo_) p->serve(lines_.mode(), now_);
}

void Channel::commands(Tick until) {
  for (auto& p : pseudo_)
    if (p->refresh_due() == now_) p->claim_refresh();
  row_command();
  if (policy_.column_bus == ColumnBus::kArbitrated) return arbitrate_columns(until);
  for (auto& p : pseudo_)
    if (p->next_column(now_, 0) == now_) column_commands(*p, until);
}

// One column command, of the pseudo-channel that goes first.
void Channel::arbitrate_columns(Tick until) {
  PseudoChannel* chosen = nullptr;
  for (auto& p : pseudo_)
    if (p->next_column(now_, column_bus_free_) == now_ &&
        (chosen == nullptr || p->column_rank() < chosen->column_rank()))
      chosen = &*p;
  if (chosen == nullptr) return;
  column_commands(*chosen, until);
  column_bus_free_ = now_ + timing_.column_slot;
}

void Channel::admit(Direction d) {
  while (lines_.may_enter(d, now_)) {
    const Segment& s = lines_[d].waiting.front();
    const auto accesses = static_cast<std::uint16_t>(s.accesses);
    pseudo_[s.pseudo]->admit(s.bank, d, {next_age_++, now_, 0, s.row, s.tag, accesses, accesses, 0, 0}, now_);
    if (d == kWriting) finished_.push_back({s.tag, true, now_, now_});
    lines_.enter(d);
  }
  std::uint32_t& most = d == kReading ? tally_.most_reads : tally_.most_writes;
  most = std::max(most, lines_[d].queued);
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
  if (chosen == nullptr) return;
  const RowIssued issued = chosen->issue_row();
  row_bus_free_ = now_ + issued.on_bus;
  if (issued.left == nullptr) return;
  ++held_;
  leaves(*issued.left, lines_.mode(), now_);
}

void Channel::column_commands(PseudoChannel& own, Tick until) {
  const PseudoChannel::Train train = own.start_train();
  if (train.single) return ended(own.issue(train, now_));
  Tick limit = own.fills_pins(train) ? mode_until(own, until) : foreseen(own, until);
  if (policy_.scheduler == Scheduler::kFrFcfs)  // any row command may close its row
    limit = std::min(limit, own.next_row(now_, row_bus_free_).at - 1);
  ended(own.issue(train, std::max(now_, limit)));
}

// Time until which the mode certainly stays while a segment of `own` is served: no write arrives, and no
// segment ends that leaves fewer than the threshold.
Tick Channel::mode_until(PseudoChannel& own, Tick until) {
  const RequestLines::Line &reads = lines_[kReading], &writes = lines_[kWriting];
  if (lines_.mode() == kReading)
    return writes.waiting.empty() ? until : std::min(until, writes.waiting.front().arrival - 1);
  if (reads.queued + reads.announced == 0) return until;
  if (reads.queued == 0) until = std::min(until, reads.waiting.front().arrival - 1);
  return std::min({until, lines_.next_release() - 1, next_end_beside(own)});
}

// Time until which no other segment can come between, by arrival, by released space, or by the end of a
// segment elsewhere, which admits another or switches the channel from writes to reads.
Tick Channel::foreseen(PseudoChannel& own, Tick until) {
  Tick limit = std::min({until, lines_.next_arrival(now_) - 1, lines_.next_release() - 1});
  if (!lines_.waiting() && (lines_.mode() == kReading || lines_[kReading].queued == 0)) return limit;
  return std::min(limit, next_end_beside(own));
}

Tick Channel::next_end_beside(PseudoChannel& own) {
  Tick next = kNoTick;
  for (auto& other : pseudo_) {
    if (&*other == &own) continue;
    other->next_row(now_, row_bus_free_);
    other->next_column(now_, 0);
    next = std::min(next, other->next_end());
  }
  return next;
}

// A segment leaves its queue with its command at `at`.
void Channel::leaves(const Queued& s, Direction direction, Tick at) {
  lines_.leave(direction, s.accesses, at);
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
