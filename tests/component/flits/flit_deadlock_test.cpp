// SPDX-License-Identifier: Apache-2.0
// A network whose routes have no classes: its flits wait for each other, and the run ends with an error.
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "model/base/topology/grid_topology.h"
#include "tests/rtl/stub_fabric.h"
#include "tests/support/bench/flit_machine.h"

using namespace tahoma;
using namespace tahoma::base::literals;

namespace {

constexpr std::uint32_t kChips = 6;

class RingWithoutClasses final : public base::GridTopology {
 public:
  RingWithoutClasses() : GridTopology({{"x", kChips}}, true) {}
  unsigned vc_classes() const override { return 1; }
  base::Way first_hop(std::uint32_t node, std::uint32_t to, const base::AxisOrder& order,
                      const base::DeadLinks& dead) const override {
    base::Way way = GridTopology::first_hop(node, to, order, dead);
    way.vc_class = 0;
    return way;
  }
};

model::MachineParams one_channel() {
  model::MachineParams m = tests::flit_machine(kChips, 1, 1);
  m.link.vcs = 1;
  m.link.buffer = 64_B;  // two flits
  return m;
}

}  // namespace

TEST_CASE("flits: routes that can deadlock are found out at run time", "[link]") {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const model::MachineParams m = one_channel();
  const RingWithoutClasses topology;
  const base::Routes routes(topology, m.link.axis_order(), {});
  const model::Router::Faults faults;
  const model::Router::Fabric fabric{m.link, topology, routes, faults};
  sim::Meter meter;
  sim::PayloadPool pool;
  std::vector<std::unique_ptr<model::FlitGate>> gates;
  std::vector<std::unique_ptr<tests::StubChip>> chips;
  std::vector<model::FlitGate*> all;
  const tests::StubChip::Traffic traffic{kChips, 500, 64, base::Duration{2'000'000}};
  for (std::uint32_t n = 0; n < kChips; ++n) {
    gates.push_back(std::make_unique<model::FlitGate>(("chip" + std::to_string(n)).c_str(), n, fabric));
    chips.push_back(
        std::make_unique<tests::StubChip>(("stub" + std::to_string(n)).c_str(), n, traffic, pool, meter));
    gates.back()->bind_chip(chips.back()->inject, chips.back()->landed);
    all.push_back(gates.back().get());
  }
  const model::FlitNetwork network("flits", fabric, all, meter);
  sc_core::sc_start();
  CHECK_THROWS_WITH(meter.rethrow(), Catch::Contains("wait for each other"));
  CHECK_THROWS_WITH(network.measure_node(0, sim::now()), Catch::Contains("flits or credits are left"));
}
