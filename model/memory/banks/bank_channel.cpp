// SPDX-License-Identifier: Apache-2.0
#include "model/memory/banks/bank_channel.h"

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::model::dram {

BankChannel::BankChannel(const Organisation& o, const Timing& timing, const Policy& policy)
    : organisation_(o),
      timing_(timing),
      policy_(policy),
      slot_(std::max(timing.column_slot, timing.ccd_short)),
      same_group_(std::max(slot_, slot_at_or_after(timing, timing.ccd_long, 0))),
      activate_slot_(std::max(timing.rrd_short, (timing.faw + 3) / 4)),
      ras_(std::max(timing.ras, timing.rc - timing.rp)),
      // A channel opens rows for the direction that it serves, so the first command waits for its row as well.
      to_read_(std::max(timing.cwl + timing.burst + timing.wtr_short, timing.rp + timing.rcd_read) - slot_),
      to_write_(std::max(timing.rtw, timing.rp + timing.rcd_write) - slot_),
      pseudo_(o.pseudo_channels),
      // A segment leaves with its last command: on average, half a train of a row after its first.
      level_(policy, std::max<Tick>(1, on_all_pins(1)),
             timing.rcd_write + (o.columns - 1) * same_group_ / 2) {
  TAHOMA_INVARIANT(o.stack_ids <= pseudo_.front().alone.size(), "more stack IDs than dram_check.cpp permits");
  for (Pseudo& p : pseudo_) {
    p.groups.resize(std::size_t{o.stack_ids} * o.groups);
    p.banks.resize(o.all_banks());
    if (policy.page != PagePolicy::kOpen) p.used.resize(o.all_banks());
    for (std::uint32_t bank = 0; bank < o.all_banks(); ++bank)
      p.banks[bank].refresh_due = first_refresh(bank);
  }
}

BankChannel::Passage BankChannel::pass(const Segment& s, Tick settled) {
  settle(settled);
  return s.write ? write(s) : read(s);
}

// Writes are issued in the past if no read has come in the meantime, and reads open their rows after them.
void BankChannel::settle(Tick settled) {
  if (!announced_.empty()) settled = std::min(settled, announced_.front().arrival);
  if (!pending_.empty()) settled = std::min(settled, std::max(reads_end_, pending_.front().arrival));
  if (written_ >= 0) settled = std::min(settled, written_);
  settled_ = std::max(settled_, settled);
}

BankChannel::Passage BankChannel::read(const Segment& s) {
  queue_writes(s.arrival);
  drain_idle(s.arrival, std::max(policy_.write_low, 1U) - 1);
  const Tick enters = enters_reads(s);
  Tick from = enters;
  if (written_ >= 0) {  // the row is opened after the last write
    turn(written_ + slot_, timing_.cwl + timing_.burst + timing_.wtr_short - slot_);
    from = std::max(from, written_ + 1);
    written_ = -1;
  }
  const Train train = access(s, kReading, from);
  reads_end_ = std::max(reads_end_, train.last + 1);
  insert_in_order(reading_, Leaving{train.last + 1, s.accesses},
                  [](const Leaving& one, const Leaving& other) { return one.at < other.at; });
  reading_accesses_ += s.accesses;
  tally_.most_reads = std::max(tally_.most_reads, reading_accesses_);
  tally_.read_queue_ticks += static_cast<std::uint64_t>(train.last + 1 - enters) * s.accesses;
  return {train.first + timing_.cl, train.last + timing_.cl + timing_.burst};
}

// When the read queue has space for a segment.
Tick BankChannel::enters_reads(const Segment& s) {
  Tick enters = s.arrival;
  while (!reading_.empty() &&
         (reading_.front().at <= enters || reading_accesses_ + s.accesses > policy_.read_queue)) {
    enters = std::max(enters, reading_.front().at);
    reading_accesses_ -= reading_.front().accesses;
    reading_.pop();
  }
  return enters;
}

// Its accesses are issued later, when the reads that arrive before are known.
BankChannel::Passage BankChannel::write(const Segment& s) {
  const Tick enters = level_.enter(s.arrival, s.accesses, reads_end_);
  Segment queued = s;
  queued.arrival = enters;
  insert_in_order(announced_, queued,
                  [](const Segment& one, const Segment& other) { return one.arrival < other.arrival; });
  return {enters, enters};
}

void BankChannel::queue_writes(Tick until) {
  while (!announced_.empty() && announced_.front().arrival <= until) {
    const Segment s = announced_.front();
    announced_.pop();
    drain_idle(s.arrival, policy_.write_queue);
    pending_.push(s);
    pending_accesses_ += s.accesses;
    tally_.most_writes = std::max(tally_.most_writes, std::min(pending_accesses_, policy_.write_queue));
    if (pending_accesses_ > policy_.write_high && reads_end_ > s.arrival) drain_full(s.arrival);
  }
}

// Issues the writes that were issued before `until` because no read was queued, and then more until no more
// than `most_left` accesses are left.
void BankChannel::drain_idle(Tick until, std::uint32_t most_left) {
  if (pending_.empty() || std::max(reads_end_, pending_.front().arrival) >= until) return;
  const Tick turns = written_ >= 0 ? 0 : std::max(Tick{0}, timing_.rtw - timing_.rcd_write);
  Tick at = reads_end_ + turns;
  while (!pending_.empty()) {
    at = std::max(at, pending_.front().arrival);
    if (at >= until && pending_accesses_ <= most_left) return;
    const Train train = issue_write(at);
    at = train.first;
    written_ = std::max(written_, train.last);
  }
}

// The reads that are queued have their times already, so the writes take the slots behind them.
void BankChannel::drain_full(Tick now) {
  turn(now, to_write_ + to_read_);
  while (!pending_.empty() && pending_accesses_ >= policy_.write_low) issue_write(now);
}

BankChannel::Train BankChannel::issue_write(Tick from) {
  const Segment s = pending_.front();
  pending_.pop();
  pending_accesses_ -= s.accesses;
  const Train train = access(s, kWriting, std::max(from, s.arrival));
  tally_.write_queue_ticks += static_cast<std::uint64_t>(train.last + 1 - s.arrival) * s.accesses;
  return train;
}

// The pins of all pseudo-channels turn.
void BankChannel::turn(Tick from, Tick takes) {
  for (Pseudo& p : pseudo_) p.columns.reserve(from, takes, settled_);
  tally_.turnaround += takes * organisation_.pseudo_channels;
}

BankChannel::Train BankChannel::access(const Segment& s, Direction d, Tick from) {
  Pseudo& p = pseudo_[s.pseudo];
  Bank& bank = p.banks[s.bank];
  const Tick closes = d == kReading ? timing_.rtp : timing_.cwl + timing_.burst + timing_.wr;
  Train whole{kNoTick, 0};
  for (std::uint32_t left = s.accesses; left > 0;) {
    const Tick at = open(p, s, d, from);
    const std::uint32_t count = before_refresh(bank, left, at);
    const Train train = take_columns(p, s.bank, count, at);
    if (!p.used.empty()) p.used[s.bank] = train.last;
    bank.ready = std::max(bank.ready, train.last + closes);
    whole.first = std::min(whole.first, train.first);
    whole.last = train.last;
    left -= count;
    from = std::max(train.last + 1, bank.refresh_due);
  }
  tally_.row_hits += s.accesses;
  (d == kReading ? tally_.read_accesses : tally_.write_accesses) += s.accesses;
  tally_.data += s.accesses * timing_.burst;
  return whole;
}

// A refresh that is due in the meantime comes between the accesses.
std::uint32_t BankChannel::before_refresh(const Bank& bank, std::uint32_t accesses, Tick from) const {
  if (bank.refresh_due <= from) return accesses;
  return static_cast<std::uint32_t>(
      std::min<Tick>(accesses, (bank.refresh_due - 1 - from) / same_group_ + 1));
}

BankChannel::Train BankChannel::take_columns(Pseudo& p, std::uint32_t bank, std::uint32_t accesses,
                                             Tick from) {
  const std::uint32_t group = bank / organisation_.banks, stack = group / organisation_.groups;
  Tick at = std::max(from, p.groups[group]);
  // A partner for the slots that a train leaves arrives while the read queue before it fills; later, there certainly is one.
  const Tick soon = at + on_all_pins(policy_.read_queue);
  for (std::uint32_t other = 0; other < organisation_.stack_ids; ++other)
    if (other != stack && p.alone[other].last >= at && p.alone[other].first <= soon)
      at = p.alone[other].last + same_group_;
  const auto slots = p.columns.reserve(at, accesses * slot_, settled_, [this](Tick start, Tick end) {
    taken_.push_back({start, end});
  });
  Train& alone = p.alone[stack];
  const bool shares = alone.last > at && alone.group != group && slots.start >= alone.first;
  Train train{shares ? std::max(at, alone.first + slot_) : slots.start, 0, group};
  train.last = std::max(slots.end - slot_, train.first + (accesses - 1) * same_group_);
  alone = shares ? Train{} : train;
  p.groups[group] = train.first + accesses * same_group_;
  tally_.bank += std::max(Tick{0}, slots.start - std::max(from, p.taken_until));
  p.taken_until = std::max(p.taken_until, slots.end);
  return train;
}

// Returns the time from which the row of the segment accepts column commands.
Tick BankChannel::open(Pseudo& p, const Segment& s, Direction d, Tick from) {
  Bank& bank = p.banks[s.bank];
  refresh(bank, s.bank, from);
  if (!p.used.empty()) close_idle(bank, p.used[s.bank], from);
  if (bank.row == s.row) return std::max(from, bank.activated + rcd_of(timing_, d));
  if (bank.row == kNoRow) {
    ++tally_.row_misses;
  } else {
    ++tally_.row_conflicts;
    ++tally_.precharges;
    bank.ready = std::max(from, bank.ready) + timing_.rp;
  }
  --tally_.row_hits;
  ++tally_.activates;
  const Tick at = p.activates.reserve(std::max(from, bank.ready), activate_slot_, settled_).start;
  bank.row = s.row;
  bank.activated = at;
  bank.ready = at + ras_;
  if (!p.used.empty()) p.used[s.bank] = at;
  return at + rcd_of(timing_, d);
}

// Applies the refreshes of the bank that are due by `now`.
void BankChannel::refresh(Bank& bank, std::uint32_t number, Tick now) {
  if (now < bank.refresh_due) return;
  const Tick due = bank.refresh_due + (now - bank.refresh_due) / timing_.refi * timing_.refi;
  bank.refresh_due = due + timing_.refi;
  const bool per_bank = policy_.refresh == Refresh::kPerBank;
  // The banks of the stack IDs follow each other.
  const Tick begins = due + (per_bank ? number / organisation_.banks_per_stack_id() * timing_.rrefd : 0);
  if (bank.row != kNoRow) {
    bank.ready = std::max(due, bank.ready) + timing_.rp;
    bank.row = kNoRow;
    ++tally_.precharges;
  }
  bank.ready = std::max(bank.ready, begins) + (per_bank ? timing_.rfc_bank : timing_.rfc_all);
}

void BankChannel::close_idle(Bank& bank, Tick used, Tick now) {
  if (bank.row == kNoRow) return;
  const Tick closes = std::max(bank.ready, used + policy_.page_timeout);
  if (closes > now) return;
  bank.row = kNoRow;
  bank.ready = closes + timing_.rp;
  ++tally_.precharges;
}

Tick BankChannel::first_refresh(std::uint32_t bank) const {
  if (policy_.refresh == Refresh::kNone) return kNoTick;
  if (policy_.refresh == Refresh::kAllBank) return timing_.refi;
  const std::uint32_t parts = organisation_.banks_per_stack_id();
  return (bank % parts + 1) * timing_.refi / parts;
}

std::uint64_t BankChannel::refreshes(Tick until) const {
  if (policy_.refresh == Refresh::kNone) return 0;
  const Tick parts = policy_.refresh == Refresh::kAllBank ? 1 : organisation_.banks_per_stack_id();
  const Tick turns = ((until + 1) * parts - 1) / timing_.refi;
  return static_cast<std::uint64_t>(turns) * organisation_.stack_ids * organisation_.pseudo_channels;
}

Tally BankChannel::finish(Tick until) {
  queue_writes(until);
  drain_idle(until, policy_.write_queue);
  Tally t = tally_;
  t.refreshes = refreshes(until);
  return t;
}

}  // namespace tahoma::model::dram
