// SPDX-License-Identifier: Apache-2.0
#include "model/link/topology.h"

#include <catch2/catch.hpp>
#include <set>

using namespace tahoma::model;

namespace {

const std::vector<Topology>& grids() {
  static const std::vector<Topology> kAll{{FabricKind::kTorus, {4, 4, 4}}, {FabricKind::kTorus, {4, 3, 5}},
                                          {FabricKind::kTorus, {2, 3, 1}}, {FabricKind::kMesh, {4, 4, 4}},
                                          {FabricKind::kMesh, {2, 1, 3}},  {FabricKind::kRing, {4, 4, 1}},
                                          {FabricKind::kRing, {2, 1, 1}}};
  return kAll;
}

}  // namespace

TEST_CASE("topology: chip numbers are x + 4y + 16z", "[link]") {
  const Topology t(FabricKind::kTorus, {4, 4, 4});
  CHECK(t.chip({1, 2, 3}) == 1 + 4 * 2 + 16 * 3);
  for (std::uint32_t c = 0; c < t.chips(); ++c) CHECK(t.chip(t.at(c)) == c);
}

TEST_CASE("topology: every link has one that leads back", "[link]") {
  for (const Topology& t : grids())
    for (std::uint32_t c = 0; c < t.chips(); ++c)
      for (PortIndex p = 0; p < t.ports(c); ++p) {
        const auto there = t.neighbour(c, p);
        if (!there) continue;
        std::set<std::uint32_t> back;
        for (PortIndex q = 0; q < t.ports(*there); ++q)
          if (const auto n = t.neighbour(*there, q)) back.insert(*n);
        CHECK(back.count(c) == 1);
      }
}

TEST_CASE(
    "topology: a torus has a link each way for every chip and axis longer than two, a mesh none at its ends",
    "[link]") {
  const auto links = [](const Topology& t) {
    std::size_t count = 0;
    for (std::uint32_t c = 0; c < t.chips(); ++c)
      for (PortIndex p = 0; p < t.ports(c); ++p) count += t.neighbour(c, p) ? 1 : 0;
    return count;
  };
  CHECK(links({FabricKind::kTorus, {4, 4, 4}}) == 64 * 6);
  CHECK(links({FabricKind::kTorus, {2, 1, 4}}) == 8 * 3);  // one along the axis of two
  CHECK(links({FabricKind::kMesh, {4, 4, 4}}) == 3 * 2 * 3 * 16);
  CHECK(links({FabricKind::kRing, {4, 4, 4}}) == 64 * 2);
  CHECK(links({FabricKind::kRing, {2, 1, 1}}) == 2);
}

TEST_CASE("topology: a ring takes all chips in the order of their numbers", "[link]") {
  const Topology t(FabricKind::kRing, {4, 4, 2});
  for (std::uint32_t c = 0; c < 32; ++c) CHECK(t.neighbour(c, 0) == (c + 1) % 32);
}

TEST_CASE("topology: a switch has a port for every chip, and every chip one to it", "[link]") {
  const Topology t(FabricKind::kSwitched, {4, 4, 1});
  CHECK(t.nodes() == 17);
  for (std::uint32_t c = 0; c < 16; ++c) {
    CHECK(t.neighbour(c, 0) == 16u);
    CHECK(t.neighbour(16, c) == c);
  }
  CHECK(t.port_name(3, 0) == "up");
  CHECK(t.port_name(16, 3) == "down03");
}
