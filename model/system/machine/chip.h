// SPDX-License-Identifier: Apache-2.0
// Netlist of a chip: NeuronCores, the rendezvous of logical cores, HBM stacks, the on-chip network and the
// NeuronLink router.
#pragma once

#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "model/link/on_chip_network.h"
#include "model/memory/banks/bank_stack.h"
#include "model/memory/hbm/address_map.h"
#include "model/memory/hbm/dram_stack.h"
#include "model/memory/hbm/flat_stack.h"
#include "model/system/machine/fabric.h"
#include "model/system/machine/machine_params.h"
#include "model/system/machine/neuron_core.h"
#include "model/system/machine/stack_maker.h"

namespace tahoma::model {

class Chip : public sc_core::sc_module {
 public:
  struct Shared {  // one of each per machine
    const MachineParams& params;
    Fabric& fabric;
    sim::PayloadPool& pool;
    AddressMap& memory;
    std::shared_ptr<const DramDesign> dram;  // null: flat stacks
    const StackMaker& stacks;                // empty: all stacks are modelled here
    bool functional, run_ahead;
    check::RaceChecker* checker;  // null: no checks
    sim::PeerMemoryIf* peers;     // HBM of other processes; null: there is none, or no values
  };
  Chip(sc_core::sc_module_name name, std::uint32_t chip, const Shared& shared, sim::Meter& meter);

  const FabricNode& link() const { return *link_; }
  NeuronCore& core(std::uint32_t index) { return *cores_[index]; }
  const OnChipNetwork& network() const { return network_; }
  HbmStack& stack(std::uint32_t index) { return *stacks_[index]; }

  // Called after every link of the machine is bound: the chip's own network is the last input of its node.
  void bind_link();

 private:
  const CoreParams core_params_;  // of its cores, which refer to it
  OnChipNetwork network_;
  std::unique_ptr<FabricNode> link_;
  std::vector<std::unique_ptr<HbmStack>> stacks_;
  std::vector<std::unique_ptr<Rendezvous>> rendezvous_;
  std::vector<std::unique_ptr<NeuronCore>> cores_;
};

// Netlist of a server: the chips of one z plane that are simulated.
class Server : public sc_core::sc_module {
 public:
  // The meter of each chip; null for a chip that is not simulated.
  using MeterOf = std::function<sim::Meter*(std::uint32_t chip)>;
  // `order`: its chips in the order of their construction.
  Server(sc_core::sc_module_name name, const std::vector<std::uint32_t>& order, const Chip::Shared& shared,
         const MeterOf& meter_of);
  std::vector<std::unique_ptr<Chip>>& chips() { return chips_; }  // by number; null if not simulated

 private:
  std::vector<std::unique_ptr<Chip>> chips_;
};

}  // namespace tahoma::model
