// SPDX-License-Identifier: Apache-2.0
// What the transfers of a schedule lay on a machine: bytes by resource, and how long the busiest of each kind
// takes for its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/system/fabric_ways.h"
#include "runtime/collective/schedule/itinerary.h"

namespace tahoma::runtime::collective {

// Bytes a second of what a rank has to itself.
struct RankRates {
  double engines;  // DMA engines that the collective queues in use deal transfers to
  double hbm;      // its share of the chip's stacks
};
RankRates rates_of(const model::MachineParams& machine, std::size_t cores, std::size_t channels);

class Loads {
 public:
  // `chips`: of each rank. Both outlive this.
  Loads(const model::FabricWays& ways, const std::vector<std::uint32_t>& chips, const RankRates& rates);

  // A transfer of so many bytes: on every link of its way, on the sender's engines once for each source, on
  // both ends' stacks.
  void add(const Transfer& transfer, const Hop& hop, double bytes);
  void add(const Loads& other);

  double link_seconds() const;                     // of the busiest link
  double engine_seconds() const;                   // of the busiest rank
  double more_source_seconds() const;              // of those, for the sources of sums beyond the first
  std::pair<double, std::string> busiest() const;  // of all resources: its seconds, "link xp", "HBM"

 private:
  const model::FabricWays* ways_;
  const std::vector<std::uint32_t>* chips_;
  RankRates rates_;
  std::vector<double> links_, moved_, stacks_, more_;
};

}  // namespace tahoma::runtime::collective
