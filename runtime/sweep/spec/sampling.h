// SPDX-License-Identifier: Apache-2.0
// Samples of a space of axes. The generator is std::mt19937_64, whose numbers the standard fixes, and what is
// made of them is integer arithmetic of our own: a seed gives the same points everywhere. Optuna and SciPy do not
// replace this: they would bring Python into `tahoma sweep`, their points change with their versions, and their Latin
// hypercubes repeat points on axes of few values. Searches, which need a library, use Optuna (scripts/search).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tahoma::runtime {

struct SweepSample {
  std::string method = "random";  // or latin_hypercube
  std::uint64_t points = 0;       // of each workload, before any filter
  std::uint64_t seed = 1;
  std::string place;  // where the sweep asks for it
};

// Where a point lies on one axis: the index of a value, or in [0, 1) of a continuous one.
struct Coordinate {
  std::size_t index = 0;
  double position = 0;
};
using Coordinates = std::vector<Coordinate>;

// `sizes`: values on each axis, 0 if it is continuous. Random points are independent and uniform. Of a Latin
// hypercube of n points, each axis has exactly one in each n-th: continuous axes have n strata, and of k
// values each is taken n/k times, rounded up or down. Without a continuous axis no two points are equal.
// E-SWP-032: that many different points do not exist, or are not found.
std::vector<Coordinates> draw(const SweepSample& sample, const std::vector<std::size_t>& sizes);

std::vector<std::string> sampling_methods();

}  // namespace tahoma::runtime
