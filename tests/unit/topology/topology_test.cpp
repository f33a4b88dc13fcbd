// SPDX-License-Identifier: Apache-2.0
// Every row of the table obeys the laws; properties of single fabrics.
#include <catch2/catch.hpp>
#include <set>

#include "model/base/topology/grid_topology.h"
#include "tests/support/fabric/hypercube.h"
#include "tests/support/fabric/topology_laws.h"

using namespace tahoma;
using base::GridTopology, base::MachineSize, base::PortIndex, base::Topology, base::topology_row;

namespace {

std::size_t links(const char* name, const MachineSize& size) {
  const auto t = topology_row(name).make(size);
  std::size_t count = 0;
  for (std::uint32_t node = 0; node < t->nodes(); ++node)
    for (PortIndex p = 0; p < t->ports(node); ++p) count += t->neighbour(node, p) ? 1 : 0;
  return count;
}

void check_laws(const base::TopologyRow& row) {
  tests::for_each_size(row, [](const std::string& name, const Topology& topology) {
    for (const tests::TopologyLaw& law : tests::topology_laws()) {
      const tests::Complaints found = law.complaints(topology);
      INFO(name << ": " << law.name << ": " << (found.empty() ? "" : found.front()));
      CHECK(found.empty());
    }
  });
}

// A torus of one axis that answers one question wrongly.
struct Faulty : GridTopology {
  Faulty() : GridTopology({{"x", 5}}, true) {}
};
struct OneWay final : Faulty {
  std::optional<std::uint32_t> neighbour(std::uint32_t node, PortIndex port) const override {
    if (node == 1 && port == 1) return std::nullopt;
    return Faulty::neighbour(node, port);
  }
  base::Way first_hop(std::uint32_t node, std::uint32_t to, const base::AxisOrder& order,
                      const base::DeadLinks&) const override {
    return Faulty::first_hop(node, to, order, {{1, 1}});
  }
};
struct SameName final : Faulty {
  base::PortKind port(std::uint32_t node, PortIndex) const override { return Faulty::port(node, 0); }
};
struct SameAxis final : GridTopology {
  SameAxis() : GridTopology({{"x", 2}, {"x", 2}}, true) {}
};
struct AlwaysUp final : Faulty {
  base::Way first_hop(std::uint32_t node, std::uint32_t to, const base::AxisOrder&,
                      const base::DeadLinks&) const override {
    return {0, static_cast<std::uint8_t>(node < to ? 1 : 0), 0};
  }
};
struct OneClass final : Faulty {
  base::Way first_hop(std::uint32_t node, std::uint32_t to, const base::AxisOrder& order,
                      const base::DeadLinks& dead) const override {
    base::Way way = Faulty::first_hop(node, to, order, dead);
    way.vc_class = 0;
    return way;
  }
};
struct DeadIsAlive final : Faulty {
  base::Way first_hop(std::uint32_t node, std::uint32_t to, const base::AxisOrder& order,
                      const base::DeadLinks&) const override {
    return Faulty::first_hop(node, to, order, {});
  }
};
struct AnyPort final : Faulty {
  std::uint32_t shortest_ports(std::uint32_t, std::uint32_t) const override { return 3; }
};
struct PathBackwards final : Faulty {
  std::vector<std::uint32_t> path() const override { return {0, 2, 1, 3, 4}; }
};
struct NotDrawn final : Faulty {
  std::vector<base::FabricView> views() const override {
    auto views = Faulty::views();
    views.front().pictures.front().lines.pop_back();
    return views;
  }
};

}  // namespace

TEST_CASE("topology: every row of the table obeys every law, for several sizes", "[link]") {
  std::set<std::string> names;
  for (const base::TopologyRow& row : base::topologies()) {
    CHECK(names.insert(row.name).second);
    CHECK_FALSE(std::string(row.doc).empty());
    check_laws(row);
  }
  CHECK(names.size() == base::fabric_choice().names.size());
}

TEST_CASE("topology: a new one needs a class and a row", "[link]") { check_laws(tests::hypercube_row()); }

TEST_CASE("topology: each law finds the topology that breaks it", "[link]") {
  const std::vector<std::unique_ptr<Topology>> broken = [] {
    std::vector<std::unique_ptr<Topology>> all;
    all.push_back(std::make_unique<OneWay>());
    all.push_back(std::make_unique<SameName>());
    all.push_back(std::make_unique<SameAxis>());
    all.push_back(std::make_unique<AlwaysUp>());
    all.push_back(std::make_unique<OneClass>());
    all.push_back(std::make_unique<DeadIsAlive>());
    all.push_back(std::make_unique<AnyPort>());
    all.push_back(std::make_unique<PathBackwards>());
    all.push_back(std::make_unique<NotDrawn>());
    return all;
  }();
  const auto& laws = tests::topology_laws();
  REQUIRE(broken.size() == laws.size());
  for (std::size_t n = 0; n < laws.size(); ++n) {
    INFO(laws[n].name);
    CHECK(laws[n].complaints(Faulty()).empty());
    CHECK_FALSE(laws[n].complaints(*broken[n]).empty());
  }
}

TEST_CASE("topology: an illegal size is refused with the legal ones", "[link]") {
  CHECK_NOTHROW(base::check_size(tests::hypercube_row(), {4, 4, 2}));
  CHECK_THROWS_WITH(base::check_size(tests::hypercube_row(), {4, 3, 1}),
                    Catch::Contains("E-CFG-020") && Catch::Contains("machine.torus") &&
                        Catch::Contains("4 x 3 x 1 chips do not form a hypercube: expected a power of two"));
}

TEST_CASE("topology: chip numbers are x + 4y + 16z", "[link]") {
  for (const char* name : {"torus", "mesh", "switched"})
    CHECK(topology_row(name).make({4, 4, 4})->chip({1, 2, 3}) == 1 + 4 * 2 + 16 * 3);
}

TEST_CASE("topology: a torus has two links per chip and axis longer than two, a mesh none at its ends",
          "[link]") {
  CHECK(links("torus", {4, 4, 4}) == 64 * 6);
  CHECK(links("torus", {2, 1, 4}) == 8 * 3);  // one along the axis of two
  CHECK(links("torus", {1, 1, 1}) == 0);
  CHECK(links("mesh", {4, 4, 4}) == 3 * 2 * 3 * 16);
  CHECK(links("mesh", {2, 1, 1}) == 2);
  CHECK(links("ring", {4, 4, 4}) == 64 * 2);
  CHECK(links("ring", {2, 1, 1}) == 2);
  CHECK(links("ring", {1, 1, 1}) == 0);
  CHECK(links("switched", {4, 4, 1}) == 2 * 16);
}

TEST_CASE("topology: a ring takes all chips in the order of their numbers", "[link]") {
  const auto t = topology_row("ring").make({4, 4, 2});
  for (std::uint32_t c = 0; c < 32; ++c) {
    CHECK(t->neighbour(c, 0) == (c + 1) % 32);
    CHECK(t->path()[c] == c);
  }
}

TEST_CASE("topology: a switch has a port for every chip, and every chip one to it", "[link]") {
  const auto t = topology_row("switched").make({4, 4, 1});
  CHECK(t->nodes() == 17);
  for (std::uint32_t c = 0; c < 16; ++c) {
    CHECK(t->neighbour(c, 0) == 16u);
    CHECK(t->neighbour(16, c) == c);
  }
  CHECK(t->port(3, 0).name == "up");
  CHECK(t->port(16, 3).name == "down03");
  CHECK(t->switch_name(16) == "switch");
}

TEST_CASE("topology: ports are named by axis and direction, and take the rate of their axis", "[link]") {
  const auto t = topology_row("torus").make({4, 4, 4});
  std::string names, axes;
  std::vector<base::LinkRate> rates;
  for (PortIndex p = 0; p < t->ports(0); ++p) {
    names += t->port(0, p).name + " ";
    axes += t->port(0, p).axis;
    rates.push_back(t->port(0, p).rate);
  }
  using base::LinkRate;
  CHECK(names == "xp xm yp ym zp zm ");
  CHECK(axes == "xxyyzz");
  CHECK(rates ==
        std::vector{LinkRate::kX, LinkRate::kX, LinkRate::kY, LinkRate::kY, LinkRate::kZ, LinkRate::kZ});
}

TEST_CASE("topology: a torus is drawn as planes and rings, its closing links as stubs", "[link]") {
  const auto views = topology_row("torus").make({4, 3, 2})->views();
  std::string names;
  for (const auto& view : views) names += view.name + ", ";
  CHECK(names == "x–y planes, x–z planes, y–z planes, z rings, ");
  REQUIRE(views[0].pictures.size() == 2);
  CHECK(views[0].pictures[1].label == "z 1");
  CHECK(views[3].pictures[5].label == "x 1, y 1");
  std::size_t stubs = 0;
  for (const auto& line : views[0].pictures[0].lines) stubs += line.stub ? 1 : 0;
  CHECK(views[0].pictures[0].lines.size() == 12 * 4);
  CHECK(stubs == 2 * 3 + 2 * 4);  // both directions of each ring
  CHECK(topology_row("mesh").make({4, 1, 1})->views().front().name == "x lines");
  CHECK(topology_row("torus").make({1, 1, 1})->views().empty());
}
