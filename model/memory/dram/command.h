// SPDX-License-Identifier: Apache-2.0
// What a channel says on its command buses: the record that checkers and tests read.
#pragma once

#include "model/memory/dram/timing.h"

namespace tahoma::model::dram {

enum class CommandKind : std::uint8_t {
  kActivate,
  kPrecharge,
  kPrechargeAll,  // every bank of a stack ID
  kRead,
  kWrite,
  kRefreshAll,  // a stack ID
  kRefreshBank
};

// `count` column commands of one row, `spacing` ticks apart, the first at `at`; others have a count of 1. The
// records of a channel come in the order of its decisions: sort by time before reading them as a bus would.
struct Command {
  Tick at = 0;
  CommandKind kind = CommandKind::kActivate;
  std::uint8_t pseudo = 0;
  std::uint8_t bank = 0;  // of the pseudo-channel; for a command to a stack ID its first bank
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
