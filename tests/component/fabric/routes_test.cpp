// SPDX-License-Identifier: Apache-2.0
#include "model/link/routes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <random>
#include <set>

using namespace tahoma::model;

namespace {

constexpr std::array<unsigned, 3> kXyz{0, 1, 2};

const std::vector<Topology>& fabrics() {
  static const std::vector<Topology> kAll{
      {FabricKind::kTorus, {4, 4, 4}}, {FabricKind::kTorus, {4, 4, 1}}, {FabricKind::kTorus, {2, 3, 1}},
      {FabricKind::kTorus, {5, 1, 2}}, {FabricKind::kTorus, {8, 3, 2}}, {FabricKind::kMesh, {4, 4, 4}},
      {FabricKind::kMesh, {3, 1, 5}},  {FabricKind::kRing, {4, 4, 1}},  {FabricKind::kSwitched, {4, 4, 4}}};
  return kAll;
}

// Shortest distances by breadth first search: nothing of the routes' own arithmetic.
std::vector<std::uint32_t> distances_from(const Topology& t, std::uint32_t from) {
  std::vector<std::uint32_t> distance(t.nodes(), ~0U);
  std::vector<std::uint32_t> next{from};
  distance[from] = 0;
  for (std::size_t n = 0; n < next.size(); ++n)
    for (PortIndex p = 0; p < t.ports(next[n]); ++p)
      if (const auto to = t.neighbour(next[n], p); to && distance[*to] == ~0U) {
        distance[*to] = distance[next[n]] + 1;
        next.push_back(*to);
      }
  return distance;
}

struct Hop {
  std::uint32_t node;
  PortIndex port;
  std::uint8_t vc_class;
  friend auto operator<=>(const Hop&, const Hop&) = default;
};

std::vector<Hop> walk(const Topology& t, const Routes& routes, std::uint32_t from, std::uint32_t to) {
  std::vector<Hop> hops;
  for (std::uint32_t node = from; node != to; node = *t.neighbour(node, hops.back().port)) {
    const Way& way = routes.way(node, to);
    REQUIRE(way.exists());
    hops.push_back({node, way.port, way.vc_class});
    REQUIRE(hops.size() <= t.nodes());
  }
  return hops;
}

// A circle among "a packet that holds this channel may ask for that one" is a deadlock waiting to happen.
bool has_circle(const std::map<Hop, std::set<Hop>>& waits_for) {
  std::map<Hop, int> state;  // 1: on the way, 2: done
  std::function<bool(const Hop&)> visit = [&](const Hop& hop) {
    if (state[hop] != 0) return state[hop] == 1;
    state[hop] = 1;
    const auto next = waits_for.find(hop);
    if (next != waits_for.end() && std::any_of(next->second.begin(), next->second.end(), visit)) return true;
    state[hop] = 2;
    return false;
  };
  return std::any_of(waits_for.begin(), waits_for.end(),
                     [&](const auto& entry) { return visit(entry.first); });
}

std::map<Hop, std::set<Hop>> dependencies(const Topology& t, const Routes& routes, bool classes) {
  std::map<Hop, std::set<Hop>> waits_for;
  for (std::uint32_t from = 0; from < t.chips(); ++from)
    for (std::uint32_t to = 0; to < t.chips(); ++to) {
      if (from == to || !routes.way(from, to).exists()) continue;
      std::vector<Hop> hops = walk(t, routes, from, to);
      if (!classes)
        for (Hop& hop : hops) hop.vc_class = 0;
      for (std::size_t n = 1; n < hops.size(); ++n) waits_for[hops[n - 1]].insert(hops[n]);
    }
  return waits_for;
}

DeadLinks both_ways(const Topology& t, std::uint32_t chip, PortIndex port) {
  return {{chip, port}, {*t.neighbour(chip, port), port ^ 1U}};
}

}  // namespace

TEST_CASE("routes: every way is a shortest one and arrives, in any order of the axes", "[link]") {
  for (const Topology& t : fabrics())
    for (const std::array<unsigned, 3>& order : {kXyz, {2, 0, 1}, {1, 2, 0}}) {
      const Routes routes(t, order, {});
      for (std::uint32_t a = 0; a < t.chips(); ++a) {
        const auto distance = distances_from(t, a);
        for (std::uint32_t b = 0; b < t.chips(); ++b)
          if (a != b) REQUIRE(walk(t, routes, a, b).size() == distance[b]);
      }
    }
}

TEST_CASE("routes: axes are taken in the order asked for", "[link]") {
  const Topology t(FabricKind::kTorus, {4, 4, 4});
  for (const std::array<unsigned, 3>& order : {kXyz, {2, 1, 0}, {1, 0, 2}}) {
    const Routes routes(t, order, {});
    std::vector<unsigned> taken;
    for (const Hop& hop : walk(t, routes, t.chip({0, 0, 0}), t.chip({1, 1, 1})))
      taken.push_back(axis_of(hop.port));
    CHECK(taken == std::vector<unsigned>(order.begin(), order.end()));
  }
}

TEST_CASE("routes: half way round a ring as many chips go up as down", "[link]") {
  const Topology t(FabricKind::kTorus, {4, 1, 1});
  const Routes routes(t, kXyz, {});
  std::map<std::pair<std::uint32_t, PortIndex>, int> load;
  for (std::uint32_t a = 0; a < 4; ++a)
    for (const Hop& hop : walk(t, routes, a, (a + 2) % 4)) ++load[{hop.node, hop.port}];
  for (const auto& [link, packets] : load) CHECK(packets == 1);
  CHECK(load.size() == 8);
}

TEST_CASE("routes: no circle of virtual channels waits for itself", "[link]") {
  for (const Topology& t : fabrics()) CHECK_FALSE(has_circle(dependencies(t, Routes(t, kXyz, {}), true)));
}

TEST_CASE("routes: without classes a ring of five would wait for itself", "[link]") {
  const Topology t(FabricKind::kTorus, {5, 1, 1});
  CHECK(has_circle(dependencies(t, Routes(t, kXyz, {}), false)));
}

TEST_CASE("routes: ways go round dead links, and still no circle waits for itself", "[link]") {
  std::mt19937 random(7);
  for (const Topology& t : {Topology(FabricKind::kTorus, {4, 4, 4}), Topology(FabricKind::kRing, {4, 4, 1})})
    for (int n = 0; n < 20; ++n) {
      const auto chip = static_cast<std::uint32_t>(random() % t.chips());
      const auto port = static_cast<PortIndex>(random() % (t.kind() == FabricKind::kRing ? 2 : 6));
      const DeadLinks dead = both_ways(t, chip, port);
      const Routes routes(t, kXyz, dead);
      for (std::uint32_t a = 0; a < t.chips(); ++a)
        for (std::uint32_t b = 0; b < t.chips(); ++b) {
          if (a == b) continue;
          for (const Hop& hop : walk(t, routes, a, b)) REQUIRE(dead.count({hop.node, hop.port}) == 0);
        }
      CHECK_FALSE(has_circle(dependencies(t, routes, true)));
    }
}

TEST_CASE("routes: a way that the order of axes has not is none, from everywhere on it", "[link]") {
  const Topology t(FabricKind::kMesh, {3, 1, 1});
  const Routes routes(t, kXyz, both_ways(t, 1, 0));
  CHECK(routes.way(0, 1).exists());
  CHECK_FALSE(routes.way(1, 2).exists());
  CHECK_FALSE(routes.way(0, 2).exists());
}

TEST_CASE("routes: the ports of an adaptive way are those that lead nearer", "[link]") {
  for (const Topology& t : fabrics()) {
    if (!t.is_grid()) continue;
    const Routes routes(t, kXyz, {});
    for (std::uint32_t b = 0; b < t.chips(); ++b) {
      const auto distance = distances_from(t, b);  // links lead both ways
      for (std::uint32_t a = 0; a < t.chips(); ++a)
        for (PortIndex p = 0; a != b && p < kGridPorts; ++p) {
          const auto next = t.neighbour(a, p);
          const bool nearer = next && distance[*next] + 1 == distance[a];
          REQUIRE(((routes.way(a, b).minimal >> p) & 1U) == (nearer ? 1U : 0U));
        }
    }
  }
}
