// SPDX-License-Identifier: Apache-2.0
// Tests settings of single instances of a machine, and faults of HBM stacks, links and chips.
#include "model/system/machine/instance_params.h"

#include <catch2/catch.hpp>
#include <string>

#include "model/base/error.h"
#include "model/base/loader/config_loader.h"
#include "model/system/system.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/tiny_programs.h"

using namespace tahoma;
using namespace tahoma::base::literals;

namespace {

struct Fixture {
  model::MachineParams machine;
  base::ParamTree tree{"machine"};
  Fixture() { machine.declare(tree); }
  void set(const std::string& instance, const std::string& text) {
    tree.set("machine.instances." + instance, text, "test");
  }
  std::string refusal_of_set(const std::string& path, const std::string& text) {
    try {
      set(path, text);
    } catch (const base::UserError& e) {
      return e.code + ": " + e.message;
    }
    return "";
  }
  std::string refusal_of_check() {
    try {
      machine.check();
    } catch (const base::UserError& e) {
      return e.code + " " + e.place + ": " + e.message;
    }
    return "";
  }
};

std::string refusal_of_channels(const std::string& list) {
  Fixture f;
  f.set("server0.chip00.hbm0.failed_channels", list);
  return f.refusal_of_check();
}

}  // namespace

TEST_CASE("instances: settings of one stack do not affect others", "[instances]") {
  Fixture f;
  const std::size_t declared = f.tree.params().size();
  f.set("server0.chip03.hbm1.rate", "0.5");
  f.set("server0.chip03.hbm1.failed_channels", "7, 3");
  f.set("server3.chip15.hbm0.correctable_errors", "0.001");
  CHECK(f.refusal_of_check().empty());
  CHECK(f.tree.params().size() == declared + 6);
  CHECK(f.machine.faults_of(3, 1).rate == 0.5);
  CHECK(f.machine.faults_of(3, 1).failed() == std::vector<std::uint32_t>{3, 7});
  CHECK(f.machine.faults_of(3, 1).correctable_errors == 0);
  CHECK(f.machine.faults_of(63, 0).correctable_errors == 0.001);
  CHECK(f.machine.faults_of(3, 0).rate == 1);
  CHECK(f.machine.faults_of(3, 0).failed().empty());
}

TEST_CASE("instances: the resolved configuration has them, and reads back the same", "[instances]") {
  Fixture f;
  f.set("server1.chip00.hbm2.rate", "0.25");
  f.set("server0.chip03.hbm1.failed_channels", "3,7");
  const std::string yaml = base::to_yaml(f.tree, "machine");
  CHECK_THAT(yaml, Catch::Contains("  instances:\n    server1:\n      chip00:\n        hbm2:\n"
                                   "          rate: 0.25\n"));
  Fixture again;
  base::apply(base::flatten({"test.yaml", yaml}, {}), again.tree);
  CHECK(base::to_yaml(again.tree, "machine") == yaml);
  CHECK(again.machine.faults_of(16, 2).rate == 0.25);
  CHECK(again.machine.faults_of(3, 1).failed().size() == 2);
}

TEST_CASE("instances: no path is taken for an instance that has no instance's form", "[instances]") {
  Fixture f;
  CHECK_THAT(f.refusal_of_set("server0.chip03.hmb1.rate", "0.5"),
             Catch::StartsWith("E-CFG-002: unknown parameter") &&
                 Catch::Contains("(did you mean 'machine.instances.server0.chip03.hbm1.rate'?)"));
  CHECK_THAT(f.refusal_of_set("server0.chip03.hbm.rate", "0.5"), Catch::StartsWith("E-CFG-002"));
  CHECK_THAT(f.refusal_of_set("server0.chip03.hbm1x.rate", "0.5"), Catch::StartsWith("E-CFG-002"));
  CHECK_THAT(
      f.refusal_of_set("server0.chip03.hbm1.rat", "0.5"),
      Catch::StartsWith("E-CFG-002") && Catch::Contains("'machine.instances.server0.chip03.hbm1.rate'"));
  CHECK_THAT(f.refusal_of_set("server0.chip03.hbm1", "0.5"),
             Catch::StartsWith("E-CFG-019") && Catch::Contains("rate, failed_channels, correctable_errors"));
  CHECK_THAT(f.refusal_of_set("server0.chip03.hbm1.rate.x", "0.5"), Catch::StartsWith("E-CFG-019"));
  CHECK_THAT(f.refusal_of_set("server0.chip04", "0.5"),
             Catch::EndsWith("expected slow, dead, hbm0, hbm1, hbm2, hbm3, link"));
}

TEST_CASE("instances: ranges are kept", "[instances]") {
  Fixture f;
  CHECK_THAT(f.refusal_of_set("server0.chip00.hbm0.rate", "0"), Catch::StartsWith("E-CFG-005"));
  CHECK_THAT(f.refusal_of_set("server0.chip00.hbm0.rate", "1.5"), Catch::StartsWith("E-CFG-005"));
  CHECK_THAT(f.refusal_of_set("server0.chip00.hbm0.correctable_errors", "0.2"),
             Catch::StartsWith("E-CFG-005"));
}

TEST_CASE("instances: one that the machine lacks is refused with the nearest one", "[instances]") {
  Fixture f;
  f.set("server0.chip3.hbm1.rate", "0.5");
  CHECK_THAT(f.refusal_of_check(),
             Catch::StartsWith("E-CFG-023 machine.instances.server0.chip3.hbm1: this machine has no such "
                               "instance (did you mean 'server0.chip03.hbm1'?)"));
  Fixture far;  // a chip's number counts through its server, of 16
  far.set("server0.chip16.hbm0.rate", "0.5");
  CHECK_THAT(far.refusal_of_check(), Catch::StartsWith("E-CFG-023"));
  Fixture shrunk;
  shrunk.set("server0.chip15.hbm3.rate", "0.5");
  CHECK(shrunk.refusal_of_check().empty());
  shrunk.machine.chip.hbm.stacks = 3;
  CHECK_THAT(shrunk.refusal_of_check(), Catch::StartsWith("E-CFG-023"));
}

TEST_CASE("instances: a chip, its stacks and its links are set apart, in any order", "[instances]") {
  Fixture f;
  const std::size_t declared = f.tree.params().size();
  f.set("server0.chip03.link.xp.rate", "0.5");
  f.set("server0.chip03.slow", "2");
  f.set("server0.chip03.hbm1.rate", "0.25");
  f.set("server0.chip03.link.zm.dead", "true");
  f.set("server0.chip03.link.xp.rate", "0.75");
  CHECK(f.refusal_of_check().empty());
  CHECK(f.tree.params().size() == declared + 2 + 2 + 3 + 2);
  CHECK(f.machine.faults_of(3, 1).rate == 0.25);
  CHECK(f.machine.faults_of_link(3, "xp").rate == 0.75);
  CHECK_FALSE(f.machine.faults_of_link(3, "xp").dead);
  CHECK(f.machine.faults_of_link(3, "zm").dead);
  CHECK(f.machine.faults_of_link(3, "zm").rate == 1);
  CHECK(f.machine.faults_of_link(4, "xp").rate == 1);
  CHECK(f.machine.slowdown_of(3) == 2);
  CHECK(f.machine.slowdown_of(4) == 1);
  const std::string yaml = base::to_yaml(f.tree, "machine");
  Fixture again;
  base::apply(base::flatten({"test.yaml", yaml}, {}), again.tree);
  CHECK(again.machine.faults_of_link(3, "xp").rate == 0.75);
  CHECK(again.machine.slowdown_of(3) == 2);
  CHECK(again.machine.faults_of(3, 1).rate == 0.25);
}

TEST_CASE("instances: links and chips that the machine lacks are refused with the nearest one",
          "[instances]") {
  Fixture f;
  f.set("server0.chip03.link.xq.rate", "0.5");
  CHECK_THAT(f.refusal_of_check(),
             Catch::StartsWith("E-CFG-023 machine.instances.server0.chip03.link.xq: this machine has no such "
                               "instance (did you mean 'server0.chip03.link.x"));
  Fixture flat;  // two chips, one link each way: no port goes down
  flat.machine.torus = {2, 1, 1};
  flat.set("server0.chip01.link.xm.dead", "true");
  CHECK_THAT(flat.refusal_of_check(),
             Catch::EndsWith("they are server0.chip00.link.xp to server0.chip01.link.xp"));
  Fixture alone;
  alone.machine.torus = {1, 1, 1};
  alone.set("server0.chip00.link.xp.dead", "true");
  CHECK_THAT(alone.refusal_of_check(), Catch::EndsWith("; it has none of this kind"));
  Fixture far;
  far.set("server4.chip00.slow", "2");
  CHECK_THAT(far.refusal_of_check(), Catch::StartsWith("E-CFG-023 machine.instances.server4.chip00:"));
  CHECK_THAT(far.refusal_of_set("server0.chip00.slow", "0.5"), Catch::StartsWith("E-CFG-005"));
  CHECK_THAT(far.refusal_of_set("server0.chip00.link.xp.rate", "0"), Catch::StartsWith("E-CFG-005"));
  CHECK_THAT(far.refusal_of_set("server0.chip00.link", "0.5"),
             Catch::StartsWith("E-CFG-019") && Catch::EndsWith("expected xp, xm, yp, ym, zp, zm"));
  CHECK_THAT(far.refusal_of_set("server0.chip00.slwo", "2"),
             Catch::Contains("did you mean 'machine.instances.server0.chip00.slow'?"));
}

TEST_CASE("instances: a switch's links are named by the chip that they lead to", "[instances]") {
  Fixture f;
  f.machine.link.topology = base::fabric_named("switched");
  f.set("switch.down03.rate", "0.5");
  f.set("switch.down60.dead", "true");
  CHECK(f.refusal_of_check().empty());
  CHECK(f.machine.faults_of_switch_link("switch", "down03").rate == 0.5);
  CHECK(f.machine.faults_of_switch_link("switch", "down60").dead);
  CHECK(f.machine.faults_of_switch_link("switch", "down04").rate == 1);
  const std::string yaml = base::to_yaml(f.tree, "machine");
  Fixture again;
  base::apply(base::flatten({"test.yaml", yaml}, {}), again.tree);
  CHECK(again.machine.faults_of_switch_link("switch", "down03").rate == 0.5);
  CHECK_THAT(f.refusal_of_set("switch.down03.rat", "0.5"),
             Catch::Contains("did you mean 'machine.instances.switch.down03.rate'?"));
  f.set("switch.down64.rate", "0.5");
  CHECK_THAT(f.refusal_of_check(),
             Catch::StartsWith("E-CFG-023 machine.instances.switch.down64: this machine has no such instance "
                               "(did you mean 'switch.down") &&
                 Catch::EndsWith("they are switch.down00 to switch.down63"));
  Fixture torus;
  torus.set("switch.down03.rate", "0.5");
  CHECK_THAT(torus.refusal_of_check(),
             Catch::StartsWith("E-CFG-023") && Catch::EndsWith("; it has none of this kind"));
}

TEST_CASE("instances: every port of a dead chip is dead", "[instances]") {
  Fixture f;
  f.set("server0.chip03.dead", "true");
  CHECK(f.machine.is_dead(3));
  CHECK_FALSE(f.machine.is_dead(2));
  for (const char* const port : {"xp", "xm", "yp", "ym", "zp", "zm"}) {
    CHECK(f.machine.faults_of_link(3, port).dead);
    CHECK_FALSE(f.machine.faults_of_link(2, port).dead);
  }
}

TEST_CASE("link faults: the remaining rate is a fraction of the rate", "[instances]") {
  CHECK(model::LinkFaults{0.5, false}.bandwidth(128_GBps) == 64_GBps);
  CHECK(model::LinkFaults{}.bandwidth(128_GBps) == 128_GBps);
  CHECK(model::LinkFaults{0.5, false}.bandwidth({0, true}).ideal);
}

TEST_CASE("stack faults: failed channels are numbers of channels, each once, not all", "[instances]") {
  CHECK(refusal_of_channels("").empty());
  CHECK(refusal_of_channels(" 15 ,0").empty());
  CHECK_THAT(refusal_of_channels("3,x"),
             Catch::StartsWith("E-CFG-020 machine.instances.server0.chip00.hbm0.failed_channels: 'x' is not "
                               "a channel: expected numbers from 0 to 15"));
  CHECK_THAT(refusal_of_channels("3,"), Catch::Contains("'' is not a channel"));
  CHECK_THAT(refusal_of_channels("-1"), Catch::Contains("'-1' is not a channel"));
  CHECK_THAT(refusal_of_channels("3,16"),
             Catch::Contains("channel 16 does not exist: the stack has 16, 0 to 15"));
  CHECK_THAT(refusal_of_channels("3,4,3"), Catch::Contains("channel 3 appears twice"));
  CHECK_THAT(refusal_of_channels("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"),
             Catch::Contains("one must be left"));
}

TEST_CASE("stack faults: a stack too slow to refresh its banks in time is refused", "[instances]") {
  const auto refusal = [](const char* rate) {
    Fixture f;
    f.set("server0.chip00.hbm0.rate", rate);
    return f.refusal_of_check();
  };
  CHECK(refusal("0.1").empty());
  CHECK_THAT(
      refusal("0.001"),
      Catch::StartsWith("E-CFG-020 machine.instances.server0.chip00.hbm0.rate: at 0.001 of its rate") &&
          Catch::Contains("expected at least about 0.0"));
  Fixture flat;
  flat.machine.chip.hbm.model = model::HbmModel::kFlat;
  flat.set("server0.chip00.hbm0.rate", "0.001");
  CHECK(flat.refusal_of_check().empty());
}

TEST_CASE("stack faults: channels take their share of capacity and bandwidth along", "[instances]") {
  Fixture f;
  f.set("server0.chip00.hbm0.failed_channels", "3,7,8,15");
  f.set("server0.chip00.hbm0.rate", "0.5");
  const model::StackFaults faults = f.machine.faults_of(0, 0);
  CHECK(faults.capacity(f.machine.chip.hbm) == 18_GiB);
  CHECK(faults.bandwidth(f.machine.chip.hbm).bytes_per_second == 725'000'000'000ULL * 12 / 16 / 2);
  const model::StackFaults sound;
  CHECK(sound.capacity(f.machine.chip.hbm) == f.machine.chip.hbm.capacity);
  CHECK(sound.bandwidth(f.machine.chip.hbm) == f.machine.chip.hbm.bandwidth);
}

TEST_CASE("instances: names are those of the netlist, and a slow stack serves at its rate", "[instances]") {
  model::MachineParams machine = tests::machine_of(2, 1, 2);
  machine.chip.hbm.model = model::HbmModel::kFlat;
  machine.instances.stacks[model::stack_name(machine, 0, 0)].rate = 0.25;
  machine.check();
  model::System system(machine, model::Mode::kTiming);
  isa::Program p;
  p.stream(isa::Queue::kSync).edit() = {tests::hbm_copy(p, 1, 0, 4096, 0)};
  system.load(0, std::make_shared<isa::Program>(p), {0, 1 << 20});
  const base::RunMeasurement run = system.run();
  REQUIRE(run.hbm.size() == 16);
  for (std::uint64_t n = 0; n < run.hbm.size(); ++n)
    CHECK(run.hbm[n].path == model::stack_name(machine, n / 4, n % 4));
  CHECK(run.hbm[15].path == "server1.chip01.hbm3");
  // Read and written once, at a quarter of 725 GB/s.
  CHECK(run.hbm[0].busy.ns() == Approx(2 * 4096 / 181.25).epsilon(1e-6));
}
