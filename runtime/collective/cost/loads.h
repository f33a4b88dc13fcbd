// SPDX-License-Identifier: Apache-2.0
// The load of a schedule's transfers on a machine: bytes by resource, and the time of the busiest
// resource of each kind.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/system/machine/fabric_ways.h"
#include "runtime/collective/schedule/itinerary.h"

namespace tahoma::runtime::collective {

// Rates of the resources that a rank does not share, in bytes per second.
struct RankRates {
  double engines;  // DMA engines that serve the collective queues in use
  double hbm;      // its share of the chip's stacks
};
RankRates rates_of(const model::MachineParams& machine, std::size_t cores, std::size_t channels);

class Loads {
 public:
  // `chips` has the chip of each rank. `ways` and `chips` must outlive this object.
  Loads(const model::FabricWays& ways, const std::vector<std::uint32_t>& chips, const RankRates& rates);

  // Adds a transfer of `bytes` bytes: to every link of its route, to the sender's engines once for each
  // source, and to the stacks at both ends.
  void add(const Transfer& transfer, const Hop& hop, double bytes);
  void add(const Loads& other);

  double link_seconds() const;         // of the busiest link
  double engine_seconds() const;       // of the busiest rank
  double more_source_seconds() const;  // of the busiest rank, for the sources of sums beyond the first
  // Over all resources: its seconds and name, "link xp", "HBM"
  std::pair<double, std::string> busiest() const;

 private:
  const model::FabricWays* ways_;
  const std::vector<std::uint32_t>* chips_;
  RankRates rates_;
  std::vector<double> links_, moved_, stacks_, more_;
};

}  // namespace tahoma::runtime::collective
