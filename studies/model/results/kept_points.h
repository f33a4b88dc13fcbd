// SPDX-License-Identifier: Apache-2.0
// The points of studies in sweep.db, with the tables of a sweep (studies/sweep/results/store.h). A point is a
// layout with a demand: its parameters and metrics are the columns of points.csv (model_columns.h). Points
// that the file has from earlier studies stay, unless this study has a point with the same parameters.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "studies/model/kept/kept_runs.h"
#include "studies/model/search/layout_search.h"
#include "studies/sweep/results/store.h"

namespace tahoma::runtime {

class KeptPoints {
 public:
  KeptPoints(const std::filesystem::path& folder, const ModelConfig& config, const ModelExecution& execution);

  // Adds or replaces these points and writes the file. A point that the file has as done, computed by the
  // same program from the same values, stays so.
  void put(const std::vector<SearchedPoint>& points);

 private:
  struct Point {
    Store::Row row;
    Store::Provenance provenance;
  };
  Point point_of(const SearchedPoint& searched) const;
  void write() const;

  std::filesystem::path file_;
  const ModelConfig& config_;
  const ModelExecution& execution_;
  std::string binary_sha256_;
  std::vector<Point> points_;                // by number
  std::map<std::string, std::size_t> at_{};  // by workload and parameters
};

}  // namespace tahoma::runtime
