// SPDX-License-Identifier: Apache-2.0
// Every table and every object of summary.json whose columns are declared. `tahoma stats` explains the
// columns, beside the statistics.
#pragma once

#include <string>
#include <vector>

#include "model/base/columns.h"

namespace tahoma::runtime {

struct DeclaredTable {
  std::string csv;   // the file; "": none
  std::string json;  // place in summary.json, '*' for any key or number; "": summary.json itself
  std::vector<base::ColumnText> columns;
};
std::vector<DeclaredTable> declared_tables();

// One entry per place of a column: "hbm.csv/data_percent", "summary.json/dma.busy_percent".
struct ColumnPlace {
  std::string path, unit, doc;
  base::Better better = base::Better::kLess;
};
std::vector<ColumnPlace> declared_columns();

}  // namespace tahoma::runtime
