// SPDX-License-Identifier: Apache-2.0
#include "model/memory/banks/bank_channel.h"

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::model::dram {

BankChannel::BankChannel(const BankRules& rules)
    : rules_(rules),
      pseudo_(rules.organisation.pseudo_channels),
      // A segment leaves with its last command: on average, half a train of a row after its first.
      level_(rules.policy, std::max<Tick>(1, rules.on_all_pins(1)),
             rules.timing.rcd_write + (rules.organisation.columns - 1) * rules.same_group / 2) {
  const Organisation& o = rules.organisation;
  TAHOMA_INVARIANT(o.stack_ids <= pseudo_.front().alone.size(), "more stack IDs than dram_check.cpp permits");
  for (Pseudo& p : pseudo_) {
    p.groups.resize(std::size_t{o.stack_ids} * o.groups);
    p.banks.resize(o.all_banks());
    if (rules.policy.page != PagePolicy::kOpen) p.used.resize(o.all_banks());
    for (std::uint32_t bank = 0; bank < o.all_banks(); ++bank)
      p.banks[bank].refresh_due = first_refresh(bank);
  }
}

BankChannel::Passage BankChannel::pass(const Segment& s, Tick settled) {
  settle(settled);
  return s.write ? write(s) : read(s);
}

// Writes are issued in the past if no read has arrived in the meantime, and reads open their rows after them.
void BankChannel::settle(Tick settled) {
  if (!announced_.empty()) settled = std::min(settled, announced_.front().arrival);
  if (!pending_.empty()) settled = std::min(settled, std::max(reads_end_, pending_.front().arrival));
  if (written_ >= 0) settled = std::min(settled, written_);
  settled_ = std::max(settled_, settled);
}

BankChannel::Passage BankChannel::read(const Segment& s) {
  queue_writes(s.arrival);
  drain_idle(s.arrival, std::max(rules_.policy.write_low, 1U) - 1);
  const Tick enters = enters_reads(s);
  Tick from = enters;
  if (written_ >= 0) {  // the row is opened after the last write
    turn(written_ + rules_.slot,
         rules_.timing.cwl + rules_.timing.burst + rules_.timing.wtr_short - rules_.slot);
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
  return {train.first + rules_.timing.cl, train.last + rules_.timing.cl + rules_.timing.burst};
}

// Returns when the read queue has space for a segment.
Tick BankChannel::enters_reads(const Segment& s) {
  Tick enters = s.arrival;
  while (!reading_.empty() &&
         (reading_.front().at <= enters || reading_accesses_ + s.accesses > rules_.policy.read_queue)) {
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
    drain_idle(s.arrival, rules_.policy.write_queue);
    pending_.push(s);
    pending_accesses_ += s.accesses;
    tally_.most_writes = std::max(tally_.most_writes, std::min(pending_accesses_, rules_.policy.write_queue));
    if (pending_accesses_ > rules_.policy.write_high && reads_end_ > s.arrival) drain_full(s.arrival);
  }
}

// Issues the writes that were issued before `until` because no read was queued, and then more until no more
// than `most_left` accesses are left.
void BankChannel::drain_idle(Tick until, std::uint32_t most_left) {
  if (pending_.empty() || std::max(reads_end_, pending_.front().arrival) >= until) return;
  const Tick turns = written_ >= 0 ? 0 : std::max(Tick{0}, rules_.timing.rtw - rules_.timing.rcd_write);
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
  turn(now, rules_.to_write + rules_.to_read);
  while (!pending_.empty() && pending_accesses_ >= rules_.policy.write_low) issue_write(now);
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
  tally_.turnaround += takes * rules_.organisation.pseudo_channels;
}

BankChannel::Train BankChannel::access(const Segment& s, Direction d, Tick from) {
  Pseudo& p = pseudo_[s.pseudo];
  Bank& bank = p.banks[s.bank];
  const Tick closes =
      d == kReading ? rules_.timing.rtp : rules_.timing.cwl + rules_.timing.burst + rules_.timing.wr;
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
  tally_.data += s.accesses * rules_.timing.burst;
  return whole;
}

// A refresh that is due in the meantime comes between the accesses.
std::uint32_t BankChannel::before_refresh(const Bank& bank, std::uint32_t accesses, Tick from) const {
  const Tick room = bank.refresh_due - 1 - from;
  if (room < 0 || room >= (accesses - 1) * rules_.same_group) return accesses;
  return static_cast<std::uint32_t>(room / rules_.same_group + 1);
}

BankChannel::Train BankChannel::take_columns(Pseudo& p, std::uint32_t bank, std::uint32_t accesses,
                                             Tick from) {
  const std::uint32_t group = rules_.group_of(bank), stack = rules_.stack_of(group);
  Tick at = std::max(from, p.groups[group]);
  // A partner for the slots that a train leaves arrives while the read queue before it fills; later, there
  // certainly is one.
  const Tick soon = at + rules_.read_queue;
  for (std::uint32_t other = 0; other < rules_.organisation.stack_ids; ++other)
    if (other != stack && p.alone[other].last >= at && p.alone[other].first <= soon)
      at = p.alone[other].last + rules_.same_group;
  const auto slots = p.columns.reserve(at, accesses * rules_.slot, settled_, [this](Tick start, Tick end) {
    taken_.push_back({start, end});
  });
  Train& alone = p.alone[stack];
  const bool shares = alone.last > at && alone.group != group && slots.start >= alone.first;
  Train train{shares ? std::max(at, alone.first + rules_.slot) : slots.start, 0, group};
  train.last = std::max(slots.end - rules_.slot, train.first + (accesses - 1) * rules_.same_group);
  alone = shares ? Train{} : train;
  p.groups[group] = train.first + accesses * rules_.same_group;
  tally_.bank += std::max(Tick{0}, slots.start - std::max(from, p.taken_until));
  p.taken_until = std::max(p.taken_until, slots.end);
  return train;
}

// Returns the time from which the row of the segment accepts column commands.
Tick BankChannel::open(Pseudo& p, const Segment& s, Direction d, Tick from) {
  Bank& bank = p.banks[s.bank];
  refresh(bank, s.bank, from);
  if (!p.used.empty()) close_idle(bank, p.used[s.bank], from);
  if (bank.row == s.row) return std::max(from, bank.activated + rcd_of(rules_.timing, d));
  if (bank.row == kNoRow) {
    ++tally_.row_misses;
  } else {
    ++tally_.row_conflicts;
    ++tally_.precharges;
    bank.ready = std::max(from, bank.ready) + rules_.timing.rp;
  }
  --tally_.row_hits;
  ++tally_.activates;
  const Tick at = p.activates.reserve(std::max(from, bank.ready), rules_.activate_slot, settled_).start;
  bank.row = s.row;
  bank.activated = at;
  bank.ready = at + rules_.ras;
  if (!p.used.empty()) p.used[s.bank] = at;
  return at + rcd_of(rules_.timing, d);
}

// Applies the refreshes of the bank that are due by `now`.
void BankChannel::refresh(Bank& bank, std::uint32_t number, Tick now) {
  if (now < bank.refresh_due) return;
  const Tick due = bank.refresh_due + (now - bank.refresh_due) / rules_.timing.refi * rules_.timing.refi;
  bank.refresh_due = due + rules_.timing.refi;
  const bool per_bank = rules_.policy.refresh == Refresh::kPerBank;
  // The banks of the stack IDs follow each other.
  const Tick begins =
      due + (per_bank ? number / rules_.organisation.banks_per_stack_id() * rules_.timing.rrefd : 0);
  if (bank.row != kNoRow) {
    bank.ready = std::max(due, bank.ready) + rules_.timing.rp;
    bank.row = kNoRow;
    ++tally_.precharges;
  }
  bank.ready = std::max(bank.ready, begins) + (per_bank ? rules_.timing.rfc_bank : rules_.timing.rfc_all);
}

void BankChannel::close_idle(Bank& bank, Tick used, Tick now) {
  if (bank.row == kNoRow) return;
  const Tick closes = std::max(bank.ready, used + rules_.policy.page_timeout);
  if (closes > now) return;
  bank.row = kNoRow;
  bank.ready = closes + rules_.timing.rp;
  ++tally_.precharges;
}

Tick BankChannel::first_refresh(std::uint32_t bank) const {
  if (rules_.policy.refresh == Refresh::kNone) return kNoTick;
  const Timing& t = rules_.timing;
  const std::uint32_t parts =
      rules_.policy.refresh == Refresh::kAllBank ? 1 : rules_.organisation.banks_per_stack_id();
  const Tick due = (bank % parts + 1) * t.refi / parts - t.refresh_phase;
  return due > 0 ? due : due + t.refi;
}

std::uint64_t BankChannel::refreshes(Tick until) const {
  if (rules_.policy.refresh == Refresh::kNone) return 0;
  const Tick parts =
      rules_.policy.refresh == Refresh::kAllBank ? 1 : rules_.organisation.banks_per_stack_id();
  const Timing& t = rules_.timing;
  const Tick turns =
      refresh_turns(t, parts, until + t.refresh_phase) - refresh_turns(t, parts, t.refresh_phase);
  return static_cast<std::uint64_t>(turns) * rules_.organisation.stack_ids *
         rules_.organisation.pseudo_channels;
}

Tally BankChannel::finish(Tick until) {
  queue_writes(until);
  drain_idle(until, rules_.policy.write_queue);
  Tally t = tally_;
  t.refreshes = refreshes(until);
  return t;
}

}  // namespace tahoma::model::dram
