// SPDX-License-Identifier: Apache-2.0
#include "report/energy/energy_summary.h"

#include <algorithm>

#include "model/base/shares.h"

namespace tahoma::runtime {

namespace {

std::optional<double> limited_time_ns(const EnergyLedger& ledger, const ComponentEnergy& chip) {
  const double left = ledger.limit_watts - ledger.watts(chip.standing);
  if (left <= 0) return std::nullopt;
  return std::max(ledger.elapsed.ns(), chip.dynamic / left * 1e9);
}

}  // namespace

EnergySummary summarise_energy(const EnergyLedger& ledger, double useful_flops) {
  const ComponentEnergy all = sum_of(ledger.components);
  EnergySummary s;
  s.joules = all.joules();
  s.dynamic_joules = all.dynamic;
  s.standing_joules = all.standing;
  s.machine_watts = ledger.watts(s.joules);
  s.wall_watts = ledger.wall_watts;
  s.wall_joules = ledger.wall_watts * ledger.elapsed.seconds();
  s.chips = ledger.count(ChipState::kUsed);
  s.idle_chips = ledger.count(ChipState::kIdle);
  s.idle_joules = ledger.idle_joules;
  for (const ChipEnergy& chip : ledger.chips) {
    const ComponentEnergy energy = sum_of(chip.components);
    const double watts = ledger.watts(energy.joules());
    if (chip.state != ChipState::kUsed || watts <= s.hottest_chip_watts) continue;
    s.hottest_chip_watts = watts;
    s.hottest_chip = chip.chip;
    s.limited_time_ns = limited_time_ns(ledger, energy);
  }
  s.limit_percent = base::percent_of(s.hottest_chip_watts, ledger.limit_watts);
  if (s.chips > 0) s.chip_watts = s.machine_watts / static_cast<double>(s.chips);
  if (useful_flops > 0) s.joules_per_useful_flop = s.joules / useful_flops;
  return s;
}

EnergyProvenance provenance_of(const EnergyLedger& ledger) {
  const ComponentEnergy all = sum_of(ledger.components);
  const auto percent = [&](base::Provenance kind) {
    return base::percent_of(all.by_provenance[static_cast<std::size_t>(kind)], all.joules());
  };
  EnergyProvenance p;
  p.documented = percent(base::Provenance::kDocumented);
  p.measured = percent(base::Provenance::kMeasured);
  p.derived = percent(base::Provenance::kDerived);
  p.assumed = percent(base::Provenance::kAssumed);
  p.chosen = percent(base::Provenance::kChosen);
  return p;
}

}  // namespace tahoma::runtime
