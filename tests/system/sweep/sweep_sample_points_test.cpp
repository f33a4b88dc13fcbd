// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/support/program/sweep_point_list.h"

using namespace tahoma;
using runtime::SweepPoint, runtime::SweepSpec, tests::check_points_refused, tests::points_of_gemm,
    tests::Points, tests::rows_of, tests::SweepFiles;
using Texts = std::vector<std::string>;

TEST_CASE("sweep points: a Latin hypercube has one point in each stratum of a continuous axis", "[sweep]") {
  const std::string keys =
      "  axes:\n    - machine.chip.core.tensor.clock: {from: 1 GHz, to: 3 GHz}\n"
      "    - machine.chip.hbm.capacity: {from: 1 MiB, to: 1 GiB, log: true}\n"
      "    - machine.chip.hbm.stacks: [4, 6]\n"
      "  sample: {method: latin_hypercube, points: 20, seed: 5}\n";
  const Points sample = points_of_gemm(keys);
  REQUIRE(sample.size() == 20);
  std::multiset<double> clocks, capacities;
  int fours = 0;
  for (const SweepPoint& point : sample) {
    clocks.insert(*point.parameters[0].value);
    capacities.insert(std::log2(*point.parameters[1].value));
    fours += static_cast<int>(point.parameters[2].text == "4");
  }
  CHECK(fours == 10);
  int stratum = 0;
  for (const double clock : clocks) {  // to one rounding unit
    CHECK(clock >= 1e9 + 1e8 * stratum - 1);
    CHECK(clock <= 1e9 + 1e8 * (stratum + 1) + 1);
    ++stratum;
  }
  stratum = 0;
  for (const double capacity : capacities) {
    CHECK(capacity >= 20 + stratum / 2.0 - 1e-6);
    CHECK(capacity <= 20.5 + stratum / 2.0 + 1e-6);
    ++stratum;
  }
  CHECK(rows_of(points_of_gemm(keys), "") == rows_of(sample, ""));
  CHECK(rows_of(points_of_gemm(keys + "  title: other\n"), "") == rows_of(sample, ""));
}

TEST_CASE("sweep points: a sample is filtered after it is drawn", "[sweep]") {
  const std::string keys =
      "  axes:\n    - machine.torus.x: {from: 1, to: 16, step: 1}\n    - machine.torus.y: {from: 1, to: 16, "
      "step: 1}\n"
      "  sample: {points: 50, seed: 2}\n";
  const Texts all = rows_of(points_of_gemm(keys), "machine.torus.");
  const Texts some = rows_of(points_of_gemm(keys + "  where: machine.torus.x <= 8\n"), "machine.torus.");
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == 50);
  CHECK(some.size() < 50);
  for (const std::string& row : some) CHECK(std::find(all.begin(), all.end(), row) != all.end());
  check_points_refused("  axes:\n    - machine.torus.x: [1, 2]\n  sample: {points: 3}\n",
                       "sweep.yaml:5:20: error[E-SWP-032]", "only 2");
}
