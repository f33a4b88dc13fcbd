// SPDX-License-Identifier: Apache-2.0
// From finished modules to plain measurements, and from those to the statistics tree. Checks the books on the
// way: every engine's named times add up, what entered the links has left them.
#pragma once

#include <vector>

#include "model/base/stats.h"
#include "model/system/chip.h"
#include "model/system/fabric.h"

namespace tahoma::model {

base::RunMeasurement measure(const std::vector<Chip*>& chips, const Fabric& fabric,
                             const MachineParams& params, const sim::Meter& meter);
void list_statistics(const base::RunMeasurement& run, base::StatSink& sink);

}  // namespace tahoma::model
