// SPDX-License-Identifier: Apache-2.0
// The share of one process in a run of several: it simulates its nodes in windows and brings their events and
// measurements to process 0.
#pragma once

#include "model/system/machine/fabric.h"
#include "model/system/netlist/netlist.h"
#include "model/system/parallel/counts.h"
#include "model/system/parallel/cut.h"
#include "model/system/parallel/event_log.h"

namespace tahoma::model {

class MachineShare {
 public:
  // All of these outlive the share.
  // `memory`: all stacks. `functional`: values travel; otherwise only control values do.
  MachineShare(Processes& processes, const Fabric& fabric, const MachineParams& params,
               sim::PayloadPool& pool, AddressMap& memory, bool functional);

  // Assigns the chips to processes anew before a netlist exists, because some of them represent others. Every
  // process has found the same folding.
  void deal(const Folding& folding);
  Cut& cut() { return cut_; }
  MemoryExchange& peers() { return peers_; }
  bool reports() const { return processes_.reports(); }

  // Before the run: the observers of `meter` will receive the events of all chips in process 0; the modules
  // report to this share.
  void observe(sim::Meter& meter);
  // Simulates until no event is left. Throws what System::run() throws, in process 0; ReportedElsewhere in
  // the others.
  void run(Netlist& netlist, sim::Meter& meter);
  // After the run: returns the measurement of the machine in process 0, an empty one in others.
  base::RunMeasurement measure(const Netlist& netlist, const sim::Meter& meter);
  const ParallelCounts& counts() const { return counts_; }

 private:
  base::Duration window();  // for which no process needs to hear of the others
  void gather_events();
  bool replay_some(sim::Meter& meter);
  void replay_all();
  void refuse_deadlock(const Netlist& netlist) const;

  Processes& processes_;
  const Fabric& fabric_;
  const MachineParams& params_;
  sim::PayloadPool& pool_;
  NodeShares shares_;
  MemoryExchange peers_;
  Cut cut_;
  EventLog log_;
  std::unique_ptr<EventReplay> replay_;
  ParallelCounts counts_;
};

}  // namespace tahoma::model
