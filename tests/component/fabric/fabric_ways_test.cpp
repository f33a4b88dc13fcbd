// SPDX-License-Identifier: Apache-2.0
// The fabric as plain numbers: routes, their lengths and rates, on healthy and faulty machines.
#include "model/system/machine/fabric_ways.h"

#include <catch2/catch.hpp>

#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using model::FabricWays;
using model::MachineParams;

namespace {

// The rate without headers, of the default 128 GB/s.
double full(const MachineParams& m) {
  const auto packet = static_cast<double>(m.link.packet.count);
  return static_cast<double>(m.link.x.bytes_per_second) * packet /
         (packet + static_cast<double>(m.link.header.count));
}

}  // namespace

TEST_CASE("fabric ways: a route is as long as coordinates are apart, in the shorter direction", "[link]") {
  const MachineParams m = tests::machine_of(4, 3, 2);
  const FabricWays ways(m);
  const auto along = [](std::uint32_t a, std::uint32_t b, std::uint32_t n) {
    const std::uint32_t up = (b + n - a) % n;
    return std::min(up, n - up);
  };
  for (std::uint32_t from = 0; from < m.chips(); ++from)
    for (std::uint32_t to = 0; to < m.chips(); ++to) {
      const auto &a = ways.at(from), &b = ways.at(to);
      CHECK(ways.hops(from, to) == along(a[0], b[0], 4) + along(a[1], b[1], 3) + along(a[2], b[2], 2));
    }
  CHECK(ways.rate(0, 1) == Approx(full(m)));
  CHECK(ways.rate(0, 12) == Approx(full(m) / 2));  // along z
}

TEST_CASE("fabric ways: a slow link slows its routes, a dead one causes a detour", "[link]") {
  MachineParams m = tests::machine_of(4, 1, 1);
  m.instances.links["server0.chip01.link.xp"].rate = 0.25;
  m.instances.links["server0.chip02.link.xp"].dead = true;
  const FabricWays ways(m);
  CHECK(ways.rate(1, 2) == Approx(full(m) / 4));
  CHECK(ways.rate(2, 1) == Approx(full(m)));
  CHECK(ways.hops(2, 3) == 3);
  CHECK(ways.hops(3, 2) == 1);
}

TEST_CASE("fabric ways: an unreachable chip has a route without links", "[link]") {
  MachineParams m = tests::machine_of(2, 1, 1);
  m.instances.links["server0.chip00.link.xp"].dead = true;
  const FabricWays ways(m);
  CHECK(ways.hops(0, 1) == 0);
  CHECK(ways.hops(1, 0) == 1);
}

TEST_CASE("fabric ways: over a switch every route has two links", "[link]") {
  MachineParams m = tests::machine_of(4, 1, 1);
  m.link.topology = base::fabric_named("switched");
  const FabricWays ways(m);
  CHECK(ways.links().size() == 8);
  CHECK(ways.hops(0, 3) == 2);
  CHECK(ways.links()[ways.links().size() - 1].name == "down03");
}
