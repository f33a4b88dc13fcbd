// SPDX-License-Identifier: Apache-2.0
// Correctable errors at random accesses, identical in every run.
#include <fmt/format.h>

#include <cmath>

#include "model/memory/hbm/dram_stack.h"

namespace tahoma::model {

namespace {

constexpr std::size_t kFirstEvents = 16;

}  // namespace

// Draws the number of accesses until the next error from a geometric distribution.
std::uint64_t DramStack::next_error() {
  if (faults_.correctable_errors <= 0) return 0;
  const double uniform = (static_cast<double>(random_() >> 11) + 1) * 0x1p-53;  // in (0, 1]
  return 1 + static_cast<std::uint64_t>(std::log(uniform) / std::log1p(-faults_.correctable_errors));
}

// An access with an error is repeated.
bool DramStack::meets_error(Lane& lane, dram::Segment& segment) {
  if (lane.until_error == 0) return false;
  std::uint64_t passed = segment.accesses;
  bool met = false;
  while (lane.until_error <= passed) {
    passed -= lane.until_error;
    lane.until_error = next_error();
    ++lane.counted.corrected_errors;
    ++counted_.events;
    met = true;
    const std::uint32_t room = segment.write ? design_->policy.write_queue : design_->policy.read_queue;
    segment.accesses = std::min(segment.accesses + 1, room);
    if (counted_.first_events.size() >= kFirstEvents) continue;
    const auto channel = static_cast<std::size_t>(&lane - lanes_.data());
    counted_.first_events.push_back(
        {edge(segment.arrival), fmt::format("corrected error: channel {}, pseudo-channel {}, bank {}, row {}",
                                            channel, segment.pseudo, segment.bank, segment.row)});
  }
  lane.until_error -= passed;
  return met;
}

}  // namespace tahoma::model
