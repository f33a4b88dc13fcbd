// SPDX-License-Identifier: Apache-2.0
// Tables of points: points.csv, and what a terminal shows of a sweep.
#pragma once

#include <string>
#include <vector>

#include "runtime/sweep/results/store.h"

namespace tahoma::runtime {

// One row a point: number, id, workload, status, reason, what varies by path, metrics by name.
std::string points_csv(const std::vector<Store::Row>& rows);

// Columns of text, aligned, numbers to the right.
struct TextTable {
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
  std::string text() const;
};

}  // namespace tahoma::runtime
