// SPDX-License-Identifier: Apache-2.0
// A sweep from its file to its results, in the folder DIR:
//
//   sweep.yaml     the sweep itself, by itself
//   points/ID/     config.yaml, out/ (as of `tahoma run`), log.txt and result.json of each point
//   sweep.db       everything that was found (runtime/sweep/results/store.h); points.csv the same as one table
//   index.html     the page of the sweep (runtime/sweep/results/index_page.h)
//
// The folders of the points are the truth: sweep.db is made from them, so whatever is killed at whatever
// time, `resume` computes what has no final result yet and ends with what an undisturbed sweep would have.
//
// UserError beside those of the parts: E-SWP-041 the folder holds a sweep already, E-SWP-042 nothing there to
// resume, E-SWP-043 another sweep at work there, E-OUT-001 and E-OUT-003 where the folder takes no files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runtime/sweep/execution/pool.h"
#include "runtime/sweep/spec/spec.h"

namespace tahoma::runtime {

// Runs jobs, each at most once, and tells of each when its attempt has ended.
using Executor =
    std::function<void(const std::filesystem::path& points, const std::vector<Job>& jobs,
                       const std::function<void(const Job&)>& ended, const std::function<bool()>& stop)>;

struct SweepOptions {
  std::filesystem::path out;
  bool resume = false;
  Executor execute;
  std::vector<std::string> command_line;  // for the manifest
};

struct SweepOutcome {
  std::uint64_t points = 0, computed = 0, reused = 0, failed = 0, pending = 0;  // computed: in this call
  double seconds = 0;
  bool stopped = false;  // by the user
};

SweepOutcome run_sweep(const SweepSpec& spec, const SweepOptions& options);

// "64 points: 60 done, 4 failed, ..." and the reasons of those that failed, grouped.
std::string outcome_text(const SweepOutcome& outcome, const std::filesystem::path& out);

}  // namespace tahoma::runtime
