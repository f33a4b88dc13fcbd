// SPDX-License-Identifier: Apache-2.0
// Traffic of a pattern offered to a fabric alone: how long packets take and how much of them it accepts. No
// program, no core and no memory, so that a figure compares with simulators of networks. The routers and
// links are those of every machine; in the place of each chip stands a source with a queue without end and a
// sink that takes everything.
//
// Time is cut into slots in which a flit passes between router and chip. In every slot each chip makes a
// packet with a probability such that it offers the share `injection` of that rate.
#pragma once

#include "model/base/measurements.h"
#include "model/system/machine_params.h"

namespace tahoma::model {

enum class FabricPattern : std::uint8_t {
  kUniform,    // any chip, the own one too
  kBitcomp,    // the chip with the complement of the own number's bits; chips are a power of two
  kNeighbor,   // one further along every axis
  kBisection,  // half way round every axis: everything crosses the middle
};

struct FabricTraffic {
  FabricPattern pattern = FabricPattern::kUniform;
  base::Bytes flit{32};
  std::uint64_t flits = 1;  // of a packet
  double injection = 0.1;
  std::uint64_t warm_up = 1000, measured = 5000;  // slots
  std::uint64_t seed = 1;
};

// Over the packets made in the measured slots, from when they were made to their last byte at the sink.
struct FabricResult {
  std::uint64_t packets = 0;
  double latency = 0, longest = 0;  // slots
  double accepted = 0;              // share of the rate between router and chip, while it was measured
  double links = 0;                 // on the way of a packet
  std::vector<base::LinkMeasurement> measurements;
};

// `params` have passed check() and give the rate between router and chip (machine.link.local). Elaborates:
// once in a process.
FabricResult run_fabric_traffic(const MachineParams& params, const FabricTraffic& traffic);

}  // namespace tahoma::model
