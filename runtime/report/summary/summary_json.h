// SPDX-License-Identifier: Apache-2.0
// summary.json: the run's numbers for machines. Top-level keys keep their name and meaning from version to
// version of `schema_version`; new keys may appear. Names are those of the vendor's profiler where it has
// one. The order of the keys is fixed and doubles are written so that they read back unchanged: equal runs
// give equal bytes.
#pragma once

#include <string>

#include "runtime/report/summary/summary.h"

namespace tahoma::runtime {

inline constexpr int kSummarySchemaVersion = 1;

std::string summary_json(const Summary& summary);

}  // namespace tahoma::runtime
