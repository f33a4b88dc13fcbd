// SPDX-License-Identifier: Apache-2.0
#include "report/energy/energy_tables.h"

#include "model/base/shares.h"
#include "report/energy/energy_summary.h"
#include "report/tables/column_csv.h"
#include "report/tables/column_json.h"
#include "report/tables/declared_json.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;
using base::Unit;

namespace {

ComponentRow component_row(const std::string& chip, const char* state, const ComponentEnergies& components,
                           std::size_t n, double seconds) {
  return {chip, state, static_cast<EnergyComponent>(n), components[n], sum_of(components).joules(), seconds};
}

Json component_energies_json(const EnergyLedger& ledger) {
  Json json = Json::object();
  for (std::size_t n = 0; n < kEnergyComponents; ++n)
    json[name_of(static_cast<EnergyComponent>(n))] = columns_json(
        component_columns(), component_row("", "", ledger.components, n, ledger.elapsed.seconds()));
  return json;
}

Json region_energies_json(const EnergyLedger& ledger) {
  const double dynamic = sum_of(ledger.components).dynamic;
  Json list = Json::array();
  for (const RegionEnergy& region : ledger.regions)
    list.push_back(columns_json(region_energy_columns(), RegionEnergyRow{region, dynamic}));
  return list;
}

}  // namespace

const base::Columns<ComponentRow>& component_columns() {
  using Row = ComponentRow;
  static const auto kColumns = [] {
    auto columns =
        base::Columns<Row>("energy.csv", "energy.components.*")
            .text("chip", "", "instance of the chip", [](const Row& r) { return r.chip; })
            .text("state", "", "of the chip: used, idle or dead; summary.json adds up those in use",
                  [](const Row& r) { return r.state; })
            .text("component", "", "part of the chip", [](const Row& r) { return name_of(r.component); })
            .number("joules", Unit::kJoules, "energy", [](const Row& r) { return r.energy.joules(); })
            .number("dynamic_joules", Unit::kJoules, "of that, energy of events",
                    [](const Row& r) { return r.energy.dynamic; })
            .number("standing_joules", Unit::kJoules, "of that, what flows with time",
                    [](const Row& r) { return r.energy.standing; })
            .number("watts", Unit::kWatts, "average power",
                    [](const Row& r) { return r.seconds > 0 ? r.energy.joules() / r.seconds : 0; })
            .number(
                "percent", Unit::kPercent,
                "share of the energy of the chip; in summary.json, of those in use",
                [](const Row& r) { return base::percent_of(r.energy.joules(), r.all); }, base::Better::kLess);
    for (std::size_t n = 0; n < kProvenances; ++n) {
      const auto kind = static_cast<base::Provenance>(n);
      const std::string name = std::string(base::name_of(kind)) + "_joules";
      columns.number(name, kind == base::Provenance::kAssumed ? name : "", Unit::kJoules,
                     "energy that rests on parameters of this provenance",
                     [n](const Row& r) { return r.energy.by_provenance[n]; });
    }
    return columns;
  }();
  return kColumns;
}

const base::Columns<RegionEnergyRow>& region_energy_columns() {
  using Row = RegionEnergyRow;
  static const auto kColumns = [] {
    auto columns =
        base::Columns<Row>("energy_regions.csv", "energy.regions.*")
            .text("name", "name of the region", [](const Row& r) { return r.of.name; })
            .number("dynamic_joules", Unit::kJoules, "energy of the region's events",
                    [](const Row& r) { return r.of.total(); })
            .number(
                "percent", Unit::kPercent, "share of the dynamic energy of all chips",
                [](const Row& r) { return base::percent_of(r.of.total(), r.dynamic); }, base::Better::kLess);
    for (std::size_t n = 0; n < kEnergyComponents; ++n) {
      const auto component = static_cast<EnergyComponent>(n);
      if (component == EnergyComponent::kLeakage) continue;
      columns.number(std::string(name_of(component)) + "_joules", Unit::kJoules, doc_of(component),
                     [n](const Row& r) { return r.of.joules[n]; });
    }
    return columns;
  }();
  return kColumns;
}

std::string energy_csv(const EnergyLedger& ledger) {
  CsvLines lines(component_columns());
  for (const ChipEnergy& chip : ledger.chips)
    for (std::size_t n = 0; n < kEnergyComponents; ++n)
      lines.add(component_row(chip.chip, name_of(chip.state), chip.components, n, ledger.elapsed.seconds()));
  return lines.text();
}

std::string energy_regions_csv(const EnergyLedger& ledger) {
  const double dynamic = sum_of(ledger.components).dynamic;
  CsvLines lines(region_energy_columns());
  for (const RegionEnergy& region : ledger.regions) lines.add(RegionEnergyRow{region, dynamic});
  return lines.text();
}

Json energy_json(const EnergyLedger& ledger, double useful_flops) {
  const EnergySummary summary = summarise_energy(ledger, useful_flops);
  Json json = declared_json(summary, ledger.elapsed);
  json["hottest_chip"] = summary.hottest_chip;
  json["provenance_percent"] = declared_json(provenance_of(ledger));
  json["components"] = component_energies_json(ledger);
  json["regions"] = region_energies_json(ledger);
  return json;
}

}  // namespace tahoma::runtime
