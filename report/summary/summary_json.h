// SPDX-License-Identifier: Apache-2.0
// summary.json: the run's numbers in machine-readable form. Top-level keys keep their name and meaning
// within one `schema_version`; new keys may be added. Names are those of the vendor's profiler where it has
// them. The order of the keys is fixed, and doubles are written so that they parse to the same value: equal
// runs give equal bytes.
#pragma once

#include <string>

#include "report/summary/summary.h"

namespace tahoma::runtime {

inline constexpr int kSummarySchemaVersion = 2;

std::string summary_json(const Summary& summary);

}  // namespace tahoma::runtime
