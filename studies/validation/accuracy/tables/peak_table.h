// SPDX-License-Identifier: Apache-2.0
// A table of published peaks. Each row has a program that works at the peak, the machine, an interval of its
// run and the work in it; the model's value is the rate. workloads/micro/generations/README.md describes the
// columns.
//
// UserError in addition to those of csv.h, table_reader.h and probe.h, at the field's place: E-ACC-006, a
// duplicate id; E-ACC-009, a probe that is no time.
#pragma once

#include "studies/validation/accuracy/tables/figures.h"

namespace tahoma::runtime {

// Cases are relative to the table's folder.
std::vector<Figure> parse_peaks(const base::NamedText& table);

}  // namespace tahoma::runtime
