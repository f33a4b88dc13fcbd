// SPDX-License-Identifier: Apache-2.0
// The points of a sweep of one small GEMM, for tests.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "studies/sweep/spec/sweep_points.h"
#include "tests/support/program/sweep_files.h"

namespace tahoma::tests {

using Points = std::vector<runtime::SweepPoint>;

// `keys`: the keys below `sweep` other than its workload.
inline Points points_of_gemm(const std::string& keys) {
  const SweepFiles files;
  return runtime::points_of(files.of_gemm(keys));
}

// The overrides of every point, joined by spaces and without the prefix that all paths share.
inline std::vector<std::string> rows_of(const Points& points, const std::string& prefix) {
  std::vector<std::string> rows;
  for (const runtime::SweepPoint& point : points) {
    std::string row;
    for (const std::string& text : point.overrides)
      row += (row.empty() ? "" : " ") + text.substr(prefix.size());
    rows.push_back(row);
  }
  return rows;
}

inline void check_points_refused(const std::string& keys, const std::string& beginning,
                                 const std::string& hint) {
  const SweepFiles files;
  const std::string refusal = files.refusal([&] { runtime::points_of(files.of_gemm(keys)); });
  CHECK_THAT(refusal, Catch::StartsWith(beginning));
  CHECK_THAT(refusal, Catch::Contains(hint));
}

}  // namespace tahoma::tests
