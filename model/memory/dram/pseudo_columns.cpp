// SPDX-License-Identifier: Apache-2.0
// Column commands of a pseudo-channel: which is next, how long a train of them runs, and how the
// pins were used.
#include <algorithm>

#include "model/memory/dram/pseudo_channel.h"

namespace tahoma::model::dram {

// A bank without a segment for its open row now has one.
void PseudoChannel::consider_column(std::uint32_t bank, Tick now) {
  if (column_stale_) return;
  const Tick at = slot_at_or_after(timing_, std::max(rules_.column(bank, mode_), now), phase_);
  if (at < column_.at || (at == column_.at && age_of(bank) < age_of(column_.bank)))
    column_ = {at, bank, false};
}

// Finds the first slot in which any segment may go. Among those that may, held ones go first, then the
// oldest.
void PseudoChannel::find_column(Tick now) {
  column_stale_ = false;
  column_ = ColumnStep{};
  if (holding_ != 0) find_held_column(now);
  const Direction mode = mode_;
  if (servable() == 0) return;
  const Tick first = slot_at_or_after(timing_, std::max(now, rules_.column_of_any(mode)), phase_);
  ColumnStep best = column_;
  std::uint64_t oldest = 0;
  for (std::uint64_t left = servable(); left != 0; left &= left - 1) {
    const std::uint32_t bank = first_of(left);
    const Tick ready = rules_.column(bank, mode);
    if (ready > best.at) continue;
    const Tick at = ready <= first ? first : slot_at_or_after(timing_, ready, phase_);
    if (at > best.at || (at == best.at && best.held)) continue;
    const std::uint64_t age = queues_.at(queues_.list(bank, mode).hit).age;
    if (at == best.at && age > oldest) continue;
    best = {at, bank, false};
    oldest = age;
  }
  column_ = best;
}

void PseudoChannel::find_held_column(Tick now) {
  std::uint64_t oldest = 0;
  for (std::uint64_t left = holding_; left != 0; left &= left - 1) {
    const std::uint32_t bank = first_of(left);
    const Held& h = held_[bank];
    const Tick at = slot_at_or_after(timing_, std::max(rules_.column(bank, h.direction), now), phase_);
    if (at > column_.at || (at == column_.at && h.segment.age > oldest)) continue;
    column_ = {at, bank, true};
    oldest = h.segment.age;
  }
}

// Returns a lower bound on the remaining accesses of the segments that column commands can serve.
std::uint32_t PseudoChannel::least_left() const {
  std::uint32_t least = ~0U;
  for (std::uint64_t left = holding_; left != 0; left &= left - 1)
    least = std::min<std::uint32_t>(least, held_[first_of(left)].segment.left);
  for (std::uint64_t left = servable(); left != 0; left &= left - 1)
    least = std::min<std::uint32_t>(least, served(first_of(left)).left);
  return least;
}

// In each bank the oldest segment for a row ends before the others for that row.
Tick PseudoChannel::next_end() const {
  Tick end = kNoTick;
  if (column_.at != kNoTick) end = column_.at + static_cast<Tick>(least_left() - 1) * same_group_;
  if (row_.at == kNoTick) return end;
  Tick opening = kNoTick;
  if (least_waiting_ != ~0U) opening = static_cast<Tick>(least_waiting_ - 1) * same_group_;
  if (refresh_.claimed() != 0) opening = std::min(opening, refresh_.takes());
  if (opening == kNoTick) return end;
  return std::min(end, row_.at + opening + rcd_of(timing_, mode_));
}

Tick PseudoChannel::earliest_read_end(Tick now, Tick bus_free) {
  if (waiting_[kReading] == 0) return kNoTick;
  // While writes are served, the reads of open rows may continue at any time.
  if (mode_ == kWriting) return (queues_.with_hits(kReading) | holding_) != 0 ? now : now + timing_.rcd_read;
  next_row(now, bus_free);
  next_column(now, 0);
  return next_end();
}

PseudoChannel::Train PseudoChannel::start_train() {
  const ColumnStep step = column_;
  column_stale_ = true;
  account(step.bank, step.at, direction_of(step));
  Train train{step.bank, kNoBank, step.at, same_group_, false, step.held};
  train.single = singly_ || served(step.bank).left == 1;
  if (train.single) return train;
  train.second = partner(step);
  if (train.second != kNoBank) train.single = same_group_ != 2 * slot_;
  return train;
}

// Returns the oldest segment that may use the slot after the step.
std::uint32_t PseudoChannel::partner(const ColumnStep& step) const {
  if (timing_.ccd_short > slot_) return kNoBank;  // the slots are shorter than tCCD_S
  std::uint64_t may = servable() & ~bit(step.bank);
  if (may == 0) return kNoBank;
  if (same_group_ > slot_) may &= ~rules_.group(step.bank);
  if (other_stack_[mode_] > slot_) may &= rules_.stack(step.bank);
  std::uint64_t oldest = same_group_ > slot_ ? ~std::uint64_t{0} : age_of(step.bank);
  std::uint32_t partner = kNoBank;
  for (; may != 0; may &= may - 1) {
    const std::uint32_t bank = first_of(may);
    if (age_of(bank) > oldest || rules_.column(bank, mode_) > step.at + slot_) continue;
    oldest = age_of(bank);
    partner = bank;
  }
  return partner;
}

Ended PseudoChannel::issue(const Train& train, Tick limit) {
  const std::uint64_t banks = bit(train.first) | (train.second != kNoBank ? bit(train.second) : 0);
  const Tick until = std::min(limit, refresh_.due(banks) - 1);
  if (!hits_first()) row_stale_ = true;
  if (train.single || train.start + slot_ > until) return access(train.first, train.start, 1, 0, train.held);
  return run(train, undisturbed_until(train, until));
}

// Returns the time until which the policy keeps choosing this train: no other current segment can precede it.
Tick PseudoChannel::undisturbed_until(const Train& train, Tick limit) const {
  const bool pair = train.second != kNoBank;
  const Tick spacing = pair ? slot_ : train.period, apart = other_stack_[mode_];
  std::uint64_t others = queues_.with_work(mode_) & ~bit(train.first);
  if (pair) others &= ~bit(train.second);
  if (apart > spacing)
    others &= rules_.stack(train.first);  // the others never find the gap between stack IDs
  if (others == 0) return limit;
  const std::uint64_t first_age = age_of(train.first), second_age = pair ? age_of(train.second) : 0;
  const std::uint64_t ready = servable();
  const bool fills = fills_pins(train);
  Tick until = limit;
  for (; others != 0; others &= others - 1) {
    const std::uint32_t bank = first_of(others);
    const bool open = (ready & bit(bank)) != 0;
    const BankList& list = queues_.list(bank, mode_);
    const std::uint64_t age = queues_.at(open ? list.hit : list.oldest).age;
    // Segments younger than those that fill the pins have to wait.
    if (fills && age > first_age && (!pair || age > second_age)) continue;
    // So does a segment behind an older one of the same group, or behind an older one of the other stack ID.
    if (age > first_age && rules_.group_of(bank) == rules_.group_of(train.first)) continue;
    if (pair && age > second_age && rules_.group_of(bank) == rules_.group_of(train.second)) continue;
    if (age > first_age && apart == spacing && !pair && rules_.stack_of(bank) != rules_.stack_of(train.first))
      continue;
    const Tick first = open ? column_beside(bank, train) : opened_from(bank, train.start);
    until = std::min(until, std::max(train.start, first - 1));
  }
  return until;
}

// Earliest column command to another bank. The first command of a train to one bank delays it; between those
// to two it cannot be delayed.
Tick PseudoChannel::column_beside(std::uint32_t bank, const Train& train) const {
  const Tick earliest = rules_.column(bank, mode_);
  return train.second != kNoBank ? earliest
                                 : std::max(earliest, train.start + rules_.apart(bank, train.first, mode_));
}

// The train serves one bank, and its segment is older.
Tick PseudoChannel::undisturbed_by(const Segment& s, const Train& train) const {
  if (rules_.group_of(s.bank) == rules_.group_of(train.first)) return kNoTick;
  const bool other_stack = rules_.stack_of(s.bank) != rules_.stack_of(train.first);
  if (other_stack && other_stack_[mode_] >= train.period) return kNoTick;
  const bool open = queues_.open_row(s.bank) == s.row;
  const Tick ready = open ? column_beside(s.bank, train) : train.start + rcd_of(timing_, mode_);
  return std::max(train.start, std::max(ready, s.arrival) - 1);
}

// Earliest column command to a bank whose row is not open, or which waits for a refresh.
Tick PseudoChannel::opened_from(std::uint32_t bank, Tick now) const {
  if ((refresh_.claimed() & bit(bank)) != 0) return now + refresh_.takes();
  const bool closed = queues_.open_row(bank) == kNoRow;
  const Tick activate = closed ? rules_.activate(bank) : rules_.precharge(bank) + timing_.rp;
  return std::max(activate, now) + rcd_of(timing_, mode_);
}

Ended PseudoChannel::run(const Train& train, Tick limit) {
  const std::uint32_t left_first = served(train.first).left;
  const auto fitting = [&](Tick from, std::uint32_t most) {
    if (from > limit) return std::uint32_t{0};
    return static_cast<std::uint32_t>(std::min<Tick>((limit - from) / train.period + 1, most));
  };
  std::uint32_t firsts = fitting(train.start, left_first);
  if (train.second == kNoBank) {
    const Tick more = static_cast<Tick>(firsts - 1) * train.period;
    channel_.tally.bank += static_cast<Tick>(firsts - 1) * (train.period - timing_.burst);
    used_until_ += more;
    return access(train.first, train.start, firsts, train.period);
  }
  const Tick second = train.start + slot_;
  const std::uint32_t left_second = served(train.second).left;
  std::uint32_t seconds = fitting(second, left_second);
  // The train ends with the first segment that ends.
  if (firsts == left_first) seconds = std::min(seconds, firsts - 1);
  if (seconds == left_second) firsts = std::min(firsts, seconds);
  const Tick more = static_cast<Tick>(firsts + seconds - 1) * slot_;
  channel_.tally.bank += static_cast<Tick>(firsts + seconds - 1) * (slot_ - timing_.burst);
  used_until_ += more;
  if (seconds == 0) return access(train.first, train.start, firsts, train.period);
  if (firsts > seconds) {
    access(train.second, second, seconds, train.period);
    return access(train.first, train.start, firsts, train.period);
  }
  access(train.first, train.start, firsts, train.period);
  return access(train.second, second, seconds, train.period);
}

// Counts accesses to the open row: the first after its activate is a miss or a conflict.
void PseudoChannel::count_rows(std::uint32_t bank, std::uint32_t count) {
  Tally& tally = channel_.tally;
  tally.data += static_cast<Tick>(count) * timing_.burst;
  if ((fresh_ & bit(bank)) != 0) {
    ++(fresh_conflict_ & bit(bank) ? tally.row_conflicts : tally.row_misses);
    tally.row_hits += count - 1;
    fresh_ &= ~bit(bank);
  } else {
    tally.row_hits += count;
  }
}

Ended PseudoChannel::access(std::uint32_t bank, Tick first, std::uint32_t count, Tick spacing, bool held) {
  const Tick last = first + static_cast<Tick>(count - 1) * spacing;
  const Direction d = held ? held_[bank].direction : mode_;
  rules_.accessed(bank, d, last);
  Queued& segment = held ? held_[bank].segment : queues_.at(queues_.list(bank, d).hit);
  if (channel_.log != nullptr)
    channel_.log->command({first, d == kReading ? CommandKind::kRead : CommandKind::kWrite, index_,
                           static_cast<std::uint8_t>(bank), segment.row, count, spacing});
  (d == kReading ? channel_.tally.read_accesses : channel_.tally.write_accesses) += count;
  count_rows(bank, count);
  if (segment.left == segment.accesses) segment.first = first;
  segment.left = static_cast<std::uint16_t>(segment.left - count);
  last_ = d;
  turned_until_ = last + (d == kReading ? timing_.rtw : timing_.cwl + timing_.burst + timing_.wtr_long);
  Ended ended;
  if (segment.left > 0) return ended;
  ended = {&segment, last, d, held};
  --waiting_[d];
  if (held)
    holding_ &= ~bit(bank);
  else
    queues_.pop(bank, d);
  const BankList& rest = queues_.list(bank, mode_);
  if (closes_rows() || !hits_first() || holds())
    row_stale_ = true;
  else if (rest.hits == 0 && rest.oldest != kNoSegment)
    consider_opening(CommandKind::kPrecharge, bank, rest.oldest, last);
  return ended;
}

// Accounts for the pins' use since the last column command.
void PseudoChannel::account(std::uint32_t bank, Tick at, Direction direction) {
  Tally& tally = channel_.tally;
  const Tick waited_from = std::clamp(work_since_, used_until_, at);
  Tick lost = at - waited_from;
  const auto book = [&](Tick& kind, Tick from, Tick to) {
    const Tick share = std::clamp(std::min(to, at) - std::max(from, waited_from), Tick{0}, lost);
    kind += share;
    lost -= share;
  };
  if ((refreshed_ & bit(bank)) != 0) {
    refreshed_ &= ~bit(bank);
    book(tally.refresh, refresh_.claimed_at(bank), refresh_.ready_at(bank));
  }
  if (last_ != direction) book(tally.turnaround, waited_from, turned_until_);
  tally.bank += lost;
  used_until_ = at + timing_.burst;
}

}  // namespace tahoma::model::dram
