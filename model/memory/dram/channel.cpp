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
  const bool soon = line.queued == 0 || policy_.queue_exit == QueueExit::kActivate;  // with any activate
  const Tick room = soon ? now_ : next_release();
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
  return held_ == 0 && std::all_of(lines_.begin(), lines_.end(),
                                   [](const Line& line) { return line.queued == 0 && line.waiting.empty(); });
}

// Time at which a segment arrives or space is released.
Tick Channel::next_change() const { return std::min(next_arrival(), next_release()); }

Tick Channel::next_command() {
  Tick next = kNoTick;
  for (auto& p : pseudo_) next = std::min(next, p->next(now_, row_bus_free_, column_bus_free_));
  return next;
}

// Only refreshes happen while there is no segment. They are counted instead of issued, unless a log is
// attached. The rules still process the last of them, which could affect an arrival.
void Channel::rest(Tick until) {
  if (log_ != nullptr || lines_[kReading].queued + lines_[kWriting].queued + held_ > 0) return;
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
  leaves(*issued.left, mode_, now_);
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
    other->next_column(now_, 0);
    next = std::min(next, other->next_end());
  }
  return next;
}

}  // namespace tahoma::model::dram
