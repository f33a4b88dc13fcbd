// SPDX-License-Identifier: Apache-2.0
// The decisions of a channel as defined in model/memory/dram/channel.h, tick by tick and access by access:
// every tick examines every queued segment, and every command updates the earliest time of every bank it
// affects. Slow, simple and independent of Channel.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "tests/support/bench/dram_setup.h"

namespace tahoma::tests {

class SteppedChannel {
 public:
  SteppedChannel(const dram::Organisation& organisation, const dram::Timing& timing,
                 const dram::Policy& policy, dram::CommandLog* log = nullptr);

  void submit(const dram::Segment& segment);
  void advance(Tick until);
  std::vector<dram::Done>& finished() { return finished_; }

  std::uint32_t most_reads() const { return reads_.most; }
  std::uint32_t most_writes() const { return writes_.most; }

 private:
  // Subjects of a distance rule: a column command, or a row command to one bank.
  enum Kind { kActivate, kPrecharge, kRead, kWrite, kRefresh, kKinds };
  struct Queued {
    dram::Segment segment;
    std::uint32_t issued = 0;
    Tick first = 0;  // column command
    std::uint64_t age = 0;
  };
  struct Queue {
    std::deque<dram::Segment> line;
    std::vector<Queued> segments;
    std::uint32_t accesses = 0, most = 0;
  };
  struct Bank {
    std::uint32_t pseudo = 0, number = 0, stack_id = 0, group = 0;
    bool open = false;
    std::uint32_t row = 0;
    Tick last_column = 0;
    unsigned refreshes_due = 0;
    std::array<Tick, kKinds> earliest{};
  };

  void step();
  void admit(Queue& queue, std::uint32_t size);
  void choose_mode();
  void ask_for_refreshes();
  bool refresh();
  bool refresh_stack_id(std::uint32_t pseudo, std::uint32_t stack_id);
  bool refresh_banks(std::uint32_t pseudo, std::uint32_t stack_id);
  bool serve_row();
  bool close_idle_row();
  void serve_columns();
  // Serves the oldest segment of the list that may go: of one pseudo-channel, or of any without one.
  bool serve_column(Queue& queue, std::optional<std::uint32_t> pseudo);
  void column_command(Queue& queue, std::size_t queued);
  bool holds(const Bank& bank) const;
  void hold(const dram::Segment& segment);

  Queue& served() { return writing_ ? writes_ : reads_; }
  Bank& bank(std::uint32_t pseudo, std::uint32_t number) {
    return banks_[pseudo * organisation_.all_banks() + number];
  }
  std::vector<Bank*> stack_id_banks(std::uint32_t pseudo, std::uint32_t stack_id);
  bool wanted(const Queue& queue, const Bank& bank, bool this_row_only) const;
  bool may(Kind kind, const Bank& bank) const;
  void row_command(CommandKind kind, Bank& bank, std::uint32_t row);
  void apply(Kind kind, const Bank& to);
  Tick distance(Kind first, Kind second, const Bank& a, const Bank& b) const;

  dram::Organisation organisation_;
  dram::Timing timing_;
  dram::Policy policy_;
  dram::CommandLog* log_;
  std::vector<Bank> banks_;
  std::vector<std::vector<Tick>> activates_;  // by pseudo-channel
  Queue reads_, writes_;
  Queue held_;  // segments that left their queue with their activate; no limit
  bool writing_ = false;
  Tick now_ = 0;
  Tick row_bus_free_ = 0;
  std::uint64_t refreshes_asked_ = 0, next_age_ = 0;
  std::vector<dram::Done> finished_;
};

}  // namespace tahoma::tests
