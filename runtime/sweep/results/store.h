// SPDX-License-Identifier: Apache-2.0
// sweep.db: what a sweep has found, in one SQLite file that one process writes. Every table is ordered by its
// key, so that a dump says what is in it and not in which order that came. `attempts` tells what happened on
// hosts; it is the only table in which two sweeps of the same file may differ.
//
//   meta        key, value                       title, versions
//   points      number, id, workload, status, reason      status: done, failed or pending
//   parameters  number, path, text, value        of what varies; value in base units, NULL of texts
//   metrics     number, name, value              every number of summary.json and the sweep's own
//   provenance  id, config_sha256, binary_sha256, seed, command
//   attempts    id, attempt, executor, host, seconds, peak_bytes, outcome
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/sweep/execution/attempt.h"
#include "runtime/sweep/execution/prepared.h"
#include "runtime/sweep/results/database.h"

namespace tahoma::runtime {

using Metrics = std::map<std::string, double>;

class Store {
 public:
  // Makes the file, or empties the one that is there: results are taken from the points' folders.
  Store(const std::filesystem::path& file, const std::map<std::string, std::string>& meta);

  void add_points(const std::vector<PreparedPoint>& points, const std::string& binary_sha256);
  // Of all points with this id.
  void add_result(const PreparedPoint& point, const PointResult& result, const Metrics& metrics);

  // A point as a reader sees it.
  struct Row {
    std::uint64_t number = 0;
    std::string id, workload, status, reason;
    std::vector<SweepPoint::Parameter> parameters;  // by path
    Metrics metrics;
  };
  // Of a finished or unfinished sweep, by number.
  static std::vector<Row> read(const std::filesystem::path& file);

 private:
  Database database_;
};

}  // namespace tahoma::runtime
