// SPDX-License-Identifier: Apache-2.0
// The decisions of one pseudo-channel: which row command and which train of column commands come next, and
// when. Its channel (channel.h, which defines the policy) owns the time, the queue capacities, the mode
// and the row bus.
#pragma once

#include <utility>

#include "model/memory/dram/bank_queues.h"
#include "model/memory/dram/command.h"
#include "model/memory/dram/refresh.h"
#include "model/memory/dram/request_lines.h"
#include "model/memory/dram/rules.h"
#include "model/memory/dram/tally.h"

namespace tahoma::model::dram {

struct RowStep {
  Tick at = kNoTick;
  std::uint32_t urgency = 0;  // 0 refresh, 1 a segment, 2 a row that no segment needs
  std::uint64_t age = 0;      // of the segment; otherwise the bank's position
  CommandKind kind = CommandKind::kActivate;
  std::uint32_t bank = 0;
};

struct RefreshStep {  // a command for a refresh in progress
  Tick at = kNoTick;
  std::uint32_t bank = 0;  // for a command to a stack ID, its first bank
};

struct ColumnStep {
  Tick at = kNoTick;
  std::uint32_t bank = 0;
  bool held = false;  // of the segment that its bank holds, not of a queued one
};

// A segment whose last column command has been issued.
struct Ended {
  const Queued* segment = nullptr;  // none; valid until the next admission
  Tick at = 0;
  Direction direction = kReading;
  bool held = false;  // it had left its queue before
};

struct RowIssued {
  Tick on_bus = 0;               // how long it occupies the row bus
  const Queued* left = nullptr;  // the segment that left its queue
};

class PseudoChannel {
 public:
  struct Surroundings {  // of its channel
    const Organisation& organisation;
    const Timing& timing;
    const Policy& policy;
    Tally& tally;
    CommandLog* log;
  };
  PseudoChannel(std::uint32_t index, const Surroundings& channel);
  PseudoChannel(const PseudoChannel&) = delete;
  PseudoChannel& operator=(const PseudoChannel&) = delete;

  void admit(std::uint32_t bank, Direction direction, const Queued& segment, Tick now);
  void serve(Direction mode, Tick now);

  Tick refresh_due() const { return refresh_.due(); }
  void claim_refresh();
  // There has been no segment, and none arrives until well after `until`.
  void rest(Tick until);

  // Returns the next commands at or after `now`, with the row bus free from `bus_free` on.
  const RowStep& next_row(Tick now, Tick bus_free) {
    if (row_stale_ || row_.at < bus_free) find_row(std::max(now, bus_free));
    return row_;
  }
  Tick next_column(Tick now, Tick bus_free) {
    if (column_stale_ || column_.at < bus_free) find_column(std::max(now, bus_free));
    return column_.at;
  }
  // The order of the column step among those of other pseudo-channels at the same time: the lower one goes
  // first.
  std::pair<bool, std::uint64_t> column_rank() const {
    return {!column_.held, column_.held ? held_[column_.bank].segment.age : age_of(column_.bank)};
  }
  // No segment ends before this time. Call after next_row and next_column.
  Tick next_end() const;
  // Returns a time not after the earliest row command that is not for a refresh. Call after next_row; further
  // commands for refreshes change nothing.
  Tick next_row_of_segments() const { return segments_at_; }

  // No queued read has its last column command before this time.
  Tick earliest_read_end(Tick now, Tick bus_free);

  // Prefetch the data of the next decisions into the host's caches: first the state, then what it points to.
  void fetch_state() const {
    fetch(this, &refresh_);
    refresh_.fetch_state();
    rules_.fetch_state();
  }
  void fetch_bank(std::uint32_t bank) const { fetch(&banks_[bank], &banks_[bank] + 1); }
  void fetch_queued() const { queues_.fetch(); }

  // Issues the row step.
  RowIssued issue_row();
  // Returns the next command for a refresh with the row bus free from `bus_free` on, and issues it.
  bool refreshing() const { return refresh_.claimed() != 0; }
  RefreshStep next_refresh(Tick bus_free) const;
  void issue_refresh(const RefreshStep& step);
  struct Train {  // column commands to one bank, or alternating between two
    std::uint32_t first = 0, second = kNoBank;
    Tick start = 0, period = 0;  // of each of them
    bool single = false;         // one command
    bool held = false;           // of the segment that its bank holds
  };
  // Returns the train that begins with the column step.
  Train start_train();
  // Returns whether the train uses all slots, so that younger segments have to wait.
  bool fills_pins(const Train& train) const { return train.second != kNoBank || train.period == slot_; }
  // Returns the time until which a segment that has yet to enter its queue cannot disturb the train.
  Tick undisturbed_by(const Segment& segment, const Train& train) const;
  // Issues the permitted commands of the train, none after `limit`. At most one segment ends, with
  // its last command.
  Ended issue(const Train& train, Tick limit);

 private:
  RefreshStep next_refresh_of_stacks(Tick bus_free) const;
  void consider_segments(Tick at_least);
  void consider_idle_rows(Tick at_least);
  void consider(const RowStep& step);
  void find_row(Tick at_least);
  void find_column(Tick now);
  void find_held_column(Tick now);
  std::uint32_t least_left() const;
  void consider_opening(CommandKind kind, std::uint32_t bank, QueueIndex segment, Tick at_least);
  void consider_column(std::uint32_t bank, Tick now);
  void consider_new(std::uint32_t bank, bool alone, Tick now);
  bool closes_rows() const { return channel_.policy.page != PagePolicy::kOpen; }
  bool hits_first() const { return channel_.policy.scheduler == Scheduler::kFrFcfsRowHit; }
  bool holds() const { return channel_.policy.queue_exit == QueueExit::kActivate; }
  Tick undisturbed_until(const Train& train, Tick limit) const;
  Tick column_beside(std::uint32_t bank, const Train& train) const;
  Tick opened_from(std::uint32_t bank, Tick now) const;
  std::uint32_t partner(const ColumnStep& step) const;
  Ended run(const Train& train, Tick limit);
  Ended access(std::uint32_t bank, Tick first, std::uint32_t count, Tick spacing, bool held = false);
  void count_rows(std::uint32_t bank, std::uint32_t count);
  void account(std::uint32_t bank, Tick at, Direction direction);
  void activated(const RowStep& step);
  void close(std::uint64_t banks, Tick at);
  void log_row(CommandKind kind, Tick at, std::uint32_t bank, std::uint32_t row = 0) const;
  const Queued* hold(std::uint32_t bank);
  Direction direction_of(const ColumnStep& step) const {
    return step.held ? held_[step.bank].direction : mode_;
  }
  // Returns the segment that the next column command to a bank serves; there must be one.
  const Queued& served(std::uint32_t bank) const { return queues_.at(queues_.list(bank, mode_).hit); }
  std::uint64_t age_of(std::uint32_t bank) const { return served(bank).age; }
  std::uint64_t servable() const { return queues_.with_hits(mode_) & ~refresh_.claimed(); }
  Tick slots(Tick distance) const { return slot_at_or_after(timing_, distance, 0); }

  Surroundings channel_;
  const Timing& timing_;
  std::uint8_t index_;
  Tick phase_;                       // of its slots
  Tick slot_, same_group_;           // slot length, and distances in whole slots
  std::array<Tick, 2> other_stack_;  // by direction
  bool singly_;                      // trains are not possible
  Direction mode_ = kReading;
  bool row_stale_ = true, column_stale_ = true;
  RowStep row_;
  Tick segments_at_ = kNoTick;  // of the earliest row command that is not for a refresh
  ColumnStep column_;
  std::uint32_t least_waiting_ = ~0U;  // lower bound on the accesses of the segments that wait for their row
  std::uint64_t conflict_ = 0, fresh_ = 0;  // banks precharged for another row; activated, not yet accessed
  std::uint64_t fresh_conflict_ = 0;
  std::uint64_t refreshed_ = 0;  // since their last access
  // The accounting needs the end of the last column command's slot, its direction, and since when work waits.
  Tick used_until_ = 0, work_since_ = 0, turned_until_ = 0;
  Direction last_ = kReading;
  std::array<std::uint32_t, 2> waiting_{};
  struct Held {  // a segment that left its queue with its activate
    Queued segment;
    Direction direction = kReading;
  };
  std::vector<Held> held_;     // by bank; empty unless requests leave their queue with the activate
  std::uint64_t holding_ = 0;  // the banks that hold a segment
  BankQueues queues_;
  RefreshSchedule refresh_;
  Rules rules_;
  Banks banks_;
};

}  // namespace tahoma::model::dram
