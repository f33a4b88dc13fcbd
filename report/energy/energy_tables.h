// SPDX-License-Identifier: Apache-2.0
// The tables of a run's energy: energy.csv (each chip and component), energy_regions.csv (each region), and
// the block `energy` of summary.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/base/columns.h"
#include "report/energy/energy_ledger.h"

namespace tahoma::runtime {

struct ComponentRow {
  std::string chip;
  const char* state = "";  // of the chip
  EnergyComponent component = EnergyComponent::kTensor;
  ComponentEnergy energy;
  double all = 0, seconds = 0;  // joules of the chip, or of those in use; elapsed time
};
const base::Columns<ComponentRow>& component_columns();

struct RegionEnergyRow {
  const RegionEnergy& of;
  double dynamic = 0;  // joules of the chips in use
};
const base::Columns<RegionEnergyRow>& region_energy_columns();

std::string energy_csv(const EnergyLedger& ledger);
std::string energy_regions_csv(const EnergyLedger& ledger);
nlohmann::ordered_json energy_json(const EnergyLedger& ledger, double useful_flops);

}  // namespace tahoma::runtime
