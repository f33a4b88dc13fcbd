// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "studies/sweep/spec/spec.h"
#include "tests/support/program/sweep_files.h"

namespace {

using namespace tahoma;
using runtime::SweepRequest, runtime::SweepSpec, tests::check_refused, tests::SweepFiles;
using Texts = std::vector<std::string>;

const std::string kStackCounts = "  axes:\n    - machine.chip.hbm.stacks: [4, 6]\n";

const std::string kEverything = R"(
  title: "All keys: one sweep"
  workloads: [gemm.yaml, add.yaml]
  machine: trainium2_chip
  mode: timing
  seed: 7
  repeat: 39
  set:
    machine.chip.hbm.model: flat
    machine.link: {wire: 60 ns}
  axes:
    - machine.chip.hbm.stacks: [4, 6, 8]
    - machine.chip.core.tensor.clock: {from: 1.2 GHz, to: 2.8 GHz, step: 400 MHz}
    - {machine.link.x: [64 GB/s, ideal], machine.link.y: [32 GB/s, ideal]}
    - machine.chip.hbm.read_latency: {from: 10 ns, to: 100 ns, log: true}
  derive:
    machine.chip.hbm.capacity: 'machine.chip.hbm.stacks * 6 * GiB'
  where: ['machine.chip.hbm.stacks > 4', "machine.chip.hbm.capacity < 40 * GiB"]
  sample: {method: latin_hypercube, points: 12, seed: 3}
  metrics:
    price: 'machine.chip.hbm.stacks * 120 + 900'
    value: 'flops.achieved_tflops / price'
  limits: {points: 500, time: 10 min, memory: 4 GiB, retries: 1}
)";

}  // namespace

TEST_CASE("sweep file: every key has its meaning", "[sweep]") {
  const SweepFiles files;
  const SweepSpec spec = files.load(kEverything);
  CHECK(spec.title == "All keys: one sweep");
  CHECK(spec.file == files.folder() / "sweep.yaml");
  CHECK(spec.workloads == Texts{files.gemm(), files.add()});
  CHECK(spec.machine == "trainium2_chip");
  CHECK(spec.mode == "timing");
  CHECK(spec.seed == "7");
  CHECK(spec.repeat == 39);
  CHECK(spec.overrides == Texts{"machine.chip.hbm.model=flat", "machine.link.wire=60 ns"});
  REQUIRE(spec.axes.size() == 4);
  CHECK(spec.axes[0].tracks[0].values == Texts{"4", "6", "8"});
  CHECK(spec.axes[1].size() == 5);
  CHECK(spec.axes[2].name() == "machine.link.x, machine.link.y");
  CHECK(spec.axes[2].tracks[1].values == Texts{"32 GB/s", "ideal"});
  CHECK(spec.axes[3].continuous());
  CHECK(spec.axes[3].tracks[0].range->log);
  CHECK(spec.derived.at(0).first == "machine.chip.hbm.capacity");
  CHECK(spec.where.at(1).text() == "machine.chip.hbm.capacity < 40 * GiB");
  REQUIRE(spec.sample);
  CHECK(spec.sample->method == "latin_hypercube");
  CHECK(spec.sample->points == 12);
  CHECK(spec.sample->seed == 3);
  CHECK(spec.metrics.at(1).first == "value");
  CHECK(spec.limits.points == 500);
  CHECK(spec.limits.time == 600);
  CHECK(spec.limits.memory.count == std::uint64_t{4} << 30);
  CHECK(spec.limits.retries == 1);
}

TEST_CASE("sweep file: omitted keys have their defaults", "[sweep]") {
  const SweepFiles files;
  const SweepSpec spec = files.of_gemm(kStackCounts);
  CHECK(spec.machine.empty());
  CHECK(spec.mode.empty());
  CHECK_FALSE(spec.sample);
  CHECK(spec.limits.points == 10'000);
  CHECK(spec.limits.time == 0);
  CHECK(spec.limits.memory.count == 0);
  CHECK(spec.limits.retries == 2);
}

TEST_CASE("sweep file: its text again is the same sweep, from any folder", "[sweep]") {
  const SweepFiles files, elsewhere;
  for (const std::string& keys : {kEverything, "  workloads: gemm.yaml\n" + kStackCounts}) {
    const std::string text = files.load(keys).to_yaml();
    const std::string copy = elsewhere.folder().write("copy.yaml", text);
    CHECK(runtime::is_sweep(copy));
    CHECK(runtime::load_sweep(copy).to_yaml() == text);
  }
}

TEST_CASE("sweep file: the words of the command line give a sweep that a file can hold", "[sweep]") {
  const SweepFiles files;
  const SweepSpec spec =
      runtime::sweep_of({.workload = files.gemm(),
                         .axes = {"machine.chip.hbm.stacks=4,6", "workload.m=128..512:x2",
                                  "machine.link.x=64GB/s..256GB/s:64GB/s;machine.torus.z=1,1,1,1"},
                         .machine = "trainium2_chip",
                         .mode = "timing",
                         .seed = "3",
                         .repeat = 39,
                         .overrides = {"machine.link={wire: 60 ns}", "machine.chip.hbm.model=dram",
                                       "machine.chip.hbm.model=flat"}});
  REQUIRE(spec.axes.size() == 3);
  CHECK(spec.axes[1].tracks[0].values == Texts{"128", "256", "512"});
  CHECK(spec.axes[2].tracks[0].values == Texts{"64 GB/s", "128 GB/s", "192 GB/s", "256 GB/s"});
  CHECK(spec.axes[2].tracks[1].path == "machine.torus.z");
  const std::string text = spec.to_yaml();
  const SweepSpec again = runtime::load_sweep(files.folder().write("copy.yaml", text));
  CHECK(again.to_yaml() == text);
  CHECK(again.repeat == 39);
  CHECK(again.overrides == Texts{"machine.link.wire=60 ns", "machine.chip.hbm.model=flat"});
}

TEST_CASE("sweep file: a workload is not taken for a sweep", "[sweep]") {
  const SweepFiles files;
  CHECK_FALSE(runtime::is_sweep(files.gemm()));
  CHECK_THAT(files.refusal([&] { runtime::load_sweep(files.gemm()); }),
             Catch::StartsWith("gemm.yaml:1:1: error[E-SWP-001]: unknown key 'kind': expected sweep"));
}

TEST_CASE("sweep file: a machine file in its folder takes precedence over a preset", "[sweep]") {
  const SweepFiles files;
  files.folder().write("mine.yaml", "extends: trainium2_one_chip\nmachine: {torus: {x: 1}}\n");
  const SweepSpec spec = files.of_gemm("  machine: mine\n" + kStackCounts);
  CHECK(spec.machine == files.folder() / "mine.yaml");
  check_refused("  machine: trainium2_chop\n" + kStackCounts, "sweep.yaml:3:12: error[E-CFG-021]",
                "did you mean 'trainium2_chip'");
}

TEST_CASE("sweep file: a parameter called like a key of ranges has values and ranges", "[sweep]") {
  const SweepFiles files;
  const std::string path = "machine.chip.core.sequencer.sync.step";
  const auto values = [&](const std::string& text) {
    return files.of_gemm("  axes:\n    - " + path + ": " + text + "\n").axes.at(0).tracks.at(0);
  };
  CHECK(values("86 cyc").path == path);
  CHECK(values("86 cyc").values == Texts{"86 cyc"});
  CHECK(values("[86 cyc, 90 cyc]").values == Texts{"86 cyc", "90 cyc"});
  CHECK(values("{from: 80 cyc, to: 90 cyc, step: 5 cyc}").values == Texts{"80 cyc", "85 cyc", "90 cyc"});
}

TEST_CASE("sweep file: seed and mode may be axes", "[sweep]") {
  const SweepFiles files;
  CHECK(files.of_gemm("  axes:\n    - seed: [1, 2]\n    - mode: [timing, functional]\n").axes.size() == 2);
  check_refused("  seed: 4\n  axes:\n    - seed: [1, 2]\n",
                "sweep.yaml:5:14: error[E-SWP-017]: 'seed' is set by an axis", "'set' at sweep.yaml:3:9");
}
