// SPDX-License-Identifier: Apache-2.0
// An HBM channel that times each segment when it arrives, from the state of its bank and the times at which
// the pins are taken. It needs no events, and a segment costs a third of the host time that the commands of
// dram/channel.h take. Pure arithmetic on ticks, no SystemC.
//
// Reads. A segment waits for a refresh of its bank, opens its row (with a precharge if another row is open)
// and takes the column slots of its pseudo-channel that are free from then on. Its bank group takes one
// command in tCCD_L, so that two segments in different bank groups of one stack ID share the slots. A segment
// of another stack ID does not find the gaps that one segment leaves alone, and waits for its end.
//
// Writes. A write has entered when its queue has space (write_level.h). Its accesses wait there while reads
// have the pins. They are issued when no read is queued, or when the queue holds more than `write_high`
// accesses: then until it holds fewer than `write_low`. The pins turn in between as the rules tRTW and tWTR
// say.
//
// Refresh, the page policies and the rules of a bank (tRCD, tRP, tRAS, tRC, tRTP, tWR) are those of
// dram/channel.h. tRRD and tFAW bound the rate of the activates of a pseudo-channel.
//
// Differences from dram/channel.h, the reference: segments are timed in the order of the calls, and a later
// one goes first only through slots that are free. So the scheduler does not matter, and no segment is
// overtaken for long, as some are there; the longest waits are shorter. Reads whose times are known do not
// wait for a drain; later ones do. A write leaves its queue with its last command whatever `queue_exit` says.
// The row bus, tPPD and tCCD_R cost nothing. tests/system/kernel/bank_model_test.cpp, `scripts/memory_error`
// and `scripts/bench --benchmark_filter=banks` show the error.
#pragma once

#include <array>
#include <vector>

#include "model/memory/banks/bank_rules.h"
#include "model/memory/banks/write_level.h"
#include "model/memory/dram/request_lines.h"
#include "model/memory/dram/tally.h"
#include "model/sim/fifo.h"
#include "model/sim/reservations.h"

namespace tahoma::model::dram {

class BankChannel {
 public:
  explicit BankChannel(const BankRules& rules);  // which must outlive the channel

  // A read passes from its first data on the pins to the end of its last data. For a write, both times are
  // that at which it enters its queue.
  struct Passage {
    Tick first = 0, last = 0;
  };
  // Times a segment. No later one arrives before `settled`, which never goes back.
  Passage pass(const Segment& segment, Tick settled);
  // Column slots of a pseudo-channel that accesses have taken since the caller last cleared the list.
  struct Taken {
    Tick from = 0, until = 0;
  };
  std::vector<Taken>& taken() { return taken_; }
  // Issues what is issued by `until`, and returns what has been counted.
  Tally finish(Tick until);

 private:
  struct alignas(32) Bank {  // two to a cache line, for segments reach banks at random
    std::uint32_t row = kNoRow;
    Tick activated = 0;          // of the open row
    Tick ready = 0;              // no precharge of the open row before; without one, no activate
    Tick refresh_due = kNoTick;  // the next refresh
  };
  struct Train {  // column commands of a segment
    Tick first = 0, last = -1;
    std::uint32_t group = 0;
  };
  struct Pseudo {
    sim::Reservations columns, activates;
    std::array<Train, 4> alone;  // by stack ID: the last train, as long as no other shares its slots
    std::vector<Tick> groups;    // no column command to the bank group before
    std::vector<Bank> banks;
    std::vector<Tick> used;  // by bank: its last column command or activate; empty if rows stay open
    Tick taken_until = 0;    // the end of the last slot taken
  };

  struct Leaving {  // accesses of the read queue, in the order in which they leave it
    Tick at = 0;
    std::uint32_t accesses = 0;
  };

  void settle(Tick settled);
  Passage read(const Segment& segment);
  Tick enters_reads(const Segment& segment);
  Passage write(const Segment& segment);
  void queue_writes(Tick until);
  void drain_idle(Tick until, std::uint32_t most_left);
  void drain_full(Tick now);
  Train issue_write(Tick from);
  void turn(Tick from, Tick takes);
  Train access(const Segment& segment, Direction direction, Tick from);
  Train take_columns(Pseudo& pseudo, std::uint32_t bank, std::uint32_t accesses, Tick from);
  std::uint32_t before_refresh(const Bank& bank, std::uint32_t accesses, Tick from) const;
  Tick open(Pseudo& pseudo, const Segment& segment, Direction direction, Tick from);
  void refresh(Bank& bank, std::uint32_t number, Tick now);
  void close_idle(Bank& bank, Tick used, Tick now);
  Tick first_refresh(std::uint32_t bank) const;
  std::uint64_t refreshes(Tick until) const;

  const BankRules& rules_;
  std::vector<Pseudo> pseudo_;
  Tally tally_;
  std::vector<Taken> taken_;
  Tick settled_ = 0;    // no command is issued before
  Tick reads_end_ = 0;  // no read is queued from then on
  Tick written_ = -1;   // the last command of the writes since the last read that found no read queued
  WriteLevel level_;
  sim::Fifo<Segment> announced_;  // writes that have yet to enter their queue, in order of time
  sim::Fifo<Segment> pending_;    // those in the queue
  std::uint32_t pending_accesses_ = 0;
  sim::Fifo<Leaving> reading_;
  std::uint32_t reading_accesses_ = 0;
};

}  // namespace tahoma::model::dram
