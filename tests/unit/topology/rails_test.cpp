// SPDX-License-Identifier: Apache-2.0
// UltraServers connected by rails: the lengths of routes, the links that they use, and those that nothing can
// replace.
#include <catch2/catch.hpp>

#include "model/base/topology/topologies.h"
#include "tests/support/fabric/topology_laws.h"

using namespace tahoma;

namespace {

std::unique_ptr<const base::Topology> rails(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return base::topology_row("rails").make({x, y, z});
}

std::size_t hops(const base::Topology& t, std::uint32_t from, std::uint32_t to,
                 const base::DeadLinks& dead = {}, const base::AxisOrder& order = {0, 1, 2}) {
  return tests::walk(t, base::Routes(t, order, dead), from, to).size();
}

}  // namespace

TEST_CASE("rails: a chip has the ports of a torus of two axes and one for its adapter", "[fabric]") {
  const auto t = rails(4, 2, 3);
  CHECK(t->chips() == 24);
  CHECK(t->switches() == 8);
  for (std::uint32_t chip = 0; chip < t->chips(); ++chip) {
    CHECK(t->port(chip, 4).rate == base::LinkRate::kEfa);
    CHECK(t->port(chip, 0).rate == base::LinkRate::kX);
    REQUIRE(t->neighbour(chip, 4) == t->chips() + chip % 8);
    CHECK(t->neighbour(t->chips() + chip % 8, chip / 8) == chip);
  }
}

TEST_CASE("rails: two links between UltraServers, and those of the torus inside", "[fabric]") {
  const auto t = rails(4, 2, 3);
  const auto torus = base::topology_row("torus").make({4, 2, 1});
  for (std::uint32_t from = 0; from < t->chips(); ++from)
    for (std::uint32_t to = 0; to < t->chips(); ++to) {
      if (from == to) continue;
      const std::size_t inside = from % 8 == to % 8 ? 0 : hops(*torus, from % 8, to % 8);
      for (const base::AxisOrder& order : {base::AxisOrder{0, 1, 2}, base::AxisOrder{2, 1, 0}})
        REQUIRE(hops(*t, from, to, {}, order) == inside + (from / 8 == to / 8 ? 0 : 2));
    }
}

TEST_CASE("rails: a dead cable of a torus is avoided inside its UltraServer only", "[fabric]") {
  const auto t = rails(4, 1, 2);
  CHECK(hops(*t, 0, 1, {{0, 0}}) == 3);  // the other way round
  CHECK(hops(*t, 4, 5, {{0, 0}}) == 1);
}

TEST_CASE("rails: nothing replaces an adapter", "[fabric]") {
  const auto t = rails(2, 1, 2);
  CHECK(hops(*t, 0, 2, {{0, 4}}) == 0);
  CHECK(hops(*t, 1, 3, {{0, 4}}) == 2);
}

TEST_CASE("rails: a single UltraServer is a torus without adapters", "[fabric]") {
  const auto t = rails(4, 2, 1);
  CHECK(t->switches() == 0);
  CHECK_FALSE(t->neighbour(0, 4).has_value());
}
