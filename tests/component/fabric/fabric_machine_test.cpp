// SPDX-License-Identifier: Apache-2.0
// Chips that access each other's memory through the fabric: remote reads and sums, and the cost of faults.
#include <catch2/catch.hpp>
#include <cstring>

#include "model/base/error.h"
#include "model/system/system.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/tiny_programs.h"

using namespace tahoma;
using namespace tahoma::tests;
using isa::Queue;
using model::Mode;

namespace {

using Args = std::array<std::uint64_t, isa::kArguments>;

std::uint64_t at(std::uint32_t chip, std::uint64_t offset) {
  return isa::GlobalAddress{chip, 0, offset}.bits();
}

std::shared_ptr<const isa::Program> shared(isa::Program p) {
  return std::make_shared<isa::Program>(std::move(p));
}

// Copies between two addresses, by a core of some chip.
struct Copy {
  std::uint32_t by_chip;
  std::uint64_t from, to;
  bool accumulate = false;
};
base::RunMeasurement run(const model::MachineParams& m, const std::vector<Copy>& copies, std::uint32_t bytes,
                         Mode mode = Mode::kTiming) {
  model::System system(m, mode);
  for (const Copy& c : copies) {
    isa::Program p;
    p.stream(Queue::kSync).edit() = {hbm_copy(p, 1, 0, bytes, 0), wait_ge(0, 16)};
    p.descriptors.back().accumulate = c.accumulate;
    Args args{};
    args[0] = c.from;
    args[1] = c.to;
    system.load(static_cast<std::uint32_t>(c.by_chip * m.chip.cores), shared(p), args);
  }
  return system.run();
}

double ns_of(const model::MachineParams& m, const std::vector<Copy>& copies, std::uint32_t bytes) {
  return std::stod(in_child([&] { return std::to_string(run(m, copies, bytes).elapsed.ns()); }));
}

std::uint64_t bytes_over(const base::RunMeasurement& run, std::uint32_t from, std::uint32_t to) {
  std::uint64_t bytes = 0;
  for (const auto& l : run.links)
    if (l.from_chip == from && l.to_chip == to) bytes += l.payload_bytes;
  return bytes;
}

model::MachineParams flat(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1) {
  model::MachineParams m = machine_of(x, y, z);
  m.chip.hbm.model = model::HbmModel::kFlat;
  return m;
}

}  // namespace

TEST_CASE(
    "fabric machine: a read of another chip's memory takes the path there and back, and its data use one "
    "link",
    "[system][link]") {
  const auto m = flat(4);
  const std::uint32_t bytes = 16 * 64;  // a packet for every engine
  const double near = ns_of(m, {{0, at(0, 0), at(0, 1 << 20)}}, bytes);
  const double far = ns_of(m, {{0, at(1, 0), at(0, 1 << 20)}}, bytes);
  // Forward path: router, wire, router; then the latency of the memory; the same path back, instead of the
  // own chip's network.
  const auto& l = m.link;
  const double way = 2 * (2 * l.router.ns() + l.wire.ns()) - (m.chip.noc.request + m.chip.noc.response).ns();
  const double wires = l.x.time_for(l.on_wire(64)).ns() + l.x.time_for(l.on_wire(0)).ns();
  CHECK(far - near == Approx(way + wires).margin(1.5));

  const auto r = run(m, {{0, at(1, 0), at(0, 1 << 20)}}, bytes);
  CHECK(bytes_over(r, 1, 0) == bytes);
  CHECK(bytes_over(r, 0, 1) == 0);  // requests carry no data
}

TEST_CASE("fabric machine: values are read from another chip, and sums are written there", "[system][link]") {
  const auto m = flat(2, 2);
  model::System system(m, Mode::kFunctional);
  std::vector<float> here(256, 1.5F), there(256);
  for (std::size_t n = 0; n < there.size(); ++n) there[n] = static_cast<float>(n);
  std::memcpy(system.hbm(at(0, 0), 1024), here.data(), 1024);
  std::memcpy(system.hbm(at(3, 0), 1024), there.data(), 1024);
  isa::Program p;
  const auto fetch = hbm_copy(p, 1, 0, 1024, 0);
  auto add = hbm_copy(p, 0, 2, 1024, 1);
  p.descriptors.back().accumulate = true;
  add.notify_arg = 3;
  p.stream(Queue::kSync).edit() = {fetch, wait_ge(0, 16), add, wait_ge(1, 16)};
  Args args{};
  args[0] = at(3, 0);
  args[1] = at(0, 4096);
  args[2] = at(0, 0);
  args[3] = 0;
  system.load(0, shared(p), args);
  system.run();
  std::vector<float> fetched(256), sums(256);
  std::memcpy(fetched.data(), system.hbm(at(0, 4096), 1024), 1024);
  std::memcpy(sums.data(), system.hbm(at(3, 0), 1024), 1024);
  for (std::size_t n = 0; n < sums.size(); ++n) {
    REQUIRE(fetched[n] == static_cast<float>(n));
    REQUIRE(sums[n] == static_cast<float>(n) + 1.5F);
  }
}

TEST_CASE("fabric machine: a link at half its rate takes twice the time", "[system][link]") {
  auto m = flat(4);
  m.link.x = {16'000'000'000, false};
  const std::vector<Copy> copy{{0, at(0, 0), at(1, 0)}};
  const std::uint32_t bytes = 4 << 20;
  const double sound = ns_of(m, copy, bytes);
  m.instances.links["server0.chip00.link.xp"].rate = 0.5;
  const double slow = ns_of(m, copy, bytes);
  CHECK(slow - sound == Approx(m.link.x.time_for(m.link.on_wire(bytes)).ns()).epsilon(0.01));
}

TEST_CASE("fabric machine: a buffer that holds exactly one packet lets all packets pass", "[system][link]") {
  auto m = flat(4, 4);
  m.link.buffer = m.link.on_wire(m.link.packet.count);
  m.link.vcs = 3;
  const std::uint32_t bytes = 1 << 20;
  for (const model::Routing routing : {model::Routing::kDimensionOrder, model::Routing::kAdaptive}) {
    m.link.routing = routing;
    const std::string arrived = in_child([&] {
      const auto moved = run(m, {{0, at(0, 0), at(5, 0)}}, bytes);
      return std::to_string(bytes_over(moved, 1, 5) + bytes_over(moved, 4, 5));
    });
    CHECK(arrived == std::to_string(bytes));
  }
}

TEST_CASE("fabric machine: a switch's link at half its rate is slow only for the chip behind it",
          "[system][link]") {
  auto m = flat(4);
  m.link.topology = base::fabric_named("switched");
  m.link.switched = {16'000'000'000, false};
  const std::vector<Copy> there{{0, at(0, 0), at(1, 0)}}, elsewhere{{0, at(0, 0), at(2, 0)}};
  const std::uint32_t bytes = 4 << 20;
  const double sound = ns_of(m, there, bytes);
  m.instances.switch_links["switch.down01"].rate = 0.5;
  m.check();
  CHECK(ns_of(m, there, bytes) - sound ==
        Approx(m.link.switched.time_for(m.link.on_wire(bytes)).ns()).epsilon(0.01));
  CHECK(ns_of(m, elsewhere, bytes) == sound);
}

TEST_CASE("fabric machine: a dead link of the switch cuts off only the chip behind it", "[system][link]") {
  auto m = flat(4);
  m.link.topology = base::fabric_named("switched");
  m.instances.switch_links["switch.down01"].dead = true;
  m.check();
  const std::string refused = in_child([&] {
    run(m, {{0, at(0, 0), at(1, 0)}}, 65536);
    return std::string("a packet has passed a dead link");
  });
  CHECK_THAT(refused, Catch::Contains("E-RUN-056") && Catch::Contains("chip 0 cannot reach chip 1"));
  const auto r = run(m, {{0, at(0, 0), at(3, 0)}}, 65536);
  const auto named = [&](const char* path) {
    return std::any_of(r.links.begin(), r.links.end(), [&](const auto& l) { return l.path == path; });
  };
  CHECK_FALSE(named("switch.down01"));  // a dead link has no instance
  CHECK(named("switch.down03"));        // instances have the names of the reports
}

TEST_CASE("fabric machine: traffic takes the other direction around a dead link", "[system][link]") {
  auto m = flat(4);
  m.instances.links["server0.chip00.link.xp"].dead = true;
  const auto r = run(m, {{0, at(0, 0), at(1, 0)}}, 65536);
  for (const std::uint32_t chip : {0U, 3U, 2U}) CHECK(bytes_over(r, chip, (chip + 3) % 4) == 65536);
  CHECK(bytes_over(r, 0, 1) == 0);
}

TEST_CASE("fabric machine: chips that dead links cut off are named", "[system][link]") {
  auto m = flat(4);
  m.link.topology = base::fabric_named("mesh");
  m.instances.links["server0.chip01.link.xp"].dead = true;
  try {
    run(m, {{0, at(0, 0), at(3, 0)}}, 65536);
    FAIL("a packet has passed a dead link");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RUN-056");
    CHECK_THAT(e.what(), Catch::Contains("chip 0 cannot reach chip 3"));
  }
}

TEST_CASE("fabric machine: traffic is routed around a dead chip", "[system][link]") {
  auto m = flat(4, 4);
  m.instances.chips["server0.chip01"].dead = true;
  const auto r = run(m, {{0, at(0, 0), at(2, 0)}}, 65536);
  CHECK(bytes_over(r, 0, 3) == 65536);
  CHECK(bytes_over(r, 3, 2) == 65536);
}

TEST_CASE("fabric machine: two flows that share a link get half of it each", "[system][link]") {
  // Chips 0 and 1 send to chip 2; the link from 1 to 2 carries both.
  auto m = flat(5);
  m.link.x = {16'000'000'000, false};
  const std::uint32_t bytes = 4 << 20;
  const double alone = ns_of(m, {{1, at(1, 0), at(2, 0)}}, bytes);
  const auto r = run(m, {{0, at(0, 0), at(2, 0)}, {1, at(1, 0), at(2, 1 << 30)}}, bytes);
  CHECK(r.elapsed.ns() == Approx(2 * alone).epsilon(0.02));
  const auto link = std::find_if(r.links.begin(), r.links.end(), [](const base::LinkMeasurement& l) {
    return l.from_chip == 1 && l.to_chip == 2;
  });
  REQUIRE(link->flows.size() == 2);
  CHECK(link->flows[0].payload_bytes == bytes);
  CHECK(link->flows[1].payload_bytes == bytes);
  CHECK(link->busy.ns() > 0.97 * r.elapsed.ns());
}

TEST_CASE("fabric machine: traffic between chips equals the transfers of programs", "[system][link]") {
  const auto m = flat(2, 2);
  const auto r = run(m, {{0, at(0, 0), at(3, 0)}, {1, at(2, 0), at(1, 0)}}, 8192);
  std::uint64_t sent = 0;
  for (const auto& t : r.traffic) {
    sent += t.payload_bytes;
    if (t.payload_bytes > 0) CHECK(t.payload_bytes == 8192);
  }
  CHECK(sent == std::uint64_t{2} * 8192);
}

TEST_CASE("fabric machine: relabelled chips take the same time", "[system][link]") {
  const auto m = flat(4, 4);
  const auto shifted = [&](std::uint32_t by) {
    const auto chip = [&](std::uint32_t x, std::uint32_t y) { return (x + by) % 4 + 4 * ((y + by) % 4); };
    std::vector<Copy> copies;
    for (std::uint32_t n = 0; n < 4; ++n)
      copies.push_back({chip(n, 0), at(chip(n, 0), 0), at(chip((n + 1) % 4, 1), n << 24)});
    return ns_of(m, copies, 1 << 20);
  };
  CHECK(shifted(2) == Approx(shifted(0)).epsilon(1e-9));
}

TEST_CASE("fabric machine: a link that is on no route carries no byte", "[system][link]") {
  const auto r = run(flat(4, 4), {{0, at(0, 0), at(5, 0)}}, 1 << 16);  // one along x, one along y
  for (const auto& l : r.links) {
    const bool on_the_way = (l.from_chip == 0 && l.to_chip == 1) || (l.from_chip == 1 && l.to_chip == 5);
    // Acknowledgements for the core that waits: headers only.
    const bool back = (l.from_chip == 5 && l.to_chip == 4) || (l.from_chip == 4 && l.to_chip == 0);
    INFO(l.path);
    CHECK(l.payload_bytes == (on_the_way ? std::uint64_t{1} << 16 : 0));
    CHECK((l.wire_bytes > 0) == (on_the_way || back));
  }
}
