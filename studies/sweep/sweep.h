// SPDX-License-Identifier: Apache-2.0
// Runs a sweep from its file to its results, in the folder DIR:
//
//   sweep.yaml     the sweep, self-contained
//   points/ID/     config.yaml, out/ (as of `tahoma run --slim`), log.txt and result.json of each point
//   sweep.db       all results (studies/sweep/results/store.h)
//   points.csv     one row per point, with the metrics that column_patterns() chooses
//   index.html     the page of the sweep (studies/sweep/results/index_page.h)
//
// The folders of the points are authoritative: sweep.db is made from them. If the sweep is
// interrupted at any time, `resume` computes the points without a final result and produces the
// results of an uninterrupted sweep.
//
// UserError in addition to those of the parts: E-SWP-041 the folder already contains a sweep, E-SWP-042
// there is nothing to resume, E-SWP-043 another sweep is running there, E-SWP-044 the sweep in the folder has
// other points, E-OUT-001 and E-OUT-003 if the folder cannot be written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "studies/sweep/execution/pool.h"
#include "studies/sweep/spec/spec.h"

namespace tahoma::runtime {

// Runs jobs, each at most once, and calls `ended` when the attempt of a job has ended.
using Executor =
    std::function<void(const std::filesystem::path& points, const std::vector<Job>& jobs,
                       const std::function<void(const Job&)>& ended, const std::function<bool()>& stop)>;

struct SweepOptions {
  std::filesystem::path out;
  bool resume = false;
  Executor execute;
  std::vector<std::string> command_line;  // for the manifest
  std::string pareto, columns;            // as --pareto and --columns
};

struct SweepOutcome {
  std::uint64_t points = 0, computed = 0, reused = 0, failed = 0, pending = 0;  // computed: in this call
  double seconds = 0;
  bool stopped = false;  // by the user
  std::vector<std::string> warnings;
};

SweepOutcome run_sweep(const SweepSpec& spec, const SweepOptions& options);

// What run_sweep() would run, without a folder or a run: the number of points, and those that are refused, by
// reason.
std::string plan_text(const SweepSpec& spec);

// "64 points: 60 done, 4 failed, ..." and the reasons of the failures, grouped.
std::string outcome_text(const SweepOutcome& outcome, const std::filesystem::path& out);

}  // namespace tahoma::runtime
