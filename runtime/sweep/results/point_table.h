// SPDX-License-Identifier: Apache-2.0
// Tables of points: points.csv, and the tables that a sweep prints.
#pragma once

#include <string>
#include <vector>

#include "runtime/sweep/results/store.h"

namespace tahoma::runtime {

// One row per point: number, id, workload, status, reason, varying parameters by path, metrics by name.
std::string points_csv(const std::vector<Store::Row>& rows);

// Aligned columns of text, numbers right-aligned.
struct TextTable {
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
  std::string text() const;
};

}  // namespace tahoma::runtime
