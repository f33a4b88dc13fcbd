// SPDX-License-Identifier: Apache-2.0
// sweep.db: the results of a sweep, in one SQLite file that one process writes. Every table is ordered by its
// key, so a dump does not depend on the order of insertion. `attempts` records what happened on hosts; it is
// the only table that may differ between two sweeps of the same file.
//
//   meta        key, value                       title, versions; metrics and pareto: those of the sweep
//   points      number, id, workload, status, reason      status: done, failed or pending
//   parameters  number, path, text, value        varying parameters; value in base units, NULL for texts
//   metrics     number, name, value              every number of summary.json and the sweep's own
//   texts       number, name, text               the texts of summary.json that metrics.h names
//   statistics  name, unit, better               of each metric that is declared; better: less or more
//   provenance  id, config_sha256, binary_sha256, seed, command
//   attempts    id, attempt, executor, host, seconds, peak_bytes, outcome
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/host/tables/database.h"
#include "studies/sweep/execution/attempt.h"
#include "studies/sweep/execution/prepared.h"

namespace tahoma::runtime {

using Metrics = std::map<std::string, double>;
using Texts = std::map<std::string, std::string>;

// A finished point has measured these.
struct PointMeasures {
  Metrics metrics;
  Texts texts;
};

class Store {
 public:
  // Creates the file, or empties an existing one: results are read from the folders of the points.
  Store(const std::filesystem::path& file, const std::map<std::string, std::string>& meta);

  void add_points(const std::vector<PreparedSweepPoint>& points, const std::string& binary_sha256);
  // Adds the result to all points with this id.
  void add_result(const PreparedSweepPoint& point, const SweepPointResult& result,
                  const PointMeasures& measures);

  // The bytes of the file, for a store whose file is kInMemory.
  static constexpr const char* kInMemory = ":memory:";
  std::string bytes() const { return database_.bytes(); }

  // A point with its parameters and metrics.
  struct Row {
    std::uint64_t number = 0;
    std::string id, workload, status, reason;
    std::vector<SweepPoint::Parameter> parameters;  // by path
    Metrics metrics;
    Texts texts{};
  };
  // A point was computed from these.
  struct Provenance {
    std::string config_sha256, binary_sha256;
    std::uint64_t seed = 0;
    std::string command;
  };
  // Adds a point whose result is known from elsewhere than the folder of an attempt.
  void add_row(const Row& row, const Provenance& provenance);
  static std::map<std::string, Provenance> provenance(const std::filesystem::path& file);  // by id

  // Reads a finished or unfinished sweep, by point number.
  static std::vector<Row> read(const std::filesystem::path& file);
  static std::map<std::string, std::string> meta(const std::filesystem::path& file);
  static std::vector<std::string> own_metrics(const std::filesystem::path& file);  // of the sweep itself

 private:
  void declare(const Metrics& metrics);
  void add_parameters(std::uint64_t number, const std::vector<SweepPoint::Parameter>& parameters);
  void add_measures(std::uint64_t number, const PointMeasures& measures);
  void add_provenance(const std::string& id, const Provenance& provenance);

  std::set<std::string> declared_;
  Database database_;
};

}  // namespace tahoma::runtime
