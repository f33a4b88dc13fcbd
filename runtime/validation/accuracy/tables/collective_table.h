// SPDX-License-Identifier: Apache-2.0
// A table of how long collectives take elsewhere: on silicon, or in another simulator. Each row has a
// workload that runs them; the model's time is that of the last collective of its run, and the row's launch.
// The columns are described in workloads/micro/network/README.md.
//
// UserError beside those of csv.h and table_reader.h, at the field's place: E-ACC-006, an id that is there
// twice.
#pragma once

#include "runtime/validation/accuracy/figures.h"

namespace tahoma::runtime {

// Cases are relative to the table's folder.
std::vector<Figure> parse_collectives(const base::NamedText& table);

}  // namespace tahoma::runtime
