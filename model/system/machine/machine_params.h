// SPDX-License-Identifier: Apache-2.0
// The whole machine as one tree of parameters, rooted at `machine`.
#pragma once

#include <memory>

#include "model/engine/params/engine_params.h"
#include "model/link/link_params.h"
#include "model/memory/hbm/hbm_params.h"
#include "model/system/area/area_params.h"
#include "model/system/energy/energy_params.h"
#include "model/system/machine/instance_params.h"

namespace tahoma::model {

struct TorusParams {
  std::uint64_t x, y, z;  // chips along each axis
  void declare(base::ParamTree& t);
};

struct NocParams {
  base::Duration request, response;     // DMA engine to stack, and back
  base::Duration cross_die;             // added to accesses of a stack on the other die
  base::Bandwidth cross_die_bandwidth;  // from one die to the other
  void declare(base::ParamTree& t);
};

struct ChipParams {
  // Every NeuronCore has two collective cores: 16 per chip (trainium2.rst; the driver has two per core).
  // Cores, stacks and dies need not divide: core c belongs to stack c * stacks / cores, and likewise for
  // dies.
  std::uint64_t cores, dies;
  std::uint32_t stack_of(std::uint64_t core) const {  // of its own chip, or of the machine
    return static_cast<std::uint32_t>(core % cores * hbm.stacks / cores);
  }
  std::uint64_t lnc;  // cores that form a logical core: 1, or 2 with cores 2 i and 2 i + 1 paired
  CoreParams core;
  HbmParams hbm;
  NocParams noc;
  ChipEnergyParams energy;  // read by reports only
  AreaParams area;          // read by reports only
  void declare(base::ParamTree& t);
};

struct MachineParams {
  std::string name;
  TorusParams torus;
  ChipParams chip;
  LinkParams link;
  RackParams rack;            // read by reports only
  base::Duration time_limit;  // simulated; 0: none
  InstanceParams instances;
  void declare(base::ParamTree& t);

  std::uint64_t chips() const { return torus.x * torus.y * torus.z; }
  std::uint64_t cores() const { return chips() * chip.cores; }
  // Return the values of a healthy instance by default. Every port of a dead chip is dead.
  StackFaults faults_of(std::uint64_t chip, std::uint64_t stack) const;
  LinkFaults faults_of_link(std::uint64_t chip, std::string_view port) const;
  LinkFaults faults_of_switch_link(std::string_view name, std::string_view port) const;
  double slowdown_of(std::uint64_t chip) const;
  bool is_dead(std::uint64_t chip) const;
  // Throws UserError E-RUN-055 if the chip is dead; `what` describes the use, such as "core 8 has a program".
  void refuse_dead(std::uint64_t chip, const std::string& what) const;
  // Checks constraints between parameters: usable SBUF within its size, banks that divide a partition, and so
  // on. Throws base::UserError.
  void check() const;
  // Every SystemVerilog block records its signals in that window. It is not a parameter, because no time
  // depends on it.
  void record(const base::WavesWindow& waves);
};

// Returns the topology of the fabric. The parameters have been checked, so the size is legal.
std::unique_ptr<const base::Topology> topology_of(const MachineParams& machine);

}  // namespace tahoma::model
