// SPDX-License-Identifier: Apache-2.0
// Routers and ports of the model under random traffic, every port beside the one in SystemVerilog.
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "model/rtl/link_lockstep.h"
#include "tests/rtl/stub_fabric.h"
#include "tests/rtl/tested_link.h"
#include "tests/support/machine_fixture.h"

using namespace tahoma;
using namespace base::literals;
using tests::LinkFault;

namespace {

// Little room, so that every port waits for credits, and buffers contend for every port.
model::MachineParams tight(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  model::MachineParams m = tests::machine_of(x, y, z);
  m.link.port.model = "rtl";
  m.link.packet = 256_B;
  m.link.wire = 5_ns;
  m.link.router = 3_ns;
  m.link.buffer = 1_KiB;
  return m;
}

struct Outcome {
  std::uint64_t compared = 0, hops = 0, received = 0;
};

// The ports' own comparisons throw at the first difference.
Outcome run(const model::MachineParams& m, const tests::StubChip::Traffic& traffic, LinkFault fault) {
  std::vector<model::LinkLockstep*> all;
  tests::StubFabric fabric(m, traffic, [&](const model::PortSite& site) {
    auto port = std::make_unique<model::LinkLockstep>(site, tests::tested_link(fault));
    all.push_back(port.get());
    return port;
  });
  fabric.run();
  Outcome o{0, fabric.packet_hops(), fabric.received()};
  for (const auto* port : all) o.compared += port->compared();
  return o;
}

}  // namespace

TEST_CASE("link port: 10^5 random packets leave and arrive in the cycles of the law", "[rtl][link]") {
  const Outcome o = run(tight(3, 3, 1), {0, 6000, 700, 40_ns}, LinkFault::kNone);
  CHECK(o.received == 9 * 6000);
  CHECK(o.compared == o.hops);
  CHECK(o.compared > 70'000);
}
