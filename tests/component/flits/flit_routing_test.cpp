// SPDX-License-Identifier: Apache-2.0
// Routes of flits: no cycle of waiting packets can form.
#include "model/link/flits/flit_routing.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <set>

#include "tests/support/fabric/topology_laws.h"

using namespace tahoma;
using namespace tahoma::tests;
using model::FlitRouting, model::FlitWay;

namespace {

constexpr base::AxisOrder kXyz{0, 1, 2};
constexpr std::uint32_t kRoutedVcs = 4;

using Channel = std::pair<std::pair<std::uint32_t, base::PortIndex>, std::uint32_t>;  // a link, its first vc
using Dependencies = std::map<Channel, std::set<Channel>>;                            // who waits for whom

struct Trip {
  std::uint32_t from, to;
  bool drawn;  // at every node
};

// Adds the channels that a packet holds and requests on its route, which must reach its chip.
void follow(const base::Topology& t, const FlitRouting& routing, const Trip& trip, bool with_classes,
            Dependencies& all) {
  std::uint32_t node = trip.from, vc = 0, links = 0;
  char axis = FlitRouting::kFromChip;
  std::optional<Channel> held;
  for (; node != trip.to; ++links) {
    const FlitWay way = routing.way(node, axis, vc, trip.to, trip.drawn);
    REQUIRE(way.first_vc + way.vcs <= kRoutedVcs);
    const Channel next{{node, way.port}, with_classes ? way.first_vc : 0};
    if (held) all[*held].insert(next);
    held = next;
    vc = way.first_vc + way.vcs - 1;
    axis = t.port(node, way.port).axis;
    node = *t.neighbour(node, way.port);
  }
  REQUIRE(links == distances_from(t, trip.from)[trip.to]);
  REQUIRE(routing.way(node, axis, vc, trip.to, trip.drawn).port == t.ports(node));
}

Dependencies dependencies(const base::Topology& t, const FlitRouting& routing, bool with_classes) {
  Dependencies all;
  for (std::uint32_t from = 0; from < t.chips(); ++from)
    for (std::uint32_t to = 0; to < t.chips(); ++to)
      for (const bool drawn : {false, true}) follow(t, routing, {from, to, drawn}, with_classes, all);
  return all;
}

// Removes channels that wait for none, until none is left or all wait for each other.
bool has_cycle(Dependencies waits) {
  std::set<Channel> open;
  for (const auto& [channel, others] : waits) {
    open.insert(channel);
    open.insert(others.begin(), others.end());
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto c = open.begin(); c != open.end();) {
      const bool free = std::none_of(waits[*c].begin(), waits[*c].end(),
                                     [&](const Channel& other) { return open.count(other) > 0; });
      c = free ? open.erase(c) : std::next(c);
      changed = changed || free;
    }
  }
  return !open.empty();
}

}  // namespace

TEST_CASE("flit routing: on every fabric without switches, no packets can wait for each other in a cycle",
          "[link]") {
  for (const base::TopologyRow& row : base::topologies())
    for_each_size(row, [&](const std::string& what, const base::Topology& t) {
      if (t.switches() > 0) return;
      CAPTURE(what);
      for (const base::AxisOrder& order : {kXyz, base::AxisOrder{2, 0, 1}}) {
        const base::Routes routes(t, order, {});
        CHECK_FALSE(has_cycle(dependencies(t, FlitRouting(t, routes, order, kRoutedVcs), true)));
      }
    });
}

TEST_CASE("flit routing: without classes the rings of a torus have such a cycle", "[link]") {
  const auto t = base::topology_row("torus").make({4, 1, 1});
  const base::Routes routes(*t, kXyz, {});
  CHECK(has_cycle(dependencies(*t, FlitRouting(*t, routes, kXyz, kRoutedVcs), false)));
}

TEST_CASE("flit routing: a packet keeps its class along an axis, and leaves through any virtual channel",
          "[link]") {
  const auto t = base::topology_row("torus").make({8, 8, 1});
  const base::Routes routes(*t, kXyz, {});
  const FlitRouting routing(*t, routes, kXyz, kRoutedVcs);
  const std::uint32_t to = t->chip({1, 0, 0});
  const FlitWay first =
      routing.way(t->chip({6, 0, 0}), FlitRouting::kFromChip, 0, to, false);             // will cross the end
  const FlitWay last = routing.way(t->chip({0, 0, 0}), 'x', first.first_vc, to, false);  // has crossed it
  CHECK(last.first_vc == first.first_vc);
  const FlitWay near = routing.way(t->chip({0, 0, 0}), FlitRouting::kFromChip, 0, to, false);
  CHECK(near.first_vc != first.first_vc);
  CHECK(near.port == last.port);
  CHECK(routing.way(to, 'x', 0, to, false).vcs == kRoutedVcs);
}

TEST_CASE(
    "flit routing: halfway round a ring a packet can draw either direction, elsewhere only the shorter one",
    "[link]") {
  for (const std::uint32_t size : {3U, 4U, 5U, 6U}) {
    const auto t = base::topology_row("ring").make({size, 1, 1});
    const base::Routes routes(*t, kXyz, {});
    const FlitRouting routing(*t, routes, kXyz, kRoutedVcs);
    for (std::uint32_t to = 1; to < size; ++to) {
      CAPTURE(size, to);
      const auto port = [&](bool drawn) { return routing.way(0, FlitRouting::kFromChip, 0, to, drawn).port; };
      CHECK((port(false) != port(true)) == (2 * to == size));
    }
  }
}
