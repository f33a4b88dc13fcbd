// SPDX-License-Identifier: Apache-2.0
// A command on a channel's command buses, as recorded for checkers and tests.
#pragma once

#include "model/memory/dram/timing.h"

namespace tahoma::model::dram {

enum class CommandKind : std::uint8_t {
  kActivate,
  kPrecharge,
  kPrechargeAll,  // all banks of a stack ID
  kRead,
  kWrite,
  kRefreshAll,  // all banks of a stack ID
  kRefreshBank
};

// `count` column commands of one row, `spacing` ticks apart, the first at `at`; other commands have a
// count of 1. A channel's records are in the order of its decisions; sort them by time to obtain the
// order on the bus.
struct Command {
  Tick at = 0;
  CommandKind kind = CommandKind::kActivate;
  std::uint8_t pseudo = 0;
  std::uint8_t bank = 0;  // of the pseudo-channel; for a command to a stack ID, its first bank
  std::uint32_t row = 0;
  std::uint32_t count = 1;
  Tick spacing = 0;
  friend bool operator==(const Command&, const Command&) = default;
};

struct CommandLog {
  virtual void command(const Command& command) = 0;

 protected:
  ~CommandLog() = default;
};

}  // namespace tahoma::model::dram
