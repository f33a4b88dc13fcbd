// SPDX-License-Identifier: Apache-2.0
// The engines' time by region and base::StallReason. The time from one instruction's record to the next,
// including the wait for the next one, belongs to the next one's region; the drain after the last instruction
// belongs to the last one's. Idle time belongs to no region, only to the run as a whole. Engines that
// executed nothing are omitted. So the times of all regions and the idle time add up to the elapsed time of
// each engine that executed anything.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/core/program.h"
#include "model/base/measurements.h"

namespace tahoma::runtime {

using base::StallTimes;

// All engines of one kind together.
struct KindTime {
  StallTimes time{};
  base::Duration total() const;
  double percent(base::StallReason name) const;  // of the total
  std::optional<base::StallReason> largest_stall()
      const;  // the largest one that is neither busy nor idle; none if there is none
};
using KindTimes = std::array<KindTime, base::kEngineKinds>;

class RegionTimes {
 public:
  explicit RegionTimes(std::uint64_t cores) : engines_(cores * isa::kQueueCount) {}

  // `so_far` are the times of a queue's engine; the time since the last call belongs to `region`. One call at
  // the end of each stretch of instructions is enough.
  void book(std::uint32_t core, std::uint8_t queue, std::uint32_t region,
            std::span<const base::Duration> so_far);
  void finish(const base::RunMeasurement& run);  // adds the rest to the end; call it once

  KindTimes of(std::uint32_t region) const;
  const KindTimes& whole() const { return whole_; }

 private:
  struct Engine {
    bool used = false;
    std::uint32_t region = 0;  // of the last call
    StallTimes booked{};
  };
  KindTime& time_of(std::uint32_t region, std::uint8_t queue);

  std::vector<Engine> engines_;     // by core and queue
  std::vector<KindTimes> regions_;  // by number
  KindTimes whole_{};
};

}  // namespace tahoma::runtime
