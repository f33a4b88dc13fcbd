// SPDX-License-Identifier: Apache-2.0
// The fabric alone, under synthetic traffic, against closed forms.
#include "model/system/statistics/fabric_traffic.h"

#include <catch2/catch.hpp>

#include "tests/support/bench/flit_machine.h"
#include "tests/support/in_child.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using namespace tahoma::model;

namespace {

// A hop takes six slots of a nanosecond.
MachineParams flit_machine(base::FabricKind topology = base::fabric_named("torus")) {
  MachineParams m = tests::with_flit_rates(tests::machine_of(4, 4, 4));
  m.link.topology = topology;
  m.link.wire = 1_ns;
  m.link.router = 5_ns;
  m.check();
  return m;
}

constexpr double kMoreThanAll = 2;  // of the rate between router and chip: something always waits

FabricResult run_traffic(const MachineParams& m, FabricPattern pattern, double injection,
                         std::uint64_t flits = 8) {
  FabricTraffic traffic;
  traffic.pattern = pattern;
  traffic.injection = injection;
  traffic.flits = flits;
  return run_fabric_traffic(m, traffic);
}

}  // namespace

TEST_CASE("fabric: a single packet takes a router, a wire and a router for each link, and its own length",
          "[link]") {
  const FabricResult r = run_traffic(flit_machine(), FabricPattern::kBitcomp, 0.002);
  REQUIRE(r.packets > 50);
  CHECK(r.links == Approx(3));
  CHECK(r.latency == Approx(5 + 3 * (1 + 5) + 8).epsilon(0.01));
}

TEST_CASE("fabric: traffic across the middle of the torus uses all of its bisection", "[link]") {
  const FabricResult r = run_traffic(flit_machine(), FabricPattern::kBisection, kMoreThanAll);
  CHECK(r.links == Approx(6));
  CHECK(r.accepted > 0.99);
  for (const base::LinkMeasurement& l : r.measurements) CHECK(l.payload_bytes > 0);
}

TEST_CASE("fabric: a saturated link carries its full rate and everything arrives", "[link]") {
  MachineParams m = flit_machine();
  m.link.x = 16_GBps;  // half of what is offered has to go through
  m.link.y = m.link.z = 64_GBps;
  const FabricResult r = run_traffic(m, FabricPattern::kNeighbor, 1.0);
  CHECK(r.accepted == Approx(0.5).epsilon(0.02));
}

TEST_CASE("fabric: uniform traffic has the torus' average distance, and is accepted up to eight tenths",
          "[link]") {
  const FabricResult r = run_traffic(flit_machine(), FabricPattern::kUniform, 0.8);
  CHECK(r.links == Approx(3).epsilon(0.02));  // one along each axis
  CHECK(r.accepted == Approx(0.8).epsilon(0.02));
}

TEST_CASE("fabric: with adaptive routing everything arrives, also beyond saturation", "[link]") {
  MachineParams m = flit_machine();
  m.link.routing = Routing::kAdaptive;
  m.link.x = m.link.y = m.link.z = 8_GBps;
  m.check();
  const FabricResult r = run_traffic(m, FabricPattern::kUniform, 1.0);
  CHECK(r.packets > 30'000);
  CHECK(r.accepted < 0.55);
}

TEST_CASE("fabric: beyond saturation dimension order is free of deadlock on torus, mesh and ring", "[link]") {
  for (const base::FabricKind topology :
       {base::fabric_named("torus"), base::fabric_named("mesh"), base::fabric_named("ring")}) {
    const std::string packets = tests::in_child([&] {
      MachineParams m = flit_machine(topology);
      m.torus.z = 1;
      m.link.x = m.link.y = 8_GBps;
      return std::to_string(run_traffic(m, FabricPattern::kUniform, 1.0).packets);
    });
    CHECK(std::stoul(packets) > 8'000);
  }
}

TEST_CASE("fabric: one switch connects any two chips in two links, at the full rate of permutations",
          "[link]") {
  const FabricResult r =
      run_traffic(flit_machine(base::fabric_named("switched")), FabricPattern::kBitcomp, kMoreThanAll);
  CHECK(r.links == Approx(2));
  CHECK(r.accepted > 0.99);
}

TEST_CASE("fabric: adaptive routing balances traffic that dimension order puts on one link", "[link]") {
  const auto latency = [](Routing routing) {
    return std::stod(tests::in_child([&] {
      MachineParams m = flit_machine(base::fabric_named("mesh"));
      m.link.routing = routing;
      m.check();
      return std::to_string(run_traffic(m, FabricPattern::kUniform, 0.9).latency);
    }));
  };
  CHECK(latency(Routing::kAdaptive) < latency(Routing::kDimensionOrder));
}

// Half of uniform traffic crosses the middle, and half of that in each direction: 64 chips x a quarter of
// their injection, over the 32 links of the two cuts.
TEST_CASE("fabric: uniform traffic fills the bisection of the torus with adaptive routing", "[link]") {
  MachineParams m = flit_machine();
  m.link.x = m.link.y = m.link.z = 4_GBps;
  m.link.routing = Routing::kAdaptive;
  m.link.vcs = 8;
  m.link.buffer = 8_KiB;
  m.check();
  const double bound = 32 * 4.0 / (64 * 32.0 / 4);
  FabricTraffic traffic;
  traffic.flits = 8;
  traffic.injection = 1.2 * bound;
  traffic.warm_up = 10'000;
  traffic.measured = 10'000;
  const FabricResult r = run_fabric_traffic(m, traffic);
  CHECK(r.accepted == Approx(bound).epsilon(0.01));
}
