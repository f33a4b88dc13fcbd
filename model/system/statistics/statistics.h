// SPDX-License-Identifier: Apache-2.0
// Collects plain measurements from the finished modules; list_statistics.h converts them to the statistics
// tree. It also checks the accounting: every engine's times by stall reason add up, and everything that
// entered the links has left them.
#pragma once

#include <string_view>
#include <vector>

#include "model/base/stats.h"
#include "model/system/chip.h"
#include "model/system/fabric.h"
#include "model/system/folding/unfolding.h"
#include "model/system/statistics/list_statistics.h"

namespace tahoma::model {

// The chips of a finished machine.
struct FinishedChips {
  std::vector<Chip*> by_number;           // the representative for a chip that is not simulated
  std::vector<const sim::Meter*> meters;  // likewise
  const Unfolding& unfolding;
};

// `rest` counted what belongs to no chip, such as the activity of switches.
base::RunMeasurement measure(const FinishedChips& chips, const Fabric& fabric, const MachineParams& params,
                             const sim::Meter& rest);
// Checks that everything that one chip sent to another has arrived, and nothing else: the same number of
// packets and bytes and, in functional mode, equal data checksums.
void check_traffic(std::string_view from, std::string_view to, const OnChipNetwork::Traffic& sent,
                   const OnChipNetwork::Traffic& received);

}  // namespace tahoma::model
