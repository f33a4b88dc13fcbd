// SPDX-License-Identifier: Apache-2.0
// A table of reference times of collectives, on silicon or in another simulator. Each row has a workload that
// runs collectives; the model's time is that of the last collective of its run plus the row's launch.
// workloads/micro/network/README.md describes the columns.
//
// UserError in addition to those of csv.h and table_reader.h, at the field's place:
// E-ACC-006, a duplicate id.
#pragma once

#include "studies/validation/accuracy/tables/figures.h"

namespace tahoma::runtime {

// Cases are relative to the table's folder.
std::vector<Figure> parse_collectives(const base::NamedText& table);

}  // namespace tahoma::runtime
