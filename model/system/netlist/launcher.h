// SPDX-License-Identifier: Apache-2.0
// Starts programs during a run. It exists only if some program does not start with the run.
#pragma once

#include <deque>
#include <set>
#include <vector>

#include "model/sim/wake.h"
#include "model/system/netlist/netlist.h"
#include "model/system/netlist/program_start.h"

namespace tahoma::model {

class Launcher : private CoreEndIf {
 public:
  // Before the run, when the programs are loaded. The netlist outlives it.
  Launcher(Netlist& netlist, const std::vector<ProgramStart>& starts);

 private:
  struct Launch {
    Launch(const Netlist& netlist, const ProgramStart& start);
    void core_ended(std::uint32_t core, base::Time at);
    void launch();

    std::vector<NeuronCore*> cores;
    std::set<std::uint32_t> waits_for;
    base::Time when;
    sim::Wake wake = sim::Wake::calling<&Launch::launch>(this);
  };

  void core_ended(std::uint32_t core) override;

  const Netlist& netlist_;
  std::deque<Launch> launches_;  // a wake does not move
};

}  // namespace tahoma::model
