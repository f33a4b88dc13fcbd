// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "model/base/topology/routes.h"
#include "model/base/topology/switch_turns.h"
#include "model/base/topology/symmetries.h"
#include "model/base/topology/topologies.h"

using namespace tahoma;

namespace {

std::unique_ptr<const base::Topology> fabric(const char* name, base::MachineSize size) {
  return base::topology_row(base::fabric_named(name)).make(size);
}

// Half round an axis of even length, the ways up and down are equally long. Two chips have only one link.
bool moves_a_tie(const base::Topology& torus, const base::NodeMap& shift) {
  const base::ChipCoordinates by = torus.at(shift.front());
  for (unsigned axis = 0; axis < torus.axes().size(); ++axis)
    if (torus.size(axis) > 2 && torus.size(axis) % 2 == 0 && by[axis] % 2 == 1) return true;
  return false;
}

// The most classes of virtual channels that the packets of one link have.
std::size_t most_classes(std::uint32_t chips) {
  const auto torus = fabric("torus", {chips, 1, 1});
  const base::Routes routes(*torus, {0, 1, 2}, {});
  std::size_t most = 0;
  for (std::uint32_t chip = 0; chip < chips; ++chip)
    for (base::PortIndex port = 0; port < torus->ports(chip); ++port) {
      std::set<unsigned> classes;
      for (std::uint32_t to = 0; to < chips; ++to)
        if (to != chip && routes.way(chip, to).port == port) classes.insert(routes.way(chip, to).vc_class);
      most = std::max(most, classes.size());
    }
  return most;
}

}  // namespace

TEST_CASE("shifts: a torus has one for each of its chips, and each keeps every link", "[fabric]") {
  for (const base::MachineSize& size :
       {base::MachineSize{4, 4, 4}, {3, 1, 1}, {2, 4, 1}, {1, 1, 1}, {4, 2, 3}}) {
    const auto torus = fabric("torus", size);
    const auto shifts = base::shifts_of(*torus);
    REQUIRE(shifts.size() == torus->chips());
    CHECK(shifts.front() == base::identity_map(torus->chips()));
    for (const base::NodeMap& shift : shifts) {
      CHECK(base::composed(shift, base::inverse(shift)) == shifts.front());
      for (std::uint32_t chip = 0; chip < torus->chips(); ++chip)
        for (base::PortIndex port = 0; port < torus->ports(chip); ++port)
          if (const auto to = torus->neighbour(chip, port))
            CHECK(torus->neighbour(shift[chip], port) == shift[*to]);
    }
  }
}

TEST_CASE("shifts: a fabric with ends has none but the identity", "[fabric]") {
  CHECK(base::shifts_of(*fabric("mesh", {4, 4, 1})).size() == 1);
}

TEST_CASE("shifts: with switches, links lead to the places of their ends, and inputs keep their turns",
          "[fabric]") {
  struct Case {
    const char* name;
    base::MachineSize size;
    std::size_t shifts;  // what the group of symmetries has
  };
  // A switch may be rotated. Servers behind two levels may be, if they have an even number of chips, because
  // odd and even ones have a second-level switch each. Rails have the shifts of a torus.
  for (const Case& c :
       {Case{"switched", {4, 4, 2}, 32}, Case{"switched", {3, 1, 1}, 3}, Case{"two_level", {4, 2, 3}, 3},
        Case{"two_level", {3, 1, 2}, 1}, Case{"rails", {4, 2, 3}, 24}, Case{"rails", {4, 4, 1}, 16}}) {
    INFO(c.name << " " << c.size.x << " x " << c.size.y << " x " << c.size.z);
    const auto topology = fabric(c.name, c.size);
    const base::SwitchPorts ports(*topology);
    const auto shifts = base::shifts_of(*topology);
    CHECK(shifts.size() == c.shifts);
    CHECK(shifts.front() == base::identity_map(topology->nodes()));
    for (const base::NodeMap& shift : shifts)
      for (std::uint32_t node = 0; node < topology->nodes(); ++node) {
        CHECK((shift[node] < topology->chips()) == (node < topology->chips()));
        for (base::PortIndex port = 0; port < topology->ports(node); ++port)
          if (const auto to = topology->neighbour(node, port))
            CHECK(topology->neighbour(shift[node], ports.image(shift, node, port)) == shift[*to]);
      }
  }
}

TEST_CASE("switch turns: each output serves every input once, its own first, and the next ports after it",
          "[fabric]") {
  const auto topology = fabric("two_level", {2, 2, 3});  // leaves of four chips, each with two ports up
  for (std::uint32_t node = topology->chips(); node < topology->nodes(); ++node) {
    const base::SwitchTurns turns(*topology, node);
    for (base::PortIndex out = 0; out < turns.ports(); ++out) {
      std::set<base::PortIndex> places;
      for (base::PortIndex in = 0; in < turns.ports(); ++in) places.insert(turns.of(in, out));
      CHECK(places.size() == turns.ports());
      CHECK(*places.rbegin() == turns.ports() - 1);
    }
  }
  const base::SwitchTurns leaf(*topology, topology->chips());
  CHECK(leaf.of(3, 3) == 0);
  CHECK(leaf.of(0, 3) == 1);  // the first of the chips follows the last
  CHECK(leaf.of(2, 3) == 3);
  CHECK(leaf.of(5, 3) == 5);  // ports up are of another kind
  CHECK(leaf.of(4, 5) == 5);
}

TEST_CASE("shifts: routes keep their ports, unless an axis of even length shifts by an odd number of chips",
          "[fabric]") {
  for (const base::MachineSize& size :
       {base::MachineSize{3, 5, 1}, {4, 3, 1}, {6, 1, 1}, {2, 4, 1}, {2, 2, 3}, {4, 4, 4}}) {
    const auto torus = fabric("torus", size);
    const base::Routes routes(*torus, {0, 1, 2}, {});
    for (const base::NodeMap& shift : base::shifts_of(*torus)) {
      bool kept = true;
      for (std::uint32_t from = 0; from < torus->chips(); ++from)
        for (std::uint32_t to = 0; to < torus->chips(); ++to)
          if (from != to) kept = kept && routes.way(from, to).port == routes.way(shift[from], shift[to]).port;
      CHECK(kept != moves_a_tie(*torus, shift));
    }
  }
}

TEST_CASE("shifts: the packets of a link have one class around three chips, and two around more",
          "[fabric]") {
  CHECK(most_classes(2) == 1);
  CHECK(most_classes(3) == 1);
  for (const std::uint32_t chips : {4U, 5U, 8U}) CHECK(most_classes(chips) == 2);
}
