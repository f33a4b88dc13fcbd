// SPDX-License-Identifier: Apache-2.0
// Machines that move flits: what they refuse, and programs that run on them.
#include "tests/support/bench/flit_machine.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "model/system/system.h"
#include "tests/support/program/refusal_of.h"
#include "tests/support/program/tiny_programs.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using namespace tahoma::tests;
using isa::Queue;
using model::MachineParams;

namespace {

std::uint64_t at(std::uint32_t chip, std::uint64_t offset) {
  return isa::GlobalAddress{chip, 0, offset}.bits();
}

std::string refusal(void (*change)(MachineParams&)) {
  MachineParams m = flit_machine(4, 4, 4);
  change(m);
  return refusal_of([&] { m.check(); });
}

}  // namespace

TEST_CASE("flits: machines that they cannot serve are refused, with the parameter's name",
          "[link][bad-input]") {
  using M = MachineParams;
  struct Row {
    const char* path;
    void (*change)(M&);
  };
  const Row rows[] = {
      {"machine.link.topology", [](M& m) { m.link.topology = base::fabric_named("switched"); }},
      {"machine.link.routing", [](M& m) { m.link.routing = model::Routing::kAdaptive; }},
      {"machine.link.z", [](M& m) { m.link.z = 16_GBps; }},
      {"machine.link.local",
       [](M& m) {
         m.link.local = {0, true};
       }},
      {"machine.link.wire", [](M& m) { m.link.wire = base::Duration{2'500'000}; }},
      {"machine.link.port.local_wire", [](M& m) { m.link.port.local_wire = base::Duration{1}; }},
      {"machine.link.router", [](M& m) { m.link.router = 5_ns; }},
      {"machine.instances.server0.chip01.link.xp",
       [](M& m) { m.instances.links["server0.chip01.link.xp"].rate = 0.5; }},
      {"machine.instances.server0.chip01.link.xp",
       [](M& m) { m.instances.links["server0.chip01.link.xp"].dead = true; }},
      {"machine.instances.server0.chip02", [](M& m) { m.instances.chips["server0.chip02"].dead = true; }},
  };
  CHECK(refusal([](M&) {}) == "accepted");
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CHECK_THAT(refusal(row.change), Catch::StartsWith(std::string(row.path) + ": error[E-CFG-020]") &&
                                        Catch::Contains("machine.link.port.model: flits"));
  }
}

TEST_CASE("flits: an axis of one chip has no links, and its rate does not matter", "[link]") {
  MachineParams m = flit_machine(4, 4, 1);
  m.link.z = 16_GBps;
  CHECK(refusal_of([&] { m.check(); }) == "accepted");
}

// Reads of another chip's memory, sums that are written there, and notifications across the fabric.
TEST_CASE("flits: programs read and write the memory of other chips, with the right values",
          "[system][link]") {
  MachineParams m = flit_machine(2, 2, 1);
  m.chip.hbm.model = model::HbmModel::kFlat;
  m.check();
  model::System system(m, model::Mode::kFunctional);
  std::vector<float> here(4096, 1.5F), there(4096);
  for (std::size_t n = 0; n < there.size(); ++n) there[n] = static_cast<float>(n);
  const std::uint32_t bytes = 4096 * sizeof(float);
  std::memcpy(system.hbm(at(0, 0), bytes), here.data(), bytes);
  std::memcpy(system.hbm(at(3, 0), bytes), there.data(), bytes);
  isa::Program p;
  const auto fetch = hbm_copy(p, 1, 0, bytes, 0);
  auto add = hbm_copy(p, 0, 2, bytes, 1);
  p.descriptors.back().accumulate = true;
  add.notify_arg = 3;
  p.stream(Queue::kSync).edit() = {fetch, wait_ge(0, 16), add, wait_ge(1, 16)};
  std::array<std::uint64_t, isa::kArguments> args{};
  args[0] = at(3, 0);
  args[1] = at(0, 1 << 20);
  args[2] = at(0, 0);
  system.load(0, std::make_shared<isa::Program>(std::move(p)), args);
  const base::RunMeasurement run = system.run();
  std::vector<float> fetched(4096), sums(4096);
  std::memcpy(fetched.data(), system.hbm(at(0, 1 << 20), bytes), bytes);
  std::memcpy(sums.data(), system.hbm(at(3, 0), bytes), bytes);
  for (std::size_t n = 0; n < sums.size(); ++n) {
    REQUIRE(fetched[n] == static_cast<float>(n));
    REQUIRE(sums[n] == static_cast<float>(n) + 1.5F);
  }
  CHECK(system.folding().simulated() == 4);
  CHECK(system.folding().reason == "the flits of all chips share a clock");
  std::uint64_t carried = 0;
  for (const base::LinkMeasurement& link : run.links) carried += link.payload_bytes;
  CHECK(carried ==
        3 * 2 *
            std::uint64_t{bytes});  // what is fetched, what is added to, and the sums, over two links each
}
