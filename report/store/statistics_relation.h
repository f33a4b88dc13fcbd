// SPDX-License-Identifier: Apache-2.0
// The statistics of a run as tables of SQLite. A path is a place and a name; consecutive statistics of one
// place are an instance. Instances whose statistics have the same names, units and descriptions share a
// class, which gives each name its most frequent value. Instances with the same values share a profile, which
// has the values that differ from those: of equal chips each value is there once. Consecutive instances of
// one chip are a part of the list, and equal parts have the same layout.
//
//   places(id, path)                     "server0.chip00", "core5.tensor": the two parts of the place of an
//                                        instance
//   members(class, position, name, unit, description, usual)
//   profiles(id, class, v0, v1, ...)     the value at each position; null: the usual one
//   layouts(layout, item, inner, profile)   instances, by the inner part of their places
//   parts(id, outer, layout)             in the order of the list, by the outer part of the places
//   statistics(path, value, unit, description)   the view that joins them, in the order of the list
#pragma once

#include <vector>

#include "model/base/stats.h"
#include "runtime/host/tables/database.h"

namespace tahoma::runtime {

void write_statistics(Database& database, const std::vector<base::Stat>& stats);
}  // namespace tahoma::runtime
