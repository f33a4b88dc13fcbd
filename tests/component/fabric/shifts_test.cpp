// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "model/base/topology/routes.h"
#include "model/base/topology/symmetries.h"
#include "model/base/topology/topologies.h"

using namespace tahoma;

namespace {

std::unique_ptr<const base::Topology> fabric(const char* name, base::MachineSize size) {
  return base::topology_row(base::fabric_named(name)).make(size);
}

// Half round an axis of even length, the ways up and down are equally long. Two chips have only one link.
bool moves_a_tie(const base::Topology& torus, const base::ChipMap& shift) {
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
  for (const base::MachineSize size :
       {base::MachineSize{4, 4, 4}, {3, 1, 1}, {2, 4, 1}, {1, 1, 1}, {4, 2, 3}}) {
    const auto torus = fabric("torus", size);
    const auto shifts = base::shifts_of(*torus);
    REQUIRE(shifts.size() == torus->chips());
    CHECK(shifts.front() == base::identity_map(torus->chips()));
    for (const base::ChipMap& shift : shifts) {
      CHECK(base::composed(shift, base::inverse(shift)) == shifts.front());
      for (std::uint32_t chip = 0; chip < torus->chips(); ++chip)
        for (base::PortIndex port = 0; port < torus->ports(chip); ++port)
          if (const auto to = torus->neighbour(chip, port))
            CHECK(torus->neighbour(shift[chip], port) == shift[*to]);
    }
  }
}

TEST_CASE("shifts: fabrics with ends or switches have none but the identity", "[fabric]") {
  for (const char* name : {"mesh", "switched"}) CHECK(base::shifts_of(*fabric(name, {4, 4, 1})).size() == 1);
}

TEST_CASE("shifts: routes keep their ports, unless an axis of even length shifts by an odd number of chips",
          "[fabric]") {
  for (const base::MachineSize size :
       {base::MachineSize{3, 5, 1}, {4, 3, 1}, {6, 1, 1}, {2, 4, 1}, {2, 2, 3}, {4, 4, 4}}) {
    const auto torus = fabric("torus", size);
    const base::Routes routes(*torus, {0, 1, 2}, {});
    for (const base::ChipMap& shift : base::shifts_of(*torus)) {
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
