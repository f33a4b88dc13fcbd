// SPDX-License-Identifier: Apache-2.0
// A network of flits under synthetic traffic, against closed forms and a flit-level simulator's throughput.
#include <algorithm>
#include <catch2/catch.hpp>

#include "model/system/statistics/fabric_traffic.h"
#include "tests/support/bench/flit_machine.h"
#include "tests/support/in_child.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using namespace tahoma::tests;
using model::FabricPattern, model::FabricResult, model::MachineParams;

namespace {

constexpr double kMoreThanAll = 2;  // of the rate between router and chip: something always waits

FabricResult offer(const MachineParams& m, FabricPattern pattern, double injection, std::uint64_t flits) {
  m.check();
  model::FabricTraffic traffic;
  traffic.pattern = pattern;
  traffic.injection = injection;
  traffic.flits = flits;
  return run_fabric_traffic(m, traffic);
}

double accepted(const MachineParams& m, FabricPattern pattern, std::uint64_t flits,
                double injection = kMoreThanAll) {
  return std::stod(in_child([&] { return std::to_string(offer(m, pattern, injection, flits).accepted); }));
}

// Packets of n flits at most in a virtual channel, which takes n + 2 cycles for each.
double share_of_channels(unsigned channels, double flits) {
  return std::min(1.0, channels * flits / (flits + 2));
}

}  // namespace

TEST_CASE("flits: a single packet takes its pipeline stages, wires and length, whatever the distance",
          "[link]") {
  struct Trip {
    FabricPattern pattern;
    unsigned links;
  };
  const Trip trips[] = {
      {FabricPattern::kNeighbor, 3}, {FabricPattern::kBitcomp, 3}, {FabricPattern::kBisection, 6}};
  for (const Trip& trip : trips)
    for (const std::uint64_t flits : {1U, 8U}) {
      const MachineParams m = flit_machine(4, 4, 4);
      const double latency = std::stod(in_child([&] {
        const FabricResult r = offer(m, trip.pattern, 0.002, flits);
        return r.packets > 50 ? std::to_string(r.latency) : "too few packets";
      }));
      CHECK(latency == Approx(flit_latency(m, trip.links, flits)).epsilon(0.005));
    }
}

TEST_CASE("flits: latency follows the flight times of the wires, on a ring", "[link]") {
  for (const std::int64_t wire : {1, 7})
    for (const std::int64_t local : {0, 5}) {
      MachineParams m = flit_machine(5, 1, 1);
      m.link.wire = base::Duration{wire * 1'000'000};
      m.link.port.local_wire = base::Duration{local * 1'000'000};
      const double latency = std::stod(
          in_child([&] { return std::to_string(offer(m, FabricPattern::kNeighbor, 0.005, 4).latency); }));
      CHECK(latency == Approx(flit_latency(m, 1, 4)).epsilon(0.005));
    }
}

TEST_CASE("flits: traffic to neighbours saturates at the rate of its virtual channels, and long packets at 1",
          "[link]") {
  for (const unsigned vcs : {2U, 4U})
    for (const std::uint64_t flits : {1U, 2U, 8U}) {
      MachineParams m = flit_machine(4, 4, 1);
      m.link.vcs = vcs;
      const unsigned channels = vcs / 2;  // those that end behind the end of their ring have the other half
      CAPTURE(vcs, flits);
      CHECK(accepted(m, FabricPattern::kNeighbor, flits) ==
            Approx(share_of_channels(channels, static_cast<double>(flits))).epsilon(0.01));
    }
}

// workloads/micro/network/flit_allocated.csv leaves out these rows, which have no stationary latency.
TEST_CASE("flits: single flits of bitcomp and neighbor saturate where the flit-level simulator has it",
          "[link]") {
  constexpr double kReference = 0.6667;  // accepted flits per chip and cycle at loads 0.7 and 0.8: BookSim 2
  for (const FabricPattern pattern : {FabricPattern::kBitcomp, FabricPattern::kNeighbor})
    for (const double load : {0.7, 0.8})
      CHECK(accepted(flit_machine(4, 4, 4), pattern, 1, load) == Approx(kReference).epsilon(0.03));
}

// A flit is back as a credit after the switch, the traversal and the wire, and as long on the way back, less
// one cycle; a head also takes the stages of route and virtual channel. A packet that fills the buffer is
// followed by the next after that time.
TEST_CASE("flits: a long wire limits a virtual channel to one buffer in a round trip", "[link]") {
  MachineParams m = flit_machine(4, 1, 1);
  m.link.vcs = 2;
  m.link.buffer = 256_B;  // 8 flits
  m.link.wire = 20_ns;
  CHECK(accepted(m, FabricPattern::kNeighbor, 8) == Approx(8.0 / (2 * 20 + 5)).epsilon(0.01));
}

TEST_CASE("flits: beyond saturation, nothing is lost and nothing waits for ever, on torus, mesh and ring",
          "[link]") {
  for (const char* topology : {"torus", "mesh", "ring"})
    for (const std::uint64_t flits : {1U, 8U}) {
      CAPTURE(topology, flits);
      const std::string packets = in_child([&] {
        MachineParams m = flit_machine(4, 5, 1);
        m.link.topology = base::fabric_named(topology);
        m.link.vcs = 2;
        m.link.buffer = 256_B;
        return std::to_string(offer(m, FabricPattern::kUniform, 1, flits).packets);
      });
      CHECK(std::stoul(packets) * flits > 90'000);  // run_fabric_traffic() checks that all have arrived
    }
}

TEST_CASE("flits: a link is busy for one cycle per flit, and chips send what chips receive", "[link]") {
  const FabricResult r = offer(flit_machine(4, 4, 1), FabricPattern::kUniform, 0.7, 8);
  CHECK(r.links == Approx(2).epsilon(0.02));  // one along each axis
  CHECK(r.accepted == Approx(0.7).epsilon(0.02));
  std::uint64_t flits = 0, in_flows = 0;
  for (const base::LinkMeasurement& l : r.measurements) {
    CHECK(l.busy.ns() == Approx(static_cast<double>(l.wire_bytes) / 32));
    CHECK(l.packets * 256 == l.wire_bytes);
    CHECK(l.queue_high_water > 1);
    flits += l.wire_bytes / 32;
    for (const base::LinkFlow& flow : l.flows) in_flows += flow.payload_bytes / 32;
  }
  CHECK(in_flows == flits);
}

TEST_CASE("flits: two virtual channels are never worse than one, and longer queues than shorter ones",
          "[link]") {
  const auto latency = [](std::uint64_t vcs, base::Bytes buffer) {
    return std::stod(in_child([&] {
      MachineParams m = flit_machine(4, 4, 1);
      m.link.vcs = vcs;
      m.link.buffer = buffer;
      return std::to_string(offer(m, FabricPattern::kUniform, 0.6, 8).latency);
    }));
  };
  CHECK(latency(4, 512_B) < latency(2, 512_B));
  CHECK(latency(4, 512_B) < latency(4, 256_B));
}
