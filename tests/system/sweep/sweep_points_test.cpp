// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "runtime/config/config.h"
#include "tests/support/program/sweep_point_list.h"

using namespace tahoma;
using runtime::SweepPoint, runtime::SweepSpec, tests::check_points_refused, tests::points_of_gemm,
    tests::Points, tests::rows_of, tests::SweepFiles;
using Texts = std::vector<std::string>;

TEST_CASE("sweep points: a grid is complete, numbered, and its last axis is the fastest", "[sweep]") {
  const Points grid =
      points_of_gemm("  axes:\n    - machine.torus.x: [1, 2]\n    - machine.torus.y: [3, 1, 2]\n");
  CHECK(rows_of(grid, "machine.torus.") ==
        Texts{"x=1 y=3", "x=1 y=1", "x=1 y=2", "x=2 y=3", "x=2 y=1", "x=2 y=2"});
  for (std::size_t i = 0; i < grid.size(); ++i) CHECK(grid[i].number == i);
}

TEST_CASE("sweep points: parameters have their text and their value in base units", "[sweep]") {
  const Points line = points_of_gemm(
      "  axes:\n"
      "    - {machine.chip.core.tensor.clock: [1.2 GHz, 2400 MHz], machine.link.x: [64 GB/s, ideal],\n"
      "       machine.link.wire: [50 ns, ideal], machine.chip.hbm.model: [flat, dram],\n"
      "       machine.chip.hbm.capacity: [1 GiB, 2 GiB], machine.chip.core.tensor.throttle: [true, "
      "false]}\n");
  REQUIRE(line.size() == 2);
  const auto& first = line[0].parameters;
  REQUIRE(first.size() == 6);
  CHECK(first[0].path == "machine.chip.core.tensor.clock");
  CHECK(first[0].text == "1.2 GHz");
  CHECK(first[0].value == 1.2e9);
  CHECK(first[1].value == 64e9);
  CHECK(first[2].value == 50e-9);
  CHECK_FALSE(first[3].value);
  CHECK(first[4].value == 1073741824.0);
  CHECK(first[5].value == 1.0);
  const auto& second = line[1].parameters;
  CHECK(second[0].text == "2.4 GHz");
  CHECK(second[1].text == "ideal");
  CHECK_FALSE(second[1].value);
  CHECK(second[2].value == 0.0);
  CHECK(second[5].value == 0.0);
  CHECK(line[1].overrides[1] == "machine.link.x=ideal");
}

TEST_CASE("sweep points: linked parameters vary together", "[sweep]") {
  const Points line = points_of_gemm(
      "  axes:\n    - {machine.torus.x: [4, 8], machine.torus.y: [4, 2]}\n    - machine.torus.z: [1, 2]\n");
  CHECK(rows_of(line, "machine.torus.") == Texts{"x=4 y=4 z=1", "x=4 y=4 z=2", "x=8 y=2 z=1", "x=8 y=2 z=2"});
}

TEST_CASE("sweep points: every workload runs at every combination, one after the other", "[sweep]") {
  const SweepFiles files;
  const Points both = runtime::points_of(
      files.load("  workloads: [gemm.yaml, add.yaml]\n  axes:\n    - machine.chip.hbm.stacks: [4, 6]\n"));
  REQUIRE(both.size() == 4);
  CHECK(both[1].workload == files.gemm());
  CHECK(both[2].workload == files.add());
  CHECK(both[1].overrides == both[3].overrides);
  CHECK(both[3].number == 3);
}

TEST_CASE("sweep points: derived parameters follow from others, each in its own unit", "[sweep]") {
  const Points line = points_of_gemm(
      "  axes:\n    - machine.chip.hbm.stacks: [4, 6]\n"
      "  derive:\n"
      "    machine.chip.hbm.capacity: 'machine.chip.hbm.stacks * 6 * GiB'\n"
      "    machine.chip.hbm.bandwidth: 'machine.chip.hbm.stacks * 0.1 * TB / s'\n"
      "    machine.chip.hbm.read_latency: '144 * ns / machine.chip.hbm.stacks'\n"
      "    machine.chip.core.tensor.throttle: 'machine.chip.hbm.capacity > 24 * GiB'\n"
      "    machine.torus.x: '0.1 * machine.chip.hbm.stacks * 10 / 2'\n"
      "    machine.chip.core.tensor.issue_overhead: 'workload.k / 64 + machine.chip.hbm.stacks'\n"
      "    machine.chip.core.tensor.clock: 'GHz * 3.3 / 3'\n");
  REQUIRE(line.size() == 2);
  CHECK(line[1].overrides ==
        Texts{"machine.chip.hbm.stacks=6", "machine.chip.hbm.capacity=36 GiB",
              "machine.chip.hbm.bandwidth=600 GB/s", "machine.chip.hbm.read_latency=24 ns",
              "machine.chip.core.tensor.throttle=true", "machine.torus.x=3",
              "machine.chip.core.tensor.issue_overhead=10 cyc", "machine.chip.core.tensor.clock=1.1 GHz"});
  CHECK(line[0].parameters[4].value == 0.0);
}

TEST_CASE("sweep points: filters drop points for which they do not hold, and numbers have no gaps",
          "[sweep]") {
  const std::string axes = "  axes:\n    - machine.torus.x: [1, 2, 4]\n    - machine.torus.y: [1, 2, 4]\n";
  const Points few = points_of_gemm(axes + "  where: 'machine.torus.x * machine.torus.y == 4'\n");
  CHECK(rows_of(few, "machine.torus.") == Texts{"x=1 y=4", "x=2 y=2", "x=4 y=1"});
  CHECK(few[2].number == 2);
  CHECK(points_of_gemm(axes + "  where: [machine.torus.x > 1, machine.torus.y < 4]\n").size() == 4);
  CHECK(points_of_gemm(axes + "  derive: {machine.torus.z: 'machine.torus.x * machine.torus.y'}\n"
                              "  where: machine.torus.z <= 2\n")
            .size() == 3);
}

TEST_CASE("sweep points: filters see the base values of the workload and ideal rates as infinite",
          "[sweep]") {
  const SweepFiles files;
  const Points one =
      runtime::points_of(files.of_gemm("  axes:\n    - machine.link.x: [64 GB/s, 128 GB/s, ideal]\n"
                                       "  where: ['workload.m == 128', 'machine.link.x > 100 * GB / s']\n"));
  CHECK(rows_of(one, "machine.link.") == Texts{"x=128 GB/s", "x=ideal"});
}

TEST_CASE("sweep points: a point that a filter drops need not be legal", "[sweep]") {
  const std::string axes =
      "  axes:\n    - machine.torus.x: [1, 2, 4]\n  derive: {machine.torus.y: '16 - 8 * machine.torus.x'}\n";
  check_points_refused(axes,
                       "sweep.yaml:5:29: error[E-SWP-031]: 'machine.torus.y' from '16 - 8 * machine.torus.x'",
                       "machine.torus.x = 2");
  CHECK(points_of_gemm(axes + "  where: machine.torus.y > 0\n").size() == 1);
}

TEST_CASE("sweep points: an illegal derived value is refused", "[sweep]") {
  const auto derived = [](const std::string& path, const std::string& expression) {
    return "  axes:\n    - machine.chip.hbm.stacks: [4]\n  derive: {" + path + ": '" + expression + "'}\n";
  };
  check_points_refused(derived("machine.torus.x", "2.5"), "sweep.yaml:5:29: error[E-SWP-031]",
                       "2.5 is not a whole number");
  check_points_refused(derived("machine.torus.x", "1000"), "sweep.yaml:5:29: error[E-SWP-031]",
                       "must lie in 1 .. 16");
  check_points_refused(derived("machine.chip.hbm.capacity", "0 - GiB"), "sweep.yaml:5:39: error[E-SWP-031]",
                       "negative");
  check_points_refused(derived("machine.link.x", "1e30"), "sweep.yaml:5:28: error[E-SWP-031]",
                       "exceeds the range");
  check_points_refused(derived("machine.chip.core.tensor.throttle", "2"), "sweep.yaml:5:47: error[E-SWP-031]",
                       "0 or 1");
  check_points_refused(derived("machine.link.x", "1 / (machine.chip.hbm.stacks - 4)"),
                       "sweep.yaml:5:28: error[E-SWP-022]", "machine.chip.hbm.stacks = 4");
}

TEST_CASE("sweep points: filters that drop all points report how many each of them drops", "[sweep]") {
  check_points_refused(
      "  axes:\n    - machine.torus.x: [1, 2, 3, 4]\n"
      "  where: ['machine.torus.x > 2', 'machine.torus.x < 2', 'machine.torus.x > 0']\n",
      "sweep.yaml:5:11: error[E-SWP-030]: none of 4 points is left",
      "'machine.torus.x > 2' drops 2, 'machine.torus.x < 2' drops 3, 'machine.torus.x > 0' drops 0");
}

TEST_CASE("sweep points: an accidental million points is counted, axis by axis", "[sweep]") {
  const std::string axes =
      "  axes:\n    - machine.link.y: {from: 1 GB/s, to: 1000 GB/s, step: 1 GB/s}\n"
      "    - machine.link.x: {from: 1 GB/s, to: 1000 GB/s, step: 1 GB/s}\n";
  check_points_refused(axes, "sweep.yaml: error[E-SWP-014]: 1000000 points",
                       "1000 of machine.link.y x 1000 of machine.link.x), at most 10000");
  check_points_refused(axes, "sweep.yaml: error[E-SWP-014]", "raise 'limits.points'");
  check_points_refused(axes + "  limits: {points: 100}\n  where: machine.link.x > 0\n",
                       "sweep.yaml: error[E-SWP-014]: before 'where' 1000000 points", "at most 100");
  const std::string small = "  axes:\n    - machine.link.x: {from: 1 GB/s, to: 30 GB/s, step: 1 GB/s}\n";
  check_points_refused(small + "  limits: {points: 9}\n  where: machine.link.x > 20 * GB / s\n",
                       "sweep.yaml: error[E-SWP-014]: more than 9 points", "30 of machine.link.x");
  CHECK(points_of_gemm(small + "  limits: {points: 10}\n  where: machine.link.x > 20 * GB / s\n").size() ==
        10);
  check_points_refused(small + "  sample: {points: 20}\n  limits: {points: 10}\n",
                       "sweep.yaml: error[E-SWP-014]: 20 points", "20 samples");
}

TEST_CASE("sweep points: overrides give a run the point's values, texts with brackets included", "[sweep]") {
  const SweepFiles files;
  const SweepSpec spec = files.of_gemm(
      "  set: {workload.m: 256}\n  axes:\n    - workload.inputs.a: ['[odd] \"name\".npy', plain.npy]\n"
      "    - machine.chip.hbm.capacity: [12 GiB]\n");
  const Points two = runtime::points_of(spec);
  REQUIRE(two.size() == 2);
  for (const SweepPoint& point : two) {
    Texts overrides = spec.overrides;
    overrides.insert(overrides.end(), point.overrides.begin(), point.overrides.end());
    const auto config =
        runtime::resolve_values({point.workload, spec.machine, overrides, spec.mode, spec.seed});
    for (const auto& parameter : point.parameters) {
      auto& tree = parameter.path.starts_with("machine") ? config->machine_tree : config->workload_tree;
      CHECK(base::text_of(tree.at(parameter.path, "").value) == parameter.text);
    }
  }
  CHECK_THAT(two[0].parameters[0].text,
             Catch::EndsWith("/[odd] \"name\".npy"));  // from the folder of the sweep
}

TEST_CASE("sweep points: the sweep of a file and of its own text have the same points", "[sweep]") {
  const SweepFiles files;
  const SweepSpec spec = files.of_gemm(
      "  axes:\n    - machine.chip.hbm.stacks: [4, 6, 8]\n    - machine.link.x: {from: 1 GB/s, to: 8 GB/s, "
      "factor: 2}\n"
      "  derive: {machine.link.y: machine.link.x / 2 + 1 * GB / s}\n  where: machine.link.x < 8 * GB / s\n"
      "  sample: {points: 8}\n");
  const Points here = runtime::points_of(spec);
  const Points there =
      runtime::points_of(runtime::load_sweep(files.folder().write("copy.yaml", spec.to_yaml())));
  CHECK(rows_of(here, "") == rows_of(there, ""));
}

TEST_CASE("sweep points: filters know the area of the chip, also of derived values", "[sweep]") {
  // HBM is 14.4 mm2 of parts for a stack at the default rate, 42.5 mm2 of dies at the default fill.
  const std::string axes = "  axes:\n    - machine.chip.hbm.stacks: [4, 8]\n";
  const Points all = points_of_gemm(axes + "  where: area.chip_mm2 > 0\n");
  CHECK(all.size() == 2);
  const Points small = points_of_gemm(axes + "  where: area.parts.hbm < 80\n");
  CHECK(rows_of(small, "machine.chip.hbm.") == Texts{"stacks=4"});
  const Points derived =
      points_of_gemm(axes +
                     "  derive:\n    machine.chip.core.tensor.rows: 'machine.chip.hbm.stacks * 32'\n"
                     "  where: area.parts.tensor > 40\n");
  CHECK(rows_of(derived, "machine.chip.") == Texts{"hbm.stacks=8 core.tensor.rows=256"});
  check_points_refused(axes + "  where: area.chip_mm < 80\n", "sweep.yaml:5:10: error[E-SWP-021]",
                       "area.chip_mm2");
}
