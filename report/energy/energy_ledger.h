// SPDX-License-Identifier: Apache-2.0
// The energy of a finished run: joules by chip and component, by region, and by the provenance of the
// parameters behind them. Pure functions of the measurement and the parameters; no statistic and no time of a
// run depends on them.
//
// Dynamic energy is that of events; standing energy is proportional to time, independent of the program.
// Components add up to the total, which is the average power times the elapsed time. Regions share the
// dynamic energy: that of instructions and transfers exactly; clocks by busy cycles, HBM and crossings by
// bytes of HBM, NeuronLink by the bytes sent to other chips. Standing energy belongs to no region.
//
// Components, regions and powers are those of the chips in use: what idle chips of the machine draw is listed
// apart. The power at the wall adds the hosts, the fans and the losses of the power supplies of the chips in
// use. The building's losses are part of a price list (report/cost).
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "model/base/params.h"
#include "report/energy/chip_events.h"

namespace tahoma::runtime {

inline constexpr std::size_t kProvenances = 5;
using JoulesByProvenance = std::array<double, kProvenances>;

struct ComponentEnergy {
  double dynamic = 0, standing = 0;  // joules
  JoulesByProvenance by_provenance{};
  double joules() const { return dynamic + standing; }
  void operator+=(const ComponentEnergy& other);
};
using ComponentEnergies = std::array<ComponentEnergy, kEnergyComponents>;
ComponentEnergy sum_of(const ComponentEnergies& components);

// A chip is in use if anything happened on it: an instruction, a busy engine, a byte of HBM, a link or a
// crossing. An idle chip has standing energy only; a dead one has no energy.
enum class ChipState : std::uint8_t { kUsed, kIdle, kDead };
const char* name_of(ChipState state);

struct ChipEnergy {
  std::string chip;
  ChipState state = ChipState::kUsed;
  ComponentEnergies components;
};

struct RegionEnergy {
  std::string name;
  std::array<double, kEnergyComponents> joules{};  // dynamic
  double total() const;
};

struct EnergyLedger {
  base::Duration elapsed;
  std::vector<ChipEnergy> chips;
  ComponentEnergies components;  // of the chips in use
  double idle_joules = 0;        // of the idle ones
  std::vector<RegionEnergy> regions;
  double wall_watts = 0;
  double limit_watts = 0;  // of a chip

  std::uint64_t count(ChipState state) const;
  double watts(double joules) const { return elapsed.fs > 0 ? joules / elapsed.seconds() : 0; }
};

// Returns the provenance of a parameter below `group`: chosen, if it does not have its default.
using ProvenanceOf = std::function<base::Provenance(const std::string& parameter)>;
ProvenanceOf provenance_in(const base::ParamTree& machine, const std::string& group = "machine.chip.energy.");

EnergyLedger energy_ledger(const model::MachineParams& machine, const base::RunMeasurement& run,
                           const RecordedWork& work, const ProvenanceOf& provenance);

// The power at the wall of so many chips that draw `watts`, with their hosts.
double wall_watts(const model::MachineParams& machine, std::uint64_t chips, double watts);

}  // namespace tahoma::runtime
