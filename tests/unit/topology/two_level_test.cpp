// SPDX-License-Identifier: Apache-2.0
// Two levels of switches: the laws of every topology, the lengths of routes, and the links that they use.
#include <catch2/catch.hpp>

#include "model/base/topology/topologies.h"
#include "tests/support/fabric/topology_laws.h"

using namespace tahoma;

namespace {

std::unique_ptr<const base::Topology> two_level(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return base::topology_row("two_level").make({x, y, z});
}

// The nodes of the route from one chip to another, with dead links.
std::vector<std::uint32_t> route(const base::Topology& t, std::uint32_t from, std::uint32_t to,
                                 const base::DeadLinks& dead = {}) {
  std::vector<std::uint32_t> nodes{from};
  while (nodes.back() != to && nodes.size() < 10) {
    const base::Way way = t.first_hop(nodes.back(), to, {0, 1, 2}, dead);
    if (!way.exists()) return {};
    nodes.push_back(*t.neighbour(nodes.back(), way.port));
  }
  return nodes;
}

}  // namespace

TEST_CASE("two_level: a route has two links inside a server and four between servers", "[fabric]") {
  const auto t = two_level(4, 1, 36);
  CHECK(t->chips() == 144);
  CHECK(t->switches() == 38);
  for (std::uint32_t from = 0; from < t->chips(); ++from)
    for (std::uint32_t to = 0; to < t->chips(); ++to) {
      if (from == to) continue;
      REQUIRE(route(*t, from, to).size() == (from / 4 == to / 4 ? 3 : 5));
    }
}

TEST_CASE("two_level: both second-level switches share the destinations, and stand in for each other",
          "[fabric]") {
  const auto t = two_level(2, 2, 3);
  const std::uint32_t leaf = t->chips(), spine = leaf + 3;
  CHECK(route(*t, 0, 4)[2] == spine);
  CHECK(route(*t, 0, 5)[2] == spine + 1);
  CHECK(route(*t, 0, 4, {{leaf, 4}})[2] == spine + 1);   // the server's way up
  CHECK(route(*t, 0, 4, {{spine, 1}})[2] == spine + 1);  // the other server's way down
  CHECK(route(*t, 0, 4, {{leaf, 4}, {leaf, 5}}).empty());
  CHECK(route(*t, 0, 1, {{leaf, 4}, {leaf, 5}}).size() == 3);
}

TEST_CASE("two_level: the rates are those of the chip's link and of the spine", "[fabric]") {
  const auto t = two_level(2, 1, 2);
  CHECK(t->port(0, 0).rate == base::LinkRate::kSwitched);
  CHECK(t->port(4, 1).rate == base::LinkRate::kSwitched);
  CHECK(t->port(4, 2).rate == base::LinkRate::kSpine);
  CHECK(t->port(7, 1).rate == base::LinkRate::kSpine);
}

TEST_CASE("two_level: the chips of a single server reach each other through its switch", "[fabric]") {
  const auto t = two_level(4, 1, 1);
  CHECK(t->switches() == 3);
  CHECK(route(*t, 0, 3) == std::vector<std::uint32_t>{0, 4, 3});
}
