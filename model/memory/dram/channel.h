// SPDX-License-Identifier: Apache-2.0
// The controller of one HBM channel and its DRAM: pure arithmetic on ticks, no SystemC. The caller gives the
// time up to which it shall decide. It advances from decision to decision, one train of column commands at a
// time, so its cost scales with row segments and not with clock cycles. It never issues a command that a rule
// of timing.h forbids.
//
// Policy (tests/support/reference/stepped_channel.h implements the same policy tick by tick):
//
//  Segments. A request is a segment: `accesses` column commands to one row of one bank, all reads or all
//  writes. Segments wait in a line for reads and one for writes, enter their queue in order of arrival as
//  soon as all their accesses fit, and leave it with all of them when their last column command has been
//  issued. The space is free from the next tick on. With the policy `activate`, the segment for which a row
//  is opened leaves its queue with that activate and is held by the bank. A bank closes no row while it holds
//  a segment, not even for a refresh.
//
//  Modes. The channel serves one queue at a time. It switches to writes when more than `write_high` accesses
//  wait in the write queue, or when a write and no read is queued. It switches back to reads when no write is
//  queued, or when fewer than `write_low` accesses and a read are queued.
//
//  Order within a tick: admission, mode, refresh, one row command, then one column command of every
//  pseudo-channel whose slot it is.
//
//  Column commands. A pseudo-channel issues in its slots only (timing.h). The pseudo-channels therefore share
//  the column bus without arbitration, and each can use every cycle of its pins. The cost is that an odd
//  distance, such as that between stack IDs, is rounded up to the next slot. Among the segments of the mode's
//  queue whose row is open and which every rule permits now, the oldest is served. Held segments go before
//  all queued ones, in both modes and also while a refresh waits. With the policy `arbitrated` there are no
//  slots: in each cycle one command of any pseudo-channel is issued, in the same order.
//
//  Row commands. When the row bus is free, the oldest of: the oldest segment of each closed bank, by an
//  activate; the oldest segment of each bank with another row open, by a precharge, once no queued segment of
//  the mode needs the open row (fr_fcfs_row_hit) or if it is the oldest of its bank (fr_fcfs). Last come rows
//  that the page policy closes: no segment in either queue needs the bank, and its last column command is
//  `page_timeout` old (closed: at once; open: never); the lowest bank first.
//
//  Refresh. All-bank refresh runs every tREFI, for all stack IDs at once. Per-bank refresh divides tREFI into
//  as many parts as a stack ID has banks, and each part refreshes the next bank of every stack ID. From then
//  on the affected banks accept no activate, no column command and no other precharge; they are precharged as
//  soon as the rules permit (a stack ID by one command when all its open banks may), and refreshed when they
//  are closed. These commands precede all others on the row bus, the lowest pseudo-channel and stack ID
//  first. A refresh, of a bank or of a stack ID, keeps tRREFD to the next refresh or activate anywhere in its
//  pseudo-channel, and tRRD from the activate before it.
//
// Not modelled: reads that a queued write could answer (values use the back door), self refresh, temperature,
// refresh management for row hammer, and the controller's own pipeline (the network's latency includes it).
#pragma once

#include <optional>
#include <vector>

#include "model/memory/dram/pseudo_channel.h"
#include "model/memory/dram/request_lines.h"

namespace tahoma::model::dram {

// A segment has ended. For a read, `first` is when its first data appeared on the pins and `last` when its
// last data had passed. For a write, `first` is when it entered its queue, which is all that a posted write
// waits for; it is reported then, with `last` equal.
struct Done {
  std::uint32_t tag = 0;
  bool write = false;
  Tick first = 0, last = 0;
};

class Channel {
 public:
  // All arguments must outlive the channel, including the log if there is one.
  Channel(const Organisation& organisation, const Timing& timing, const Policy& policy,
          CommandLog* log = nullptr);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void submit(const Segment& segment);
  // Decides everything up to and including `until`. All arrivals up to that time must have been submitted.
  void advance(Tick until);
  bool idle() const;  // no segment waits
  // Returns whether a segment of this many accesses that arrived now would enter its queue at once.
  bool has_room(bool write, std::uint32_t accesses) const;
  // Returns whether a write of this many accesses will enter its queue immediately whenever it arrives: there
  // is space for it and for all waiting and announced writes.
  bool write_surely_enters(std::uint32_t accesses) const;
  // Minimum time from the arrival of a read to its last data.
  Tick passing_time(std::uint32_t accesses) const;
  // Earliest time at which the last data of a current read segment can be on the pins.
  Tick earliest_read_end();
  // Prefetches the data that advance() will touch into the host's caches. It reads the state, which its
  // location can prefetch earlier.
  void fetch() const;
  // Locates the state of a channel in the host's memory.
  struct Location {
    const Channel* channel = nullptr;  // null: nowhere
    const std::optional<PseudoChannel>* pseudo = nullptr;
    std::size_t pseudo_channels = 0;
    void fetch() const;  // touches nothing itself
  };
  Location location() const { return {this, pseudo_.data(), pseudo_.size()}; }
  // Segments that ended since the caller last cleared the list.
  std::vector<Done>& finished() { return finished_; }
  const Tally& tally() const { return tally_; }

 private:
  struct Due {  // when the next decisions of each kind are due
    Tick change = kNoTick, refresh = kNoTick, row = kNoTick, column = kNoTick;
    Tick first() const { return std::min(std::min(change, refresh), std::min(row, column)); }
  };
  Due next_decisions();
  void make_decisions(const Due& due, Tick until);
  void rest(Tick until);
  void change_queues();
  void claim_refreshes();
  void admit(Direction direction);
  void row_command(Tick until);
  void refresh_ahead(Tick until);
  void column_commands(PseudoChannel& own, Tick until);
  void arbitrate_columns(Tick until);
  Tick mode_until(PseudoChannel& own, Tick until);
  Tick arrivals_until(const PseudoChannel& own, const PseudoChannel::Train& train, Tick until) const;
  Tick next_end_beside(PseudoChannel& own);
  void leaves(const Queued& segment, Direction direction, Tick at);
  void ended(const Ended& segment);

  const Timing& timing_;
  const Policy& policy_;
  Tally tally_;
  std::vector<Done> finished_;
  std::vector<std::optional<PseudoChannel>> pseudo_;  // never reallocated
  RequestLines lines_;
  CommandLog* log_;
  Tick settled_after_;  // of a refresh
  // Only a segment that arrives, ends or waits for its row changes the row commands of segments.
  bool steady_;
  Tick now_ = 0, row_bus_free_ = 0, column_bus_free_ = 0;  // the last one only if the bus is arbitrated
  std::uint32_t held_ = 0;                                 // segments that left their queue with the activate
  std::uint64_t next_age_ = 0;
};

}  // namespace tahoma::model::dram
