// SPDX-License-Identifier: Apache-2.0
// The controller of one HBM channel and the DRAM behind it: pure arithmetic on ticks, no SystemC. It is asked
// for the time up to which it shall decide, and it advances from decision to decision, a train of column
// commands at a time, so that its cost follows the row segments and not the clock. It never issues what a
// rule of timing.h forbids.
//
// What it decides (a model that steps through every tick obeys the same, tests/support/reference/stepped_channel.h):
//
//  Segments. A request is a segment: `accesses` column commands to one row of one bank, all reads or all
//  writes. Segments wait in a line for reads and one for writes, enter their queue in order of arrival as
//  soon as all their accesses fit, and leave it with all of them when their last column command has been
//  issued; the room is there from the next tick on.
//
//  Modes. The channel serves one queue at a time. It turns to writes when more than `write_high` accesses
//  wait in their queue, or no read is queued and a write is; back to reads when no write is queued, or fewer
//  than `write_low` accesses and a read is.
//
//  Order within a tick: admission, mode, refresh, one row command, then one column command of every
//  pseudo-channel whose slot it is.
//
//  Column commands. A pseudo-channel issues in its slots only (timing.h). So the pseudo-channels share the
//  column bus without arbitration, each can have every cycle that its pins can use, and what it costs is that
//  an odd distance, such as that between stack IDs, becomes the next slot. Among the segments of the mode's
//  queue whose bank has their row open, and which every rule permits now, the oldest goes.
//
//  Row commands. When the row bus is free, the oldest of: the oldest segment of each closed bank, by an
//  activate; the oldest segment of each bank with another row open, by a precharge, once no queued segment of
//  the mode wants the open row (fr_fcfs_row_hit) or if it is the oldest of its bank (fr_fcfs). Last come rows
//  that the page policy closes: nothing in either queue wants the bank, and its last column command is
//  `page_timeout` old (closed: at once; open: never); the lowest bank first.
//
//  Refresh. All banks: every tREFI, of all stack IDs at once; per bank: tREFI has as many parts as a stack ID
//  has banks, and each part the next bank of every stack ID. From then on the banks concerned take no
//  activate, no column command and no other precharge; they are precharged as soon as the rules permit (a
//  stack ID by one command when all its open banks may), and refreshed when they are closed. These commands
//  go before all others on the row bus, the lowest pseudo-channel and stack ID first. A refresh, of a bank or
//  of a stack ID, keeps tRREFD to the next refresh or activate anywhere in its pseudo-channel, and tRRD from
//  the activate before it.
//
// Leaves out: reads that a queued write could answer (values take the back door), self refresh, temperature,
// refresh management for hammered rows, and the controller's own pipeline (the network's latency has it).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "model/memory/dram/pseudo_channel.h"
#include "model/sim/fifo.h"

namespace tahoma::model::dram {

struct Segment {
  bool write = false;
  std::uint8_t pseudo = 0;
  std::uint8_t bank = 0;
  std::uint32_t row = 0;
  std::uint32_t accesses = 1;  // 1 to the smaller queue's size
  Tick arrival = 0;            // not before the last advance()
  std::uint32_t tag = 0;       // comes back with Done
  std::uint32_t order = 0;     // of two that arrive in the same tick the lower goes first
};

// A segment is over. A read: its first data appeared on the pins, its last data had passed. A write: `first`
// is when it entered its queue, which is all a posted write waits for; it is reported then, `last` being
// equal.
struct Done {
  std::uint32_t tag = 0;
  bool write = false;
  Tick first = 0, last = 0;
};

class Channel {
 public:
  // All but the log must outlive the channel; so must the log, if there is one.
  Channel(const Organisation& organisation, const Timing& timing, const Policy& policy,
          CommandLog* log = nullptr);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void submit(const Segment& segment);
  // Decides everything up to and including `until`. Arrivals of that time and before must have been
  // submitted.
  void advance(Tick until);
  bool idle() const;  // no segment waits
  // Whether a segment of so many accesses that arrived now would enter its queue at once.
  bool has_room(bool write, std::uint32_t accesses) const;
  // Whether a write of so many accesses will enter its queue when it arrives, whenever that is: there is
  // room for it and for all that wait or are announced.
  bool write_surely_enters(std::uint32_t accesses) const;
  // The least time from the arrival of a read to its last data.
  Tick passing_time(std::uint32_t accesses) const;
  // The last data of a read segment that is here now are not on the pins before.
  Tick earliest_read_end();
  // What advance() will touch, into the caches.
  void fetch() const;
  // Segments that ended since the list was last cleared, by the caller.
  std::vector<Done>& finished() { return finished_; }
  const Tally& tally() const { return tally_; }

 private:
  struct Line {                                         // one direction
    sim::Fifo<Segment> waiting;                         // in order of arrival
    std::uint32_t queued = 0, room = 0, announced = 0;  // accesses; of those that wait
  };
  struct Release {  // room that a segment leaves behind
    Tick at = kNoTick;
    Direction direction = kReading;
    std::uint32_t accesses = 0;
  };

  Tick next_arrival() const;
  Tick next_change() const;
  Tick next_command();
  void rest(Tick until);
  void change_queues();
  void commands(Tick until);
  void release();
  void admit(Direction direction);
  void choose_mode();
  void row_command();
  void column_commands(PseudoChannel& own, Tick until);
  Tick mode_until(PseudoChannel& own, Tick until);
  Tick foreseen(PseudoChannel& own, Tick until);
  Tick next_release() const;
  Tick next_end_beside(PseudoChannel& own);
  void ended(const Ended& segment);

  const Timing& timing_;
  const Policy& policy_;
  Tally tally_;
  std::vector<Done> finished_;
  std::vector<std::optional<PseudoChannel>> pseudo_;  // which stay where they are
  std::array<Line, 2> lines_;
  std::vector<Release> releases_;  // at most one for each pseudo-channel
  Direction mode_ = kReading;
  CommandLog* log_;
  Tick settled_after_;  // of a refresh
  Tick now_ = 0, row_bus_free_ = 0;
  std::uint64_t next_age_ = 0;
};

}  // namespace tahoma::model::dram
