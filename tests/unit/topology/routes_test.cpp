// SPDX-License-Identifier: Apache-2.0
// Routes of single fabrics; tests/support/fabric/topology_laws.h has the laws of all fabrics.
#include "model/base/topology/routes.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "tests/support/fabric/topology_laws.h"

using namespace tahoma;
using base::AxisOrder, base::DeadLinks, base::PortIndex, base::Routes, base::Topology, base::topology_row;
using tests::FabricHop, tests::may_deadlock, tests::walk;

namespace {

constexpr AxisOrder kXyz{0, 1, 2};

// For a grid: ports come in pairs.
DeadLinks both_ways(const Topology& t, std::uint32_t chip, PortIndex port) {
  return {{chip, port}, {*t.neighbour(chip, port), port ^ 1U}};
}

}  // namespace

TEST_CASE("routes: axes are taken in the requested order", "[link]") {
  const auto t = topology_row("torus").make({4, 4, 4});
  for (const AxisOrder& order : {kXyz, AxisOrder{2, 1, 0}, AxisOrder{1, 0, 2}}) {
    const Routes routes(*t, order, {});
    std::string taken, asked;
    for (const FabricHop& hop : walk(*t, routes, t->chip({0, 0, 0}), t->chip({1, 1, 1})))
      taken += t->port(hop.node, hop.port).axis;
    for (const unsigned axis : order) asked += t->axes()[axis].name;
    CHECK(taken == asked);
  }
}

TEST_CASE("routes: half way round a ring, equally many chips go up and down", "[link]") {
  const auto t = topology_row("torus").make({4, 1, 1});
  const Routes routes(*t, kXyz, {});
  std::map<std::pair<std::uint32_t, PortIndex>, int> load;
  for (std::uint32_t a = 0; a < 4; ++a)
    for (const FabricHop& hop : walk(*t, routes, a, (a + 2) % 4)) ++load[{hop.node, hop.port}];
  for (const auto& [link, packets] : load) CHECK(packets == 1);
  CHECK(load.size() == 8);
}

TEST_CASE("routes: without classes a ring of five can deadlock", "[link]") {
  const auto t = topology_row("torus").make({5, 1, 1});
  const Routes routes(*t, kXyz, {});
  CHECK(may_deadlock(*t, routes, false));
  CHECK_FALSE(may_deadlock(*t, routes));
}

TEST_CASE("routes: routes avoid dead links, and still cannot deadlock", "[link]") {
  std::mt19937 random(7);
  for (const auto& [name, size] :
       {std::pair<const char*, base::MachineSize>{"torus", {4, 4, 4}}, {"ring", {4, 4, 1}}}) {
    const auto t = topology_row(name).make(size);
    for (int n = 0; n < 20; ++n) {
      const auto chip = static_cast<std::uint32_t>(random() % t->chips());
      const auto port = static_cast<PortIndex>(random() % t->ports(chip));
      const DeadLinks dead = both_ways(*t, chip, port);
      const Routes routes(*t, kXyz, dead);
      for (std::uint32_t a = 0; a < t->chips(); ++a)
        for (std::uint32_t b = 0; b < t->chips(); ++b) {
          if (a == b) continue;
          const auto hops = walk(*t, routes, a, b);
          REQUIRE_FALSE(hops.empty());
          for (const FabricHop& hop : hops) REQUIRE(dead.count({hop.node, hop.port}) == 0);
        }
      CHECK_FALSE(may_deadlock(*t, routes));
    }
  }
}

TEST_CASE("routes: a path that the order of axes does not permit does not exist, from any node on it",
          "[link]") {
  const auto t = topology_row("mesh").make({3, 1, 1});
  const Routes routes(*t, kXyz, both_ways(*t, 1, 0));
  CHECK(routes.way(0, 1).exists());
  CHECK_FALSE(routes.way(1, 2).exists());
  CHECK_FALSE(routes.way(0, 2).exists());
}
