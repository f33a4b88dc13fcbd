// SPDX-License-Identifier: Apache-2.0
// Offers synthetic traffic to the fabric alone and measures packet latency and accepted throughput. There are
// no programs, cores or memories, so the figures are comparable with network simulators. The routers and
// links are those of every machine; each chip is replaced by a source with an unbounded queue and a sink that
// accepts everything.
//
// Time is divided into slots in which one flit passes between router and chip. In every slot each chip
// creates a packet with a probability such that it offers the fraction `injection` of that rate.
#pragma once

#include "model/base/measurements.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::model {

enum class FabricPattern : std::uint8_t {
  kUniform,    // any chip, including itself
  kBitcomp,    // the chip whose number is the bitwise complement; the number of chips is a power of two
  kNeighbor,   // one further along every axis
  kBisection,  // half way around every axis: all packets cross the bisection
};

struct FabricTraffic {
  FabricPattern pattern = FabricPattern::kUniform;
  base::Bytes flit{32};
  std::uint64_t flits = 1;  // of a packet
  double injection = 0.1;
  std::uint64_t warm_up = 1000, measured = 5000;  // slots
  std::uint64_t seed = 1;
};

// Results over the packets created in the measured slots, from creation to their last byte at the sink.
struct FabricResult {
  std::uint64_t packets = 0;
  double latency = 0, longest = 0;  // slots
  double accepted = 0;              // fraction of the rate between router and chip, during measurement
  double links = 0;                 // on a packet's route
  std::vector<base::LinkMeasurement> measurements;
};

// `params` have passed check() and give the rate between router and chip (machine.link.local). This
// elaborates SystemC, so call it only once per process.
FabricResult run_fabric_traffic(const MachineParams& params, const FabricTraffic& traffic);

}  // namespace tahoma::model
