// SPDX-License-Identifier: Apache-2.0
// A table of the results of other memory simulators under some traffic; each row names the Tahoma machine
// with their stack's parameters. workloads/micro/hbm/README.md describes the columns.
//
// UserError in addition to those of csv.h and table_reader.h, at the field's place: E-ACC-006, a duplicate
// id; E-ACC-015, values that contradict each other.
#pragma once

#include "studies/validation/accuracy/tables/figures.h"

namespace tahoma::runtime {

// Machine names stay as in the table: the caller resolves the path of the case.
std::vector<Figure> parse_traffic(const base::NamedText& table);

const char* name_of(model::TrafficPattern pattern);  // "sequential", "stride", "random"

}  // namespace tahoma::runtime
