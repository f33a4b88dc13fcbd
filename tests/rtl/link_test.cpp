// SPDX-License-Identifier: Apache-2.0
// Routers and ports of the model under random traffic, every port in lock-step with the one in SystemVerilog.
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "model/base/error.h"
#include "model/rtl/link/link_lock_step.h"
#include "tests/rtl/stub_fabric.h"
#include "tests/rtl/tested_link.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using namespace base::literals;
using tests::LinkFault;

namespace {

// Small buffers, so that every port waits for credits, and buffers contend for every port.
model::MachineParams tight(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  model::MachineParams m = tests::machine_of(x, y, z);
  m.link.port.model = model::PortModel::kRtl;
  m.link.packet = 256_B;
  m.link.wire = 5_ns;
  m.link.router = 3_ns;
  m.link.buffer = 1_KiB;
  return m;
}

struct Outcome {
  std::uint64_t compared = 0, hops = 0, received = 0;
};

using MakePins = std::function<std::unique_ptr<rtl::LinkPins>()>;

// The ports' own comparisons throw at the first difference.
Outcome run(const model::MachineParams& m, const tests::StubChip::Traffic& traffic, const MakePins& pins) {
  std::vector<rtl::LinkLockStep*> all;
  tests::StubFabric fabric(m, traffic, [&](const model::PortSite& site) {
    auto port = std::make_unique<rtl::LinkLockStep>(site, pins());
    all.push_back(port.get());
    return port;
  });
  fabric.run();
  Outcome o{0, fabric.packet_hops(), fabric.received()};
  for (const auto* port : all) o.compared += port->compared();
  return o;
}

// The message of lock-step about a fault among the first 1,000 packets.
void check_found(LinkFault fault, const std::string& what) {
  try {
    run(tight(2, 2, 1), {0, 400, 700, 4_ns}, [&] { return tests::tested_link(fault); });
    FAIL("nothing was found");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RTL-002");
    CHECK(e.status == base::ExitStatus::kCheckFailed);
    INFO(e.message);
    CHECK(e.message.find(what) != std::string::npos);
    CHECK(e.message.find("\n  law:\n    cycle ") != std::string::npos);
    CHECK(e.message.find("\n  SystemVerilog:\n    cycle ") != std::string::npos);
    CHECK(std::stoul(e.message.substr(std::string("after ").size())) < 1'000);
  }
}

}  // namespace

TEST_CASE("link port: 10^5 random packets leave and arrive in the cycles of the law", "[rtl][link][long]") {
  const Outcome o =
      run(tight(3, 3, 1), {0, 8000, 700, 4_ns}, [] { return rtl::verilated_link_port("port"); });
  CHECK(o.received == 9 * std::uint64_t{8000});
  CHECK(o.compared == o.hops);
  CHECK(o.compared > 100'000);
}

TEST_CASE("link port: random packets of several frames to and from a slow axis, on four channels",
          "[rtl][link]") {
  model::MachineParams m = tight(3, 2, 2);
  m.link.vcs = 4;
  m.link.buffer = 8_KiB;
  const Outcome o = run(m, {0, 400, 4000, 20_ns}, [] { return rtl::verilated_link_port("port"); });
  CHECK(o.received == 12 * std::uint64_t{400});
  CHECK(o.compared == o.hops);
}

TEST_CASE("link port: the traffic has no fault of its own", "[rtl][link][long]") {
  const Outcome o = run(tight(2, 2, 1), {0, 400, 700, 4_ns}, [] { return tests::tested_link(); });
  CHECK(o.compared == o.hops);
}

TEST_CASE("link port: an unfair arbiter is found within 1,000 packets", "[rtl][link]") {
  check_found(LinkFault::kUnfair, "serves buffer");
}

TEST_CASE("link port: a lost credit is found within 1,000 packets", "[rtl][link]") {
  check_found(LinkFault::kLostCredit, "the law serves buffer");
}

TEST_CASE("link port: a wrong CRC is found within 1,000 packets", "[rtl][link]") {
  check_found(LinkFault::kWrongCrc, "did not arrive");
}

TEST_CASE("link port: a dropped completion of a packet is found within 1,000 packets", "[rtl][link]") {
  check_found(LinkFault::kDeaf, "did not arrive");
}

TEST_CASE("link port: waves hold the cycles of the window, or are an error", "[rtl][link]") {
  const tests::TempDir folder;
  const auto bytes_with = [&](base::Duration until) {
    return std::stoul(tests::in_child([&] {
      model::MachineParams m = tight(2, 1, 1);
      m.link.port.waves.folder = folder.path().string();
      m.link.port.waves.until = until;
      run(m, {0, 200, 700, 4_ns}, [] { return rtl::verilated_link_port("port"); });
      return std::to_string(std::filesystem::file_size(folder.path() / "chip0.xp.fst"));
    }));
  };
  const std::uint64_t none = bytes_with({0}), all = bytes_with(1_us);
  CHECK(none > 0);
  CHECK(all > 2 * none);
  model::MachineParams m = tight(2, 1, 1);
  m.link.port.waves.folder = "there/is/no/such/folder";
  try {
    run(m, {0, 1, 700, 4_ns}, [] { return rtl::verilated_link_port("port"); });
    FAIL("nothing was refused");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RTL-004");
  }
}
