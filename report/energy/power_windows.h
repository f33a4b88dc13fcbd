// SPDX-License-Identifier: Apache-2.0
// The power of all chips over time, for power.csv and the page. The energy of a run is exact; its course is
// estimated: the dynamic energy of an engine is divided among windows by its busy time, that of instructions,
// SBUF, PSUM and clocks by the busy time of all engines, that of HBM, DMA and networks by the busy time of
// the stacks, that of NeuronLink by the busy time of the links. Energy of a resource without any busy time,
// and standing energy, is spread evenly. Windows times power is the energy of the run.
#pragma once

#include <string>
#include <vector>

#include "model/base/columns.h"
#include "report/energy/energy_ledger.h"
#include "report/files/engine_windows.h"

namespace tahoma::runtime {

struct PowerWindow {
  base::Duration start, length;
  double compute = 0, memory = 0, links = 0, standing = 0;  // watts
  double watts() const { return compute + memory + links + standing; }
};
// Returns no windows for a run without time.
std::vector<PowerWindow> power_windows(const EnergyLedger& ledger, const base::RunMeasurement& run,
                                       const std::vector<EngineRecorder::Engine>& engines);

const base::Columns<PowerWindow>& power_columns();
std::string power_csv(const std::vector<PowerWindow>& windows);

}  // namespace tahoma::runtime
