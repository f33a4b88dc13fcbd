// SPDX-License-Identifier: Apache-2.0
#include "model/system/netlist/launcher.h"

#include <algorithm>

namespace tahoma::model {

Launcher::Launch::Launch(const Netlist& netlist, const ProgramStart& start)
    : waits_for(start.after.begin(), start.after.end()), when(start.at) {
  for (const std::uint32_t core : start.cores)
    if (netlist.simulates_core(core)) cores.push_back(&netlist.core(core));
  for (NeuronCore* core : cores) core->hold();
  // Cores that another one stands for end with it.
  std::erase_if(waits_for, [&](std::uint32_t core) { return !netlist.simulates_core(core); });
  if (waits_for.empty()) wake.at(when);
}

void Launcher::Launch::core_ended(std::uint32_t core, base::Time at) {
  if (waits_for.erase(core) == 0) return;
  when = std::max(when, at);
  if (waits_for.empty()) wake.at(when);
}

void Launcher::Launch::launch() {
  for (NeuronCore* core : cores) core->start(when);
}

Launcher::Launcher(Netlist& netlist, const std::vector<ProgramStart>& starts) : netlist_(netlist) {
  for (const ProgramStart& start : starts) {
    for (const std::uint32_t core : start.after)
      if (netlist.simulates_core(core)) netlist.core(core).report_end(*this);
    launches_.emplace_back(netlist, start);
  }
}

// The last instruction may have run ahead of the simulated time, and the last transfer ends now.
void Launcher::core_ended(std::uint32_t core) {
  const base::Time at = std::max(sim::now(), netlist_.core(core).ended());
  for (Launch& launch : launches_) launch.core_ended(core, at);
}

}  // namespace tahoma::model
