// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "model/base/topology/symmetries.h"
#include "model/base/topology/topologies.h"

using namespace tahoma;

namespace {

std::unique_ptr<const base::Topology> fabric(const char* name, base::MachineSize size) {
  return base::topology_row(base::fabric_named(name)).make(size);
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
