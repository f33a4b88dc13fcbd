// SPDX-License-Identifier: Apache-2.0
// The cause of a semaphore change, as observers see it (activity.h): the number of the machine's instruction
// queue, then how many instructions the queue had executed. 0 is no cause.
#pragma once

#include <cstdint>

namespace tahoma::base {

inline constexpr unsigned kCauseInstructionBits = 48;

// `executed` counts the instructions of that queue before this one.
constexpr std::uint64_t make_cause(std::uint64_t queue, std::uint64_t executed) {
  return queue << kCauseInstructionBits | (executed + 1);
}
constexpr std::uint64_t queue_of_cause(std::uint64_t cause) { return cause >> kCauseInstructionBits; }
// Returns the cause with its instruction moved to another queue.
constexpr std::uint64_t cause_in_queue(std::uint64_t cause, std::uint64_t queue) {
  return (cause & ((std::uint64_t{1} << kCauseInstructionBits) - 1)) | queue << kCauseInstructionBits;
}

}  // namespace tahoma::base
