// SPDX-License-Identifier: Apache-2.0
#include "report/energy/energy_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

std::size_t event_index(EnergyEvent event) { return static_cast<std::size_t>(event); }

// The measured events are divided among regions by this weight.
double weight_of(EnergyEvent event, const WorkCounts& work, const model::CoreParams& core) {
  switch (event) {
    case EnergyEvent::kBusyCycle: {
      double cycles = 0;
      for (std::size_t n = 0; n < kClockedEngines; ++n)
        cycles += static_cast<double>(work.busy_fs[n]) * clock_hz(core, n);
      return cycles;
    }
    case EnergyEvent::kLinkBit:
      return static_cast<double>(work.sent_bytes);
    default:
      return static_cast<double>(work.hbm_bytes);
  }
}

void add_to_regions(const EnergyTerm& term, double joules, const model::MachineParams& machine,
                    const RecordedWork& work, std::vector<RegionEnergy>& regions) {
  const auto component = static_cast<std::size_t>(term.component);
  if (event_index(term.event) < kWorkEvents) {
    for (std::size_t r = 0; r < regions.size(); ++r)
      regions[r].joules[component] +=
          joules_of(term, static_cast<double>(work.regions[r].work[term.event]), machine.chip.energy);
    return;
  }
  std::vector<double> weights;
  for (const RegionWork& region : work.regions)
    weights.push_back(weight_of(term.event, region.work, machine.chip.core));
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (all <= 0) return;
  for (std::size_t r = 0; r < regions.size(); ++r) regions[r].joules[component] += joules * weights[r] / all;
}

void check_regions(const EnergyLedger& ledger) {
  double regions = 0;
  for (const RegionEnergy& region : ledger.regions) regions += region.total();
  const double dynamic = sum_of(ledger.components).dynamic;
  TAHOMA_INVARIANT(regions <= dynamic * (1 + 1e-9),
                   fmt::format("regions have {} J of {} J of dynamic energy", regions, dynamic));
}

ChipState state_of(const model::MachineParams& machine, std::uint64_t chip, const EventCounts& events) {
  if (machine.is_dead(chip)) return ChipState::kDead;
  const auto terms = energy_terms();
  const bool used = std::any_of(terms.begin(), terms.end(), [&](const EnergyTerm& term) {
    return !term.standing && events[event_index(term.event)] > 0;
  });
  return used ? ChipState::kUsed : ChipState::kIdle;
}

}  // namespace

const char* name_of(ChipState state) {
  switch (state) {
    case ChipState::kUsed:
      return "used";
    case ChipState::kIdle:
      return "idle";
    case ChipState::kDead:
      return "dead";
  }
  return "";
}

std::uint64_t EnergyLedger::count(ChipState state) const {
  return static_cast<std::uint64_t>(
      std::count_if(chips.begin(), chips.end(), [&](const ChipEnergy& chip) { return chip.state == state; }));
}

void ComponentEnergy::operator+=(const ComponentEnergy& other) {
  dynamic += other.dynamic;
  standing += other.standing;
  for (std::size_t n = 0; n < kProvenances; ++n) by_provenance[n] += other.by_provenance[n];
}

ComponentEnergy sum_of(const ComponentEnergies& components) {
  ComponentEnergy sum;
  for (const ComponentEnergy& component : components) sum += component;
  return sum;
}

double RegionEnergy::total() const { return std::accumulate(joules.begin(), joules.end(), 0.0); }

ProvenanceOf provenance_in(const base::ParamTree& machine, const std::string& group) {
  return [&machine, group](const std::string& parameter) {
    const std::string path = group + parameter;
    const auto& all = machine.params();
    const auto param =
        std::find_if(all.begin(), all.end(), [&](const base::Param& p) { return p.path == path; });
    TAHOMA_INVARIANT(param != all.end(), "no parameter " + path);
    return base::text_of(param->value) == param->default_text ? param->source.kind
                                                              : base::Provenance::kChosen;
  };
}

EnergyLedger energy_ledger(const model::MachineParams& machine, const base::RunMeasurement& run,
                           const RecordedWork& work, const ProvenanceOf& provenance) {
  EnergyLedger ledger;
  ledger.elapsed = run.elapsed;
  for (const RegionWork& region : work.regions) ledger.regions.push_back({region.name, {}});
  const std::vector<EventCounts> chips = chip_events(machine, run, work);
  for (std::size_t chip = 0; chip < chips.size(); ++chip)
    ledger.chips.push_back({model::chip_name(machine, chip), state_of(machine, chip, chips[chip]), {}});
  for (const EnergyTerm& term : energy_terms()) {
    const auto source = static_cast<std::size_t>(provenance(term.parameter));
    double all = 0;
    for (std::size_t chip = 0; chip < chips.size(); ++chip) {
      const double joules = joules_of(term, chips[chip][event_index(term.event)], machine.chip.energy);
      ComponentEnergy& component = ledger.chips[chip].components[static_cast<std::size_t>(term.component)];
      (term.standing ? component.standing : component.dynamic) += joules;
      component.by_provenance[source] += joules;
      all += joules;
    }
    if (!term.standing) add_to_regions(term, all, machine, work, ledger.regions);
  }
  for (const ChipEnergy& chip : ledger.chips) {
    if (chip.state == ChipState::kIdle) ledger.idle_joules += sum_of(chip.components).joules();
    if (chip.state != ChipState::kUsed) continue;
    for (std::size_t n = 0; n < kEnergyComponents; ++n) ledger.components[n] += chip.components[n];
  }
  ledger.wall_watts =
      wall_watts(machine, ledger.count(ChipState::kUsed), ledger.watts(sum_of(ledger.components).joules()));
  ledger.limit_watts = machine.chip.energy.limit.watts();
  check_regions(ledger);
  return ledger;
}

double wall_watts(const model::MachineParams& machine, std::uint64_t chips, double watts) {
  const model::RackParams& rack = machine.rack;
  const double hosts = rack.host.watts() * static_cast<double>(chips);
  return (watts + hosts) * (1 + rack.fans) / rack.supply;
}

}  // namespace tahoma::runtime
