// SPDX-License-Identifier: Apache-2.0
// From finished modules to plain measurements; list_statistics.h leads on to the statistics tree. Checks the
// books on the way: every engine's named times add up, what entered the links has left them.
#pragma once

#include <string_view>
#include <vector>

#include "model/base/stats.h"
#include "model/system/chip.h"
#include "model/system/fabric.h"
#include "model/system/statistics/list_statistics.h"

namespace tahoma::model {

base::RunMeasurement measure(const std::vector<Chip*>& chips, const Fabric& fabric,
                             const MachineParams& params, const sim::Meter& meter);
// Whatever a chip sent another has arrived there, and nothing else: as many packets and bytes, and in
// functional mode data of the same checksums.
void check_traffic(std::string_view from, std::string_view to, const OnChipNetwork::Traffic& sent,
                   const OnChipNetwork::Traffic& received);

}  // namespace tahoma::model
