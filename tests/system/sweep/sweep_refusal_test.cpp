// SPDX-License-Identifier: Apache-2.0
// Sweeps that end before their first point.
#include <catch2/catch.hpp>

#include "studies/sweep/spec/spec.h"
#include "tests/support/program/sweep_files.h"

namespace {

using namespace tahoma;
using runtime::SweepSpec, tests::check_refused, tests::SweepFiles;
using Texts = std::vector<std::string>;

const std::string kStacks = "  axes:\n    - machine.chip.hbm.stacks: [4, 6]\n";

SweepSpec of_words(const SweepFiles& files, const Texts& axes, const Texts& overrides = {}) {
  runtime::SweepRequest request;
  request.workload = files.gemm();
  request.axes = axes;
  request.overrides = overrides;
  return runtime::sweep_of(request);
}

void check_words_refused(const Texts& axes, const std::string& beginning, const std::string& hint) {
  const SweepFiles files;
  const std::string refusal = files.refusal([&] { of_words(files, axes); });
  CHECK_THAT(refusal, Catch::StartsWith(beginning));
  CHECK_THAT(refusal, Catch::Contains(hint));
}

}  // namespace

TEST_CASE("sweep file: keys of another shape, and unknown ones, are refused", "[sweep]") {
  check_refused("  axes: {machine.chip.hbm.stacks: [4]}\n", "sweep.yaml:3:36: error[E-SWP-002]",
                "a list of axes");
  check_refused(kStacks + "  where: {a: b}\n", "sweep.yaml:5:11: error[E-SWP-002]", "a list of texts");
  check_refused(kStacks + "  metrics: [a]\n", "sweep.yaml:5:13: error[E-SWP-002]", "to be a map");
  check_refused("  axes:\n    - machine.torus.x: {from: 1, to: 4, steps: 1}\n",
                "sweep.yaml:4:41: error[E-SWP-002]", "did you mean 'step'");
  check_refused("  axis:\n    - machine.chip.hbm.stacks: [4]\n", "sweep.yaml:4:33: error[E-CFG-002]",
                "did you mean 'axes'");
  check_refused(kStacks + "  limits: {pionts: 4}\n", "sweep.yaml:5:12: error[E-CFG-002]", "did you mean");
}

TEST_CASE("sweep file: missing keys are named", "[sweep]") {
  const SweepFiles files;
  CHECK_THAT(files.refusal([&] { files.load(kStacks); }),
             Catch::StartsWith("sweep.yaml: error[E-SWP-003]: key 'sweep.workloads' is missing"));
  check_refused("  title: nothing\n", "sweep.yaml: error[E-SWP-003]: no axes",
                "--sweep machine.chip.hbm.stacks=4,6,8");
  check_refused(kStacks + "  sample: {seed: 4}\n", "sweep.yaml:5:12: error[E-SWP-003]", "sample.points");
  check_refused(kStacks + "  repeat: 1\n", "sweep.yaml:5:11: error[E-SWP-033]", "at least 2");
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
                "sweep.yaml:4:24: error[E-SWP-005]: 'machine.link.x' has neither step nor factor",
                "latin_hypercube");
}

TEST_CASE("sweep file: no parameter is set twice", "[sweep]") {
  check_refused("  axes:\n    - machine.torus.x: [1, 2]\n    - machine.torus.x: [4]\n",
                "sweep.yaml:5:25: error[E-SWP-017]: 'machine.torus.x' is set by an axis and also by "
                "an axis at sweep.yaml:4:25",
                "");
  check_refused("  set: {machine.chip.hbm.stacks: 4}\n" + kStacks, "sweep.yaml:5:33: error[E-SWP-017]",
                "'set' at");
  check_refused(kStacks + "  derive: {machine.chip.hbm.stacks: '4'}\n", "sweep.yaml:5:12: error[E-SWP-017]",
                "an axis at sweep.yaml:4:33");
}

TEST_CASE("sweep file: kind cannot be swept", "[sweep]") {
  check_refused("  axes:\n    - kind: [gemm, vector_add]\n", "sweep.yaml:4:14: error[E-SWP-018]",
                "several workloads");
}

TEST_CASE("sweep file: an unknown path is refused with the nearest one", "[sweep]") {
  check_refused("  axes:\n    - machine.chip.hbm.stack: [4, 6]\n", "sweep.yaml:4:32: error[E-CFG-002]",
                "did you mean 'machine.chip.hbm.stacks'");
  check_refused("  axes:\n    - machin.torus.x: [4, 6]\n", "sweep.yaml:4:24: error[E-CFG-002]",
                "did you mean 'machine.torus.x'");
  check_refused("  set: {machine.chip.hbm.modell: flat}\n" + kStacks, "sweep.yaml:3:9: error[E-CFG-002]",
                "did you mean 'machine.chip.hbm.model'");
  check_refused(kStacks + "  derive: {machine.chip.hbm.capacty: '1'}\n", "sweep.yaml:5:12: error[E-CFG-002]",
                "did you mean 'machine.chip.hbm.capacity'");
}

TEST_CASE("sweep file: with several workloads an error names its workload", "[sweep]") {
  const SweepFiles files;
  CHECK_THAT(files.refusal([&] {
    files.load("  workloads: [gemm.yaml, add.yaml]\n  axes:\n    - workload.m: [128, 256]\n");
  }),
             Catch::StartsWith("sweep.yaml:4:20: error[E-CFG-002]") && Catch::Contains("(add.yaml)"));
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
      "column 1: there is no name 'machine.chip.hbm.stack' (did you mean 'machine.chip.hbm.stacks'?)");
  check_refused(kStacks + "  where: 'machine.chip.hbm.stacks >> 4'\n", "sweep.yaml:5:10: error[E-SWP-020]",
                "column");
  check_refused(kStacks + "  where: 'machine.chip.hbm.model == 1'\n", "sweep.yaml:5:10: error[E-SWP-022]",
                "is not a number");
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

TEST_CASE("sweep words: an invalid axis is refused", "[sweep]") {
  check_words_refused({}, "gemm.yaml: error[E-SWP-003]: no axes", "--sweep");
  check_words_refused({"machine.torus.x"}, "--sweep machine.torus.x: error[E-SWP-006]", "PATH=a,b,c");
  check_words_refused({"=4"}, "--sweep =4: error[E-SWP-006]", "PATH=a,b,c");
  check_words_refused({"machine.torus.x="}, "--sweep machine.torus.x=: error[E-SWP-010]", "no values");
  check_words_refused({"machine.torus.x=4,,8"}, "--sweep machine.torus.x=4,,8: error[E-CFG-004]",
                      "whole number");
  check_words_refused({"machine.torus.x=1..10:4"}, "--sweep machine.torus.x=1..10:4: error[E-SWP-012]",
                      "9 is followed by 13");
  check_words_refused({"machine.torus.x=1..4"}, "--sweep machine.torus.x=1..4: error[E-SWP-005]", "step");
  check_words_refused({"machine.torus.x=4,8;machine.torus.y=4"}, "--sweep ", "E-SWP-015");
  check_words_refused({"machine.torus.x=4,8", "machine.torus.x=2"},
                      "--sweep machine.torus.x=2: error[E-SWP-017]", "--sweep machine.torus.x=4,8");
}
