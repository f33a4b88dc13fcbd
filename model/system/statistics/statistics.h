// SPDX-License-Identifier: Apache-2.0
// Collects plain measurements from the finished modules; list_statistics.h converts them to the statistics
// tree. It also checks the accounting: every engine's times by stall reason add up, and everything that
// entered the links has left them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/stats.h"
#include "model/system/folding/unfolding.h"
#include "model/system/machine/chip.h"
#include "model/system/machine/fabric.h"
#include "model/system/statistics/list_statistics.h"

namespace tahoma::model {

struct FinishedChips {
  // The representative for a chip that is not simulated; null: of another process.
  std::vector<Chip*> by_number;
  std::vector<const sim::Meter*> meters;  // likewise
  const Unfolding& unfolding;
};

// Returns the latest effect of the chips; `rest` counted what belongs to no chip, such as the activity of
// switches.
base::Time last_effect(const FinishedChips& chips, const sim::Meter& rest);

// Holds the measurements of one node, by its own names.
struct MeasuredNode {
  std::string path;  // of the chip; what follows is empty for a switch, but for its links
  std::vector<base::EngineMeasurement> engines;
  std::vector<base::DmaMeasurement> dma;
  std::vector<base::HbmMeasurement> hbm;
  std::vector<base::CrossingMeasurement> crossings;
  std::vector<MeasuredLink> links;
  std::vector<OnChipNetwork::Traffic> sent, received;  // by the other chip
};
// Holds the measurements of one process.
struct MeasuredPart {
  base::RunCounts counts;
  std::map<std::uint32_t, MeasuredNode> nodes;  // those that it has simulated
  std::vector<Fabric::HighWater> high_waters;   // of links that end here and begin in another process
};
MeasuredPart measure_part(const FinishedChips& chips, const Fabric& fabric, const MachineParams& params,
                          const sim::Meter& rest, base::Duration elapsed);
// Puts all parts of the machine together.
base::RunMeasurement assemble(std::vector<MeasuredPart> parts, const Unfolding& unfolding,
                              const Fabric& fabric, const MachineParams& params, base::Duration elapsed);
// Checks that everything that one chip sent to another has arrived, and nothing else: the same number of
// packets and bytes and, in functional mode, equal data checksums.
void check_traffic(std::string_view from, std::string_view to, const OnChipNetwork::Traffic& sent,
                   const OnChipNetwork::Traffic& received);

}  // namespace tahoma::model
