// SPDX-License-Identifier: Apache-2.0
// Holds what a group of servers does at one moment, and what it has done so far. The servers update it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tahoma::runtime::serving {

// Quantities whose mean over time is reported.
enum class Level : std::uint8_t { kBusy, kWaiting, kRunning, kBlocks };
inline constexpr std::size_t kLevels = 4;
// Events that are counted.
enum class Count : std::uint8_t { kEntered, kLeft, kPromptTokens, kOutputTokens, kSteps, kPreemptions };
inline constexpr std::size_t kCounts = 6;

struct GroupState {
  const char* name = "servers";
  std::uint64_t servers = 0;
  std::uint64_t blocks = 0;  // of all servers
  std::uint64_t levels[kLevels] = {};
  std::uint64_t counts[kCounts] = {};

  std::uint64_t& level(Level which) { return levels[static_cast<std::size_t>(which)]; }
  std::uint64_t& count(Count which) { return counts[static_cast<std::size_t>(which)]; }
  std::uint64_t level(Level which) const { return levels[static_cast<std::size_t>(which)]; }
  std::uint64_t count(Count which) const { return counts[static_cast<std::size_t>(which)]; }
};
using GroupStates = std::vector<GroupState>;

}  // namespace tahoma::runtime::serving
