// SPDX-License-Identifier: Apache-2.0
#include "model/memory/dram/pseudo_channel.h"

#include <bit>
#include <tuple>

#include "model/base/error.h"

namespace tahoma::model::dram {

PseudoChannel::PseudoChannel(std::uint32_t index, const Surroundings& channel)
    : channel_(channel),
      timing_(channel.timing),
      index_(static_cast<std::uint8_t>(index)),
      phase_(slot_phase(timing_, index, channel.organisation.pseudo_channels)),
      slot_(timing_.column_slot),
      same_group_(std::max(slot_, slots(timing_.ccd_long))),
      other_stack_{slots(timing_.ccd_stack), slots(timing_.ccd_stack_write)},
      singly_(channel.policy.column_bus == ColumnBus::kArbitrated || holds()),
      held_(holds() ? channel.organisation.all_banks() : 0),
      queues_(banks_),
      refresh_(channel.organisation, channel.timing, channel.policy.refresh),
      rules_(channel.organisation, channel.timing, banks_) {}

void PseudoChannel::admit(std::uint32_t bank, Direction d, const Queued& segment, Tick now) {
  const bool first = queues_.list(bank, d).oldest == kNoSegment;
  queues_.push(bank, d, segment);
  if (waiting_[d]++ == 0 && d == mode_ && holding_ == 0) work_since_ = now;
  if (closes_rows() || !hits_first() || holds()) {
    row_stale_ = true;
    column_stale_ = true;
  } else if (d == mode_ && (refresh_.claimed() & bit(bank)) == 0) {
    consider_new(bank, first, now);
  }
}

// Updates the choice with the youngest segment of a bank.
void PseudoChannel::consider_new(std::uint32_t bank, bool alone, Tick now) {
  const BankList& list = queues_.list(bank, mode_);
  const Queued& segment = queues_.at(list.youngest);
  const std::uint32_t open = queues_.open_row(bank);
  if (open == segment.row) {
    if (list.hits > 1) return;
    consider_column(bank, now);
    if (!alone) row_stale_ = true;  // the row is needed again
  } else if (alone && open == kNoRow) {
    consider_opening(CommandKind::kActivate, bank, list.youngest, now);
  } else if (alone) {
    consider_opening(CommandKind::kPrecharge, bank, list.youngest, now);
  }
}

void PseudoChannel::serve(Direction mode, Tick now) {
  if (mode == mode_) return;
  mode_ = mode;
  if (holding_ == 0) work_since_ = now;
  row_stale_ = true;
  column_stale_ = true;
}

void PseudoChannel::claim_refresh() {
  refresh_.claim();
  row_stale_ = true;
  if ((queues_.with_hits(mode_) & refresh_.claimed()) != 0) column_stale_ = true;
}

void PseudoChannel::rest(Tick until) {
  const RefreshSchedule::Skipped skipped = refresh_.skip(until);
  channel_.tally.refreshes += skipped.commands;
  for (std::uint64_t open = queues_.open() & skipped.banks; open != 0; open &= open - 1) {
    queues_.closed(first_of(open));
    ++channel_.tally.precharges;
  }
  if (skipped.commands == 0) return;
  row_stale_ = true;
  column_stale_ = true;
}

void PseudoChannel::find_row(Tick at_least) {
  row_stale_ = false;
  row_.at = kNoTick;
  consider_segments(at_least);
  if (closes_rows()) consider_idle_rows(at_least);
  segments_at_ = row_.at;
  if (refresh_.claimed() == 0) return;
  const RefreshStep refresh = next_refresh(at_least);
  if (refresh.at <= row_.at && refresh.at != kNoTick)
    row_ = {refresh.at, 0, refresh.bank, CommandKind::kRefreshBank, refresh.bank};
}

// Keeps the step that may go first; among equal times the most urgent, then the oldest.
inline void PseudoChannel::consider(const RowStep& step) {
  if (step.at > row_.at) return;
  if (step.at == row_.at && std::tie(step.urgency, step.age) >= std::tie(row_.urgency, row_.age)) return;
  row_ = step;
}

RefreshStep PseudoChannel::next_refresh(Tick bus_free) const {
  if (refresh_.by_stack()) return next_refresh_of_stacks(bus_free);
  RefreshStep step;
  for (std::uint64_t left = refresh_.claimed() & ~holding_; left != 0; left &= left - 1) {
    const std::uint32_t bank = first_of(left);
    const bool open = (queues_.open() & bit(bank)) != 0;
    const Tick at = std::max(bus_free, open ? rules_.precharge(bank) : rules_.refresh_bank(bank));
    if (at < step.at) step = {at, bank};
  }
  return step;
}

RefreshStep PseudoChannel::next_refresh_of_stacks(Tick bus_free) const {
  RefreshStep step;
  for (std::uint64_t left = refresh_.claimed(); left != 0;) {
    const std::uint32_t bank = first_of(left);
    const std::uint64_t unit = refresh_.unit(bank);
    left &= ~unit;
    if ((holding_ & unit) != 0) continue;
    const std::uint64_t open = queues_.open() & unit;
    const Tick at = std::max(bus_free, open == 0 ? rules_.refresh_all(unit) : rules_.precharge_all(open));
    if (at < step.at) step = {at, bank};
  }
  return step;
}

void PseudoChannel::consider_segments(Tick at_least) {
  const std::uint64_t work = queues_.with_work(mode_) & ~refresh_.claimed();
  least_waiting_ = ~0U;
  for (std::uint64_t left = work & ~queues_.open(); left != 0; left &= left - 1) {
    const std::uint32_t bank = first_of(left);
    consider_opening(CommandKind::kActivate, bank, queues_.list(bank, mode_).oldest, at_least);
  }
  const std::uint64_t conflicts = work & queues_.open() & ~holding_ &
                                  (hits_first() ? ~queues_.with_hits(mode_) : queues_.with_older_miss(mode_));
  for (std::uint64_t left = conflicts; left != 0; left &= left - 1) {
    const std::uint32_t bank = first_of(left);
    consider_opening(CommandKind::kPrecharge, bank, queues_.list(bank, mode_).oldest, at_least);
  }
}

// Considers a command that prepares the row that a segment needs.
void PseudoChannel::consider_opening(CommandKind kind, std::uint32_t bank, QueueIndex segment,
                                     Tick at_least) {
  const Queued& s = queues_.at(segment);
  least_waiting_ = std::min<std::uint32_t>(least_waiting_, s.left);
  const Tick earliest = kind == CommandKind::kActivate ? rules_.activate(bank) : rules_.precharge(bank);
  const Tick at = std::max(earliest, at_least);
  segments_at_ = std::min(segments_at_, at);
  consider({at, 1, s.age, kind, bank});
}

void PseudoChannel::consider_idle_rows(Tick at_least) {
  const std::uint64_t work = queues_.with_work(kReading) | queues_.with_work(kWriting) | holding_;
  for (std::uint64_t left = queues_.open() & ~work & ~refresh_.claimed(); left != 0; left &= left - 1) {
    const std::uint32_t bank = first_of(left);
    const Tick stale = rules_.last_column(bank) + channel_.policy.page_timeout;
    consider({std::max({rules_.precharge(bank), stale, at_least}), 2, bank, CommandKind::kPrecharge, bank});
  }
}

// An activate for the oldest segment of the bank.
void PseudoChannel::activated(const RowStep& step) {
  const std::uint64_t unit = bit(step.bank);
  rules_.activated(step.bank, step.at);
  queues_.opened(step.bank, queues_.at(queues_.list(step.bank, mode_).oldest).row);
  fresh_ |= unit;
  fresh_conflict_ = (fresh_conflict_ & ~unit) | (conflict_ & unit);
  conflict_ &= ~unit;
  ++channel_.tally.activates;
}

// The segment for which the bank has opened its row leaves its queue. As the oldest of the bank it is the
// first hit.
const Queued* PseudoChannel::hold(std::uint32_t bank) {
  held_[bank] = {served(bank), mode_};
  holding_ |= bit(bank);
  queues_.pop(bank, mode_);
  column_stale_ = true;
  return &held_[bank].segment;
}

void PseudoChannel::close(std::uint64_t banks, Tick at) {
  for (; banks != 0; banks &= banks - 1) {
    rules_.precharged(first_of(banks), at);
    queues_.closed(first_of(banks));
    ++channel_.tally.precharges;
  }
}

void PseudoChannel::log_row(CommandKind kind, Tick at, std::uint32_t bank, std::uint32_t row) const {
  if (channel_.log == nullptr) return;
  channel_.log->command({at, kind, index_, static_cast<std::uint8_t>(bank), row, 1, 0});
}

// Closes the open banks or, if there are none, refreshes.
void PseudoChannel::issue_refresh(const RefreshStep& step) {
  row_stale_ = true;
  const bool by_stack = refresh_.by_stack();
  const std::uint64_t unit = refresh_.unit(step.bank), open = queues_.open() & unit;
  if (open != 0) {
    log_row(by_stack ? CommandKind::kPrechargeAll : CommandKind::kPrecharge, step.at, step.bank);
    return close(open, step.at);
  }
  log_row(by_stack ? CommandKind::kRefreshAll : CommandKind::kRefreshBank, step.at, step.bank);
  for (std::uint64_t left = unit; left != 0; left &= left - 1)
    rules_.refreshed(first_of(left), step.at, refresh_.takes());
  refresh_.refreshed(unit, step.at);
  refreshed_ |= unit;
  ++channel_.tally.refreshes;
}

RowIssued PseudoChannel::issue_row() {
  const RowStep step = row_;
  row_stale_ = true;
  if (!hits_first()) column_stale_ = true;
  if (step.urgency == 0) {
    issue_refresh({step.at, step.bank});
  } else if (step.kind == CommandKind::kPrecharge) {
    log_row(step.kind, step.at, step.bank);
    close(bit(step.bank), step.at);
    if (step.urgency == 1) conflict_ |= bit(step.bank);
  } else {
    activated(step);
    log_row(step.kind, step.at, step.bank, queues_.open_row(step.bank));
    if (holds()) return {timing_.activate_on_bus, hold(step.bank)};
    consider_column(step.bank, step.at);
    return {timing_.activate_on_bus, nullptr};
  }
  return {timing_.other_on_bus, nullptr};
}

}  // namespace tahoma::model::dram
