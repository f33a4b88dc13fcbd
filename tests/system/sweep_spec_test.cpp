// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "runtime/sweep/spec.h"
#include "tests/support/sweep_files.h"

namespace {

using namespace tahoma;
using runtime::SweepRequest, runtime::SweepSpec, tests::SweepFiles;
using Texts = std::vector<std::string>;

const std::string kStacks = "  axes:\n    - machine.chip.hbm.stacks: [4, 6]\n";

void check_refused(const std::string& keys, const std::string& beginning, const std::string& hint) {
  const SweepFiles files;
  const std::string refusal = files.refusal([&] { files.of_gemm(keys); });
  CHECK_THAT(refusal, Catch::StartsWith(beginning));
  CHECK_THAT(refusal, Catch::Contains(hint));
}

SweepSpec of_words(const SweepFiles& files, const Texts& axes, const Texts& overrides = {}) {
  return runtime::sweep_of({files.gemm(), axes, "", "", "", overrides});
}

void check_words_refused(const Texts& axes, const std::string& beginning, const std::string& hint) {
  const SweepFiles files;
  const std::string refusal = files.refusal([&] { of_words(files, axes); });
  CHECK_THAT(refusal, Catch::StartsWith(beginning));
  CHECK_THAT(refusal, Catch::Contains(hint));
}

const std::string kEverything = R"(
  title: "All keys: one sweep"
  workloads: [gemm.yaml, add.yaml]
  machine: trainium2_chip
  mode: timing
  seed: 7
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

TEST_CASE("sweep file: what is left out has its default", "[sweep]") {
  const SweepFiles files;
  const SweepSpec spec = files.of_gemm(kStacks);
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
  for (const std::string& keys : {kEverything, "  workloads: gemm.yaml\n" + kStacks}) {
    const std::string text = files.load(keys).to_yaml();
    const std::string copy = elsewhere.folder().write("copy.yaml", text);
    CHECK(runtime::is_sweep(copy));
    CHECK(runtime::load_sweep(copy).to_yaml() == text);
  }
}

TEST_CASE("sweep file: the words of the command line give a sweep that a file can hold", "[sweep]") {
  const SweepFiles files;
  const SweepSpec spec = runtime::sweep_of(
      {files.gemm(),
       {"machine.chip.hbm.stacks=4,6", "workload.m=128..512:x2",
        "machine.link.x=64GB/s..256GB/s:64GB/s;machine.torus.z=1,1,1,1"},
       "trainium2_chip",
       "timing",
       "3",
       {"machine.link={wire: 60 ns}", "machine.chip.hbm.model=dram", "machine.chip.hbm.model=flat"}});
  REQUIRE(spec.axes.size() == 3);
  CHECK(spec.axes[1].tracks[0].values == Texts{"128", "256", "512"});
  CHECK(spec.axes[2].tracks[0].values == Texts{"64 GB/s", "128 GB/s", "192 GB/s", "256 GB/s"});
  CHECK(spec.axes[2].tracks[1].path == "machine.torus.z");
  const std::string text = spec.to_yaml();
  const SweepSpec again = runtime::load_sweep(files.folder().write("copy.yaml", text));
  CHECK(again.to_yaml() == text);
  CHECK(again.overrides == Texts{"machine.link.wire=60 ns", "machine.chip.hbm.model=flat"});
}

TEST_CASE("sweep file: a workload is not taken for a sweep", "[sweep]") {
  const SweepFiles files;
  CHECK_FALSE(runtime::is_sweep(files.gemm()));
  CHECK_THAT(files.refusal([&] { runtime::load_sweep(files.gemm()); }),
             Catch::StartsWith("gemm.yaml:1:1: error[E-SWP-001]: unknown key 'kind': expected sweep"));
}

TEST_CASE("sweep file: a machine beside it wins over a preset", "[sweep]") {
  const SweepFiles files;
  files.folder().write("mine.yaml", "extends: trainium2_one_chip\nmachine: {torus: {x: 1}}\n");
  const SweepSpec spec = files.of_gemm("  machine: mine\n" + kStacks);
  CHECK(spec.machine == files.folder() / "mine.yaml");
  check_refused("  machine: trainium2_chop\n" + kStacks, "sweep.yaml:3:12: error[E-CFG-021]",
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
                "sweep.yaml:5:7: error[E-SWP-017]: 'seed' is on an axis", "set at sweep.yaml:3:9");
}

TEST_CASE("sweep file: keys of another shape, and unknown ones, are refused", "[sweep]") {
  check_refused("  axes: {machine.chip.hbm.stacks: [4]}\n", "sweep.yaml:3:10: error[E-SWP-002]",
                "a list of axes");
  check_refused(kStacks + "  where: {a: b}\n", "sweep.yaml:5:11: error[E-SWP-002]", "a list of texts");
  check_refused(kStacks + "  metrics: [a]\n", "sweep.yaml:5:13: error[E-SWP-002]", "to be a map");
  check_refused("  axes:\n    - machine.torus.x: {from: 1, to: 4, steps: 1}\n",
                "sweep.yaml:4:44: error[E-SWP-002]", "did you mean 'step'");
  check_refused("  axis:\n    - machine.chip.hbm.stacks: [4]\n", "sweep.yaml:3:3: error[E-CFG-002]",
                "did you mean 'axes'");
  check_refused(kStacks + "  limits: {pionts: 4}\n", "sweep.yaml:5:12: error[E-CFG-002]", "did you mean");
}

TEST_CASE("sweep file: what is missing is named", "[sweep]") {
  const SweepFiles files;
  CHECK_THAT(files.refusal([&] { files.load(kStacks); }),
             Catch::StartsWith("sweep.yaml: error[E-SWP-003]: key 'sweep.workloads' is missing"));
  check_refused("  title: nothing\n", "sweep.yaml: error[E-SWP-003]: no axes",
                "--sweep machine.chip.hbm.stacks=4,6,8");
  check_refused(kStacks + "  sample: {seed: 4}\n", "sweep.yaml:5:12: error[E-SWP-003]", "sample.points");
  check_refused("  axes:\n    - machine.chip.hbm.stacks: []\n", "sweep.yaml:4:32: error[E-CFG-019]",
                "is empty");
  CHECK_THAT(files.refusal([&] { files.load("  workloads: nowhere.yaml\n" + kStacks); }),
             Catch::StartsWith("nowhere.yaml: error[E-RUN-001]"));
}

TEST_CASE("sweep file: a limit of time is a time of the host", "[sweep]") {
  const SweepFiles files;
  const auto time = [&](const std::string& text) {
    return files.of_gemm(kStacks + "  limits: {time: " + text + "}\n").limits.time;
  };
  CHECK(time("90 s") == 90);
  CHECK(time("1.5 h") == 5400);
  CHECK(time("none") == 0);
  for (const char* wrong : {"10", "0 s", "-1 min", "10 ns", "ten min"})
    check_refused(kStacks + "  limits: {time: " + wrong + "}\n", "sweep.yaml:5:18: error[E-SWP-004]",
                  "'10 min'");
}

TEST_CASE("sweep file: a range without steps asks for a sample", "[sweep]") {
  check_refused("  axes:\n    - machine.link.x: {from: 64 GB/s, to: 256 GB/s}\n",
                "sweep.yaml:4:23: error[E-SWP-005]: 'machine.link.x' has neither step nor factor",
                "latin_hypercube");
}

TEST_CASE("sweep file: nobody decides about a parameter twice", "[sweep]") {
  check_refused(
      "  axes:\n    - machine.torus.x: [1, 2]\n    - machine.torus.x: [4]\n",
      "sweep.yaml:5:7: error[E-SWP-017]: 'machine.torus.x' is on an axis, and an axis at sweep.yaml:4:7", "");
  check_refused("  set: {machine.chip.hbm.stacks: 4}\n" + kStacks, "sweep.yaml:5:7: error[E-SWP-017]",
                "set at");
  check_refused(kStacks + "  derive: {machine.chip.hbm.stacks: '4'}\n", "sweep.yaml:5:12: error[E-SWP-017]",
                "an axis at sweep.yaml:4:7");
}

TEST_CASE("sweep file: kind cannot be swept", "[sweep]") {
  check_refused("  axes:\n    - kind: [gemm, vector_add]\n", "sweep.yaml:4:7: error[E-SWP-018]",
                "several workloads");
}

TEST_CASE("sweep file: an unknown path is refused with the nearest one", "[sweep]") {
  check_refused("  axes:\n    - machine.chip.hbm.stack: [4, 6]\n", "sweep.yaml:4:7: error[E-CFG-002]",
                "did you mean 'machine.chip.hbm.stacks'");
  check_refused("  axes:\n    - machin.torus.x: [4, 6]\n", "sweep.yaml:4:7: error[E-CFG-002]",
                "did you mean 'machine.torus.x'");
  check_refused("  set: {machine.chip.hbm.modell: flat}\n" + kStacks, "sweep.yaml:3:9: error[E-CFG-002]",
                "did you mean 'machine.chip.hbm.model'");
  check_refused(kStacks + "  derive: {machine.chip.hbm.capacty: '1'}\n", "sweep.yaml:5:12: error[E-CFG-002]",
                "did you mean 'machine.chip.hbm.capacity'");
}

TEST_CASE("sweep file: with several workloads a refusal says whose it is", "[sweep]") {
  const SweepFiles files;
  CHECK_THAT(files.refusal([&] {
    files.load("  workloads: [gemm.yaml, add.yaml]\n  axes:\n    - workload.m: [128, 256]\n");
  }),
             Catch::StartsWith("sweep.yaml:4:7: error[E-CFG-002]") && Catch::Contains("(add.yaml)"));
}

TEST_CASE("sweep file: units and limits are those of the parameter", "[sweep]") {
  check_refused("  axes:\n    - machine.link.x: [64, 128]\n", "sweep.yaml:4:24: error[E-CFG-003]",
                "725 GB/s");
  check_refused("  set: {machine.link.x: 64 GHz}\n" + kStacks, "sweep.yaml:3:25: error[E-CFG-003]",
                "a bandwidth");
  check_refused("  mode: fast\n" + kStacks, "sweep.yaml:3:9: error[E-CFG-006]", "functional, timing");
  check_refused(kStacks + "  sample: {method: sobol, points: 4}\n", "sweep.yaml:5:20: error[E-CFG-006]",
                "latin_hypercube");
}

TEST_CASE("sweep file: expressions name parameters that are numbers", "[sweep]") {
  check_refused(
      kStacks + "  where: 'machine.chip.hbm.stack > 4'\n", "sweep.yaml:5:10: error[E-SWP-021]",
      "column 1: nothing is called 'machine.chip.hbm.stack' (did you mean 'machine.chip.hbm.stacks'?)");
  check_refused(kStacks + "  where: 'machine.chip.hbm.stacks >> 4'\n", "sweep.yaml:5:10: error[E-SWP-020]",
                "column");
  check_refused(kStacks + "  where: 'machine.chip.hbm.model == 1'\n", "sweep.yaml:5:10: error[E-SWP-022]",
                "is no number");
  check_refused(kStacks + "  derive: {machine.chip.hbm.capacity: 'GiB * stacks'}\n",
                "sweep.yaml:5:39: error[E-SWP-021]", "'stacks'");
  check_refused(kStacks + "  metrics: {price: 'machine.chip.hbm.stack'}\n",
                "sweep.yaml:5:20: error[E-SWP-021]", "machine.chip.hbm.stacks");
}

TEST_CASE("sweep file: a metric hides no parameter, unit or function", "[sweep]") {
  for (const char* name : {"machine.chip.hbm.stacks", "seed", "GiB", "max", "a-b"})
    check_refused(kStacks + "  metrics: {" + name + ": '1'}\n", "sweep.yaml:5:13: error[E-SWP-023]",
                  "choose another name");
}

TEST_CASE("sweep file: derived parameters and metrics look back, not ahead", "[sweep]") {
  check_refused(kStacks + "  metrics: {a: 'b + 1', b: '2'}\n", "sweep.yaml:5:16: error[E-SWP-024]",
                "comes later");
  check_refused(kStacks + "  derive: {machine.torus.x: 'machine.torus.x * 2'}\n",
                "sweep.yaml:5:29: error[E-SWP-024]", "is itself");
}

TEST_CASE("sweep file: a parameter of words is not derived", "[sweep]") {
  check_refused(kStacks + "  derive: {machine.chip.hbm.model: '1'}\n", "sweep.yaml:5:12: error[E-SWP-025]",
                "dram");
}

TEST_CASE("sweep words: what is no axis is refused", "[sweep]") {
  check_words_refused({}, "gemm.yaml: error[E-SWP-003]: no axes", "--sweep");
  check_words_refused({"machine.torus.x"}, "--sweep machine.torus.x: error[E-SWP-006]", "PATH=a,b,c");
  check_words_refused({"=4"}, "--sweep =4: error[E-SWP-006]", "PATH=a,b,c");
  check_words_refused({"machine.torus.x="}, "--sweep machine.torus.x=: error[E-SWP-010]", "no values");
  check_words_refused({"machine.torus.x=4,,8"}, "--sweep machine.torus.x=4,,8: error[E-CFG-004]",
                      "whole number");
  check_words_refused({"machine.torus.x=1..10:4"}, "--sweep machine.torus.x=1..10:4: error[E-SWP-012]",
                      "9, then 13");
  check_words_refused({"machine.torus.x=1..4"}, "--sweep machine.torus.x=1..4: error[E-SWP-005]", "step");
  check_words_refused({"machine.torus.x=4,8;machine.torus.y=4"}, "--sweep ", "E-SWP-015");
  check_words_refused({"machine.torus.x=4,8", "machine.torus.x=2"},
                      "--sweep machine.torus.x=2: error[E-SWP-017]", "--sweep machine.torus.x=4,8");
}
