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
      settled_after_(refresh_settles(organisation, timing, policy.refresh)),
      steady_(policy.scheduler == Scheduler::kFrFcfsRowHit && policy.page == PagePolicy::kOpen &&
              policy.queue_exit == QueueExit::kLastCommand) {
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

Channel::Due Channel::next_decisions() {
  Due due{lines_.next_change(now_)};
  for (auto& p : pseudo_) {
    due.refresh = std::min(due.refresh, p->refresh_due());
    due.row = std::min(due.row, p->next_row(now_, row_bus_free_).at);
    due.column = std::min(due.column, p->next_column(now_, column_bus_free_));
  }
  return due;
}

// Only refreshes happen while there is no segment. They are counted instead of issued, unless a log is
// attached. The rules still process the last of them, which could affect an arrival.
void Channel::rest(Tick until) {
  const Tick past = std::min(until, lines_.next_change(now_)) - settled_after_;
  for (auto& p : pseudo_)
    if (p->refresh_due() <= past && p->refresh_due() > lines_.last_release()) p->rest(past);
}

void Channel::advance(Tick until) {
  for (;;) {
    if (lines_.unserved() + held_ == 0 && log_ == nullptr) rest(until);
    const Due due = next_decisions();
    const Tick next = due.first();
    if (next > until) break;
    now_ = next;
    make_decisions(due, until);
  }
  now_ = std::max(now_, until);
  lines_.release(now_);
}

// Processes time now_ in the policy's order: first the queues, then the commands.
void Channel::make_decisions(const Due& due, Tick until) {
  const bool change = due.change == now_, refresh = due.refresh == now_;
  if (change) change_queues();
  if (refresh) claim_refreshes();
  if (change || refresh || due.row == now_) row_command(until);
  if (!change && due.column != now_) return;
  if (policy_.column_bus == ColumnBus::kArbitrated) return arbitrate_columns(until);
  for (auto& p : pseudo_)
    if (p->next_column(now_, 0) == now_) column_commands(*p, until);
}

void Channel::change_queues() {
  lines_.release(now_);
  for (const Direction d : kDirections) admit(d);
  lines_.choose_mode();
  for (auto& p : pseudo_) p->serve(lines_.mode(), now_);
}

void Channel::claim_refreshes() {
  for (auto& p : pseudo_)
    if (p->refresh_due() == now_) p->claim_refresh();
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
  while (lines_[d].may_enter(now_)) {
    const Segment& s = lines_[d].waiting.front();
    const auto accesses = static_cast<std::uint16_t>(s.accesses);
    pseudo_[s.pseudo]->admit(s.bank, d, {next_age_++, now_, 0, s.row, s.tag, accesses, accesses, 0, 0}, now_);
    if (d == kWriting) finished_.push_back({s.tag, true, now_, now_});
    lines_.enter(d);
  }
  std::uint32_t& most = d == kReading ? tally_.most_reads : tally_.most_writes;
  most = std::max(most, lines_[d].queued);
}

void Channel::row_command(Tick until) {
  if (row_bus_free_ > now_) return;
  PseudoChannel* chosen = nullptr;
  const RowStep* best = nullptr;
  for (auto& p : pseudo_) {
    const RowStep& step = p->next_row(now_, row_bus_free_);
    if (step.at > now_) continue;
    // Steps without an age are ordered by pseudo-channel.
    if (chosen != nullptr && (step.urgency > best->urgency ||
                              (step.urgency == best->urgency && (step.urgency != 1 || step.age > best->age))))
      continue;
    best = &step;
    chosen = &*p;
  }
  if (chosen == nullptr) return;
  const bool refresh = best->urgency == 0;
  const RowIssued issued = chosen->issue_row();
  row_bus_free_ = now_ + issued.on_bus;
  if (refresh && steady_) refresh_ahead(until);
  if (issued.left == nullptr) return;
  ++held_;
  leaves(*issued.left, lines_.mode(), now_);
}

// Issues the further commands of the refreshes in progress, as long as no segment can need the row bus: none
// arrives, ends or waits for its row. They affect no column command, so they can precede those of earlier
// times.
void Channel::refresh_ahead(Tick until) {
  Tick limit = std::min(until, lines_.next_change(now_) - 1);
  for (auto& p : pseudo_) {
    p->next_column(now_, 0);
    limit = std::min({limit, p->refresh_due() - 1, p->next_row_of_segments() - 1, p->next_end()});
  }
  for (;;) {
    PseudoChannel* chosen = nullptr;
    RefreshStep best;
    for (auto& p : pseudo_) {
      if (!p->refreshing()) continue;
      const RefreshStep step = p->next_refresh(row_bus_free_);
      if (step.at >= best.at) continue;
      best = step;
      chosen = &*p;
    }
    if (best.at > limit) return;
    chosen->issue_refresh(best);
    row_bus_free_ = best.at + timing_.other_on_bus;
  }
}

void Channel::column_commands(PseudoChannel& own, Tick until) {
  const PseudoChannel::Train train = own.start_train();
  if (train.single) return ended(own.issue(train, now_));
  Tick limit = mode_until(own, until);
  if (!own.fills_pins(train)) limit = arrivals_until(own, train, limit);
  if (policy_.scheduler == Scheduler::kFrFcfs)  // any row command may close its row
    limit = std::min(limit, own.next_row(now_, row_bus_free_).at - 1);
  ended(own.issue(train, std::max(now_, limit)));
}

// Time until which the mode certainly stays while a segment of `own` is served: no write arrives, and no
// segment ends that leaves fewer than the threshold.
Tick Channel::mode_until(PseudoChannel& own, Tick until) {
  const RequestLines::Line &reads = lines_[kReading], &writes = lines_[kWriting];
  if (lines_.mode() == kReading)
    return writes.queued + writes.announced <= policy_.write_high ? until
                                                                  : std::min(until, writes.arrival - 1);
  if (reads.queued == 0) return std::min(until, reads.arrival - 1);
  return std::min({until, lines_.next_decisive_release() - 1, next_end_beside(own)});
}

// Time until which no segment that waits or arrives can come between the commands of a train.
Tick Channel::arrivals_until(const PseudoChannel& own, const PseudoChannel::Train& train, Tick until) const {
  constexpr std::size_t kMost = 8;  // segments to consider
  const sim::Fifo<Segment>& waiting = lines_[lines_.mode()].waiting;
  for (std::size_t n = 0; n < waiting.size() && waiting[n].arrival <= until; ++n) {
    if (n == kMost) return std::min(until, waiting[n].arrival - 1);
    if (&*pseudo_[waiting[n].pseudo] == &own) until = std::min(until, own.undisturbed_by(waiting[n], train));
  }
  return until;
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
  lines_.release(now_);
  lines_.leave(direction, s.accesses, at);
  const std::uint64_t stayed = static_cast<std::uint64_t>(at + 1 - s.admitted) * s.accesses;
  (direction == kReading ? tally_.read_queue_ticks : tally_.write_queue_ticks) += stayed;
}

void Channel::ended(const Ended& e) {
  if (e.segment == nullptr) return;
  const Queued& s = *e.segment;
  if (e.held)
    --held_;
  else
    leaves(s, e.direction, e.at);
  if (e.direction == kReading)
    finished_.push_back({s.tag, false, s.first + timing_.cl, e.at + timing_.cl + timing_.burst});
}

}  // namespace tahoma::model::dram
