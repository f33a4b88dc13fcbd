// SPDX-License-Identifier: Apache-2.0
// A sweep: which parameters of which workloads take which values. It comes from a file with the key `sweep`
// (README.md shows one), or from the command line. This code and points_of() check everything that does not
// require running a point: paths, units and ranges against the base configuration of each workload, names in
// expressions, combinations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "studies/sweep/spec/axis.h"
#include "studies/sweep/spec/expression.h"
#include "studies/sweep/spec/sampling.h"

namespace tahoma::runtime {

struct SweepLimits {
  std::uint64_t points = 10'000;  // of the whole sweep; exceeding it is an error, to catch mistakes
  double time = 0;                // seconds of one attempt at a point; 0: no limit
  base::Bytes memory{0};          // of one point; 0: no limit
  std::uint64_t retries = 2;      // further attempts at a point that crashed
};

// Sweeps are equal if their to_yaml() is.
struct SweepSpec {
  std::string title, file;             // file: "" for a sweep of the command line
  std::vector<std::string> workloads;  // relative to the working directory
  std::string machine, mode, seed;     // as --machine, --mode, --seed; "" to use those of the workloads
  std::uint64_t repeat = 0;            // start phases of each point, as --repeat of a run; 0: its own alone
  std::vector<std::string> overrides;  // "path=value", as --set
  std::vector<Axis> axes;              // the last one varies fastest
  std::vector<std::pair<std::string, Expression>> derived;  // by path, each over the previous ones
  std::vector<Expression> where;
  std::optional<SweepSample> sample;
  std::vector<std::pair<std::string, Expression>> metrics;  // by name, each over the previous ones
  SweepLimits limits;

  // Writes a self-contained sweep file: absolute paths, values instead of steps. Loading it gives an equal
  // sweep.
  std::string to_yaml() const;
  // The part of it that determines the points and their runs: without title, metrics and limits.
  std::string points_yaml() const;
};

// True if the YAML file `path` has the root key `sweep`.
bool is_sweep(const std::string& path);

// UserError: README.md, E-SWP-001 to E-SWP-025, and those of the configuration (E-CFG, E-RUN).
SweepSpec load_sweep(const std::string& path);

// The options of the command line; an empty text is an option that was not given.
struct SweepRequest {
  std::string workload;           // path of the workload's YAML
  std::vector<std::string> axes;  // --sweep: PATH=a,b,c or PATH=from..to:step, linked ones joined by ';'
  std::string machine, mode, seed;
  std::uint64_t repeat = 0;            // --repeat
  std::vector<std::string> overrides;  // --set
};
SweepSpec sweep_of(const SweepRequest& request);

}  // namespace tahoma::runtime
