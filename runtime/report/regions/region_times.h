// SPDX-License-Identifier: Apache-2.0
// Where the engines' time went, region by region, under the names of base::StallReason. What an engine spends from
// one instruction's record to the next, its waiting for that one included, belongs to the next one's region;
// what drains behind the last belongs to that one's. Having nothing left to do (idle) belongs to no region,
// only to the run as a whole. Engines that executed nothing are left out. So the times of all regions and the
// idle time add up to the elapsed time of each engine that executed anything.
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

// Of all engines of one kind together.
struct KindTime {
  StallTimes time{};
  base::Duration total() const;
  double percent(base::StallReason name) const;  // of the total
  std::optional<base::StallReason> largest_stall()
      const;  // neither busy nor idle; none if there was no other
};
using KindTimes = std::array<KindTime, base::kEngineKinds>;

class RegionTimes {
 public:
  explicit RegionTimes(std::uint64_t cores) : engines_(cores * isa::kQueueCount) {}

  // What the engine of a queue has come to so far; all since the last call belongs to `region`. Once at each
  // end of a stretch of instructions is enough.
  void book(std::uint32_t core, std::uint8_t queue, std::uint32_t region,
            std::span<const base::Duration> so_far);
  void finish(const base::RunMeasurement& run);  // what is left to the end, once

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
