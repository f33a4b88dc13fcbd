// SPDX-License-Identifier: Apache-2.0
// The energy of a run in a few numbers, for summary.json and summary.txt.
#pragma once

#include <optional>
#include <string>

#include "model/base/declared.h"
#include "report/energy/energy_ledger.h"

namespace tahoma::runtime {

struct EnergySummary {
  TAHOMA_STATISTICS(EnergySummary);
  TAHOMA_COUNTER(double, joules, kJoules, "energy of the chips in use");
  TAHOMA_COUNTER(double, dynamic_joules, kJoules, "of that, energy of events");
  TAHOMA_COUNTER(double, standing_joules, kJoules,
                 "of that, what flows with time: leakage, idle clocks, refresh, transceivers");
  TAHOMA_COUNTER(double, wall_joules, kJoules, "energy at the wall, with hosts, fans and power supplies");
  TAHOMA_COUNTER(std::uint64_t, chips, kCount, "chips in use: those on which anything happened");
  TAHOMA_LEVEL(double, chip_watts, kWatts, "average power of a chip in use");
  TAHOMA_LEVEL(double, hottest_chip_watts, kWatts, "average power of the chip that draws most");
  TAHOMA_LEVEL(double, machine_watts, kWatts, "average power of the chips in use");
  TAHOMA_LEVEL(double, wall_watts, kWatts, "average power at the wall, with hosts, fans and power supplies");
  TAHOMA_LEVEL(std::optional<double>, joules_per_useful_flop, kJoules,
               "energy of the chips in use over the useful operations; none without any");
  TAHOMA_COUNTER(std::uint64_t, idle_chips, kCount, "chips of the machine that are neither in use nor dead");
  TAHOMA_COUNTER(double, idle_joules, kJoules, "energy of the idle chips, which is in no other figure");
  TAHOMA_LEVEL(double, limit_percent, kPercent,
               "average power of the chip that draws most, of its limit (machine.chip.energy.limit)", kLess);
  TAHOMA_LEVEL(
      std::optional<double>, limited_time_ns, kNanoseconds,
      "least time in which that chip spends the energy of its events at its limit; none if what flows "
      "all the time exceeds the limit");
  std::string hottest_chip;
};

// Percent of the energy of the chips in use.
struct EnergyProvenance {
  TAHOMA_STATISTICS(EnergyProvenance);
  TAHOMA_LEVEL(double, documented, kPercent, "energy that rests on documented parameters, of all");
  TAHOMA_LEVEL(double, measured, kPercent, "energy that rests on measured parameters, of all");
  TAHOMA_LEVEL(double, derived, kPercent, "energy that rests on derived parameters, of all");
  TAHOMA_LEVEL(double, assumed, kPercent, "energy that rests on assumed parameters, of all", kLess);
  TAHOMA_LEVEL(double, chosen, kPercent, "energy that rests on parameters that the user set, of all");
};

EnergySummary summarise_energy(const EnergyLedger& ledger, double useful_flops);
EnergyProvenance provenance_of(const EnergyLedger& ledger);

}  // namespace tahoma::runtime
