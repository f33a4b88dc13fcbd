// SPDX-License-Identifier: Apache-2.0
// A table of what other simulators of memory reached with some traffic, each row with the machine of ours
// that has their stack's parameters. The columns are described in workloads/micro/hbm/README.md.
//
// UserError beside those of csv.h and table_reader.h, at the field's place: E-ACC-006, an id that is there
// twice; E-ACC-015, values that contradict each other.
#pragma once

#include "runtime/validation/accuracy/figures.h"

namespace tahoma::runtime {

// Machines stay as the table names them: the case's path is for the caller to find.
std::vector<Figure> parse_traffic(const base::NamedText& table);

const char* name_of(model::TrafficPattern pattern);  // "sequential", "stride", "random"

}  // namespace tahoma::runtime
