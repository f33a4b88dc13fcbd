// SPDX-License-Identifier: Apache-2.0
// Samples of a space of axes. The generator is std::mt19937_64, whose output the standard defines, and its
// numbers are processed in integer arithmetic: a seed gives the same points on every host. Optuna and SciPy
// do not replace this: they would bring Python into `tahoma sweep`, their points change with their versions,
// and their Latin hypercubes repeat points on axes of few values. `tahoma optimise` uses Optuna for searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tahoma::runtime {

struct SweepSample {
  std::string method = "random";  // or latin_hypercube
  std::uint64_t points = 0;       // per workload, before filters
  std::uint64_t seed = 1;
  std::string place;  // of the key in the sweep
};

// Position of a point on one axis: the index of a value, or a position in [0, 1) on a continuous axis.
struct Coordinate {
  std::size_t index = 0;
  double position = 0;
};
using Coordinates = std::vector<Coordinate>;

// `sizes`: number of values on each axis, 0 if it is continuous. Random points are independent and uniform.
// In a Latin hypercube of n points, each axis has exactly one point in each n-th: continuous axes have n
// strata, and each of k values is used n/k times, rounded up or down. Without a continuous axis all points
// differ. E-SWP-032: so many different points do not exist, or were not found.
std::vector<Coordinates> draw(const SweepSample& sample, const std::vector<std::size_t>& sizes);

std::vector<std::string> sampling_methods();

}  // namespace tahoma::runtime
