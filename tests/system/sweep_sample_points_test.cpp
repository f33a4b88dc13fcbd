// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "runtime/sweep/points.h"
#include "tests/support/sweep_files.h"

namespace {

using namespace tahoma;
using runtime::SweepPoint, runtime::SweepSpec, tests::SweepFiles;
using Texts = std::vector<std::string>;
using Points = std::vector<SweepPoint>;

Points points(const std::string& keys) {
  const SweepFiles files;
  return runtime::points_of(files.of_gemm(keys));
}

// The overrides of every point, joined by spaces and without what all paths begin with.
Texts rows(const Points& points, const std::string& prefix) {
  Texts rows;
  for (const SweepPoint& point : points) {
    std::string row;
    for (const std::string& text : point.overrides)
      row += (row.empty() ? "" : " ") + text.substr(prefix.size());
    rows.push_back(row);
  }
  return rows;
}

void check_refused(const std::string& keys, const std::string& beginning, const std::string& hint) {
  const SweepFiles files;
  const std::string refusal = files.refusal([&] { runtime::points_of(files.of_gemm(keys)); });
  CHECK_THAT(refusal, Catch::StartsWith(beginning));
  CHECK_THAT(refusal, Catch::Contains(hint));
}

}  // namespace

TEST_CASE("sweep points: a Latin hypercube has one point in each stratum of a continuous axis", "[sweep]") {
  const std::string keys =
      "  axes:\n    - machine.chip.core.tensor.clock: {from: 1 GHz, to: 3 GHz}\n"
      "    - machine.chip.hbm.capacity: {from: 1 MiB, to: 1 GiB, log: true}\n"
      "    - machine.chip.hbm.stacks: [4, 6]\n"
      "  sample: {method: latin_hypercube, points: 20, seed: 5}\n";
  const Points sample = points(keys);
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
  for (const double clock : clocks) {  // to a unit of rounding
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
  CHECK(rows(points(keys), "") == rows(sample, ""));
  CHECK(rows(points(keys + "  title: other\n"), "") == rows(sample, ""));
}

TEST_CASE("sweep points: a sample is filtered after it is drawn", "[sweep]") {
  const std::string keys =
      "  axes:\n    - machine.torus.x: {from: 1, to: 16, step: 1}\n    - machine.torus.y: {from: 1, to: 16, "
      "step: 1}\n"
      "  sample: {points: 50, seed: 2}\n";
  const Texts all = rows(points(keys), "machine.torus.");
  const Texts some = rows(points(keys + "  where: machine.torus.x <= 8\n"), "machine.torus.");
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == 50);
  CHECK(some.size() < 50);
  for (const std::string& row : some) CHECK(std::find(all.begin(), all.end(), row) != all.end());
  check_refused("  axes:\n    - machine.torus.x: [1, 2]\n  sample: {points: 3}\n",
                "sweep.yaml:5:20: error[E-SWP-032]", "only 2");
}
