// SPDX-License-Identifier: Apache-2.0
// Defines what interrupts a job, how often, and how long it takes to continue.
//
// Rates are interruptions in a million chip-hours, by cause. The defaults are those of Llama 3 405B (arXiv
// 2407.21783, table 5): 54 days on 16,384 GPUs, 419 unexpected and 47 planned interruptions. Faults of
// Trainium are not published, so that they are as frequent as those of that cluster is an assumption. How
// often parts become slow is not published for either.
#pragma once

#include <cstdint>

#include "model/base/params.h"

namespace tahoma::runtime::cluster {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;  // in seconds

struct FaultRates {
  double chip = 0, memory = 0, network = 0, host = 0, software = 0, other = 0;  // in a million chip-hours
  double planned = 0;
  double slow = 0;  // a chip, link or stack becomes slow
  void declare(base::ParamTree& t);
  double unexpected() const { return chip + memory + network + host + software + other; }
  // Faults that take a chip out of service until it is repaired.
  double of_hardware() const { return chip + memory + host; }
};

struct FaultParams {
  FaultRates rates;
  double detection_minutes = 0, restart_minutes = 0, planned_minutes = 0, repair_hours = 0;
  double slow_factor = 1, slow_hours = 0;  // of the passes of a stage with a slow part; until it is replaced
  double maintenance_days = 0, maintenance_hours = 0, maintenance_minutes = 0;  // 0 days: no maintenance
  std::uint64_t trials = 0, seed = 0;
  double days = 0;  // simulated at most; the rest of a longer training is like them
  void declare(base::ParamTree& t);
};

}  // namespace tahoma::runtime::cluster
