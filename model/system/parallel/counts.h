// SPDX-License-Identifier: Apache-2.0
// The exchanges of a run of several processes.
#pragma once

#include <cstdint>

namespace tahoma::model {

// All counts are zero in one process.
struct ParallelCounts {
  std::uint32_t processes = 0;
  std::uint64_t windows = 0;   // each with an exchange between all processes
  std::uint64_t messages = 0;  // packets and credits between processes
  std::uint64_t bytes = 0;     // of these
};

}  // namespace tahoma::model
