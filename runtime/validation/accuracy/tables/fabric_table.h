// SPDX-License-Identifier: Apache-2.0
// A table of how long packets take through a network elsewhere, under traffic of a pattern; each row has the
// machine of ours with that network. The columns are described in workloads/micro/network/README.md.
//
// UserError beside those of csv.h and table_reader.h, at the field's place: E-ACC-006, an id that is there
// twice; E-ACC-015, a load above what the network can be offered.
#pragma once

#include "runtime/validation/accuracy/figures.h"

namespace tahoma::runtime {

// Machines stay as the table names them: the case's path is for the caller to find.
std::vector<Figure> parse_fabric(const base::NamedText& table);

const char* name_of(model::FabricPattern pattern);  // "uniform", "bitcomp", ...

}  // namespace tahoma::runtime
