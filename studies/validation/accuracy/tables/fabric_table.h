// SPDX-License-Identifier: Apache-2.0
// A table of packet latencies in a network of another simulator, under a traffic pattern; each row names the
// Tahoma machine with that network. workloads/micro/network/README.md describes the columns.
//
// UserError in addition to those of csv.h and table_reader.h, at the field's place: E-ACC-006, a duplicate
// id; E-ACC-015, a load above the rate between router and chip.
#pragma once

#include "studies/validation/accuracy/tables/figures.h"

namespace tahoma::runtime {

// Machine names stay as in the table: the caller resolves the path of the case.
std::vector<Figure> parse_fabric(const base::NamedText& table);

const char* name_of(model::FabricPattern pattern);  // "uniform", "bitcomp", ...

}  // namespace tahoma::runtime
