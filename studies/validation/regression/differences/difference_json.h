// SPDX-License-Identifier: Apache-2.0
// Differences as JSON: [{"subsystem", "differences": [{"name", "before", "after", "change"}, ...]}, ...];
// numbers as numbers, null for a missing value.
#pragma once

#include <nlohmann/json.hpp>

#include "studies/validation/regression/differences/headline.h"
#include "studies/validation/regression/differences/leading_changes.h"

namespace tahoma::runtime {

nlohmann::ordered_json groups_json(const std::vector<DifferenceGroup>& groups);
// {"changes", "follow_time", "leads": [{"name", "before", ..., "explained"}, ...]}
nlohmann::ordered_json leads_json(const LeadingChanges& changes);
// {"time_ns", "mfu_percent", "busiest", "busiest_percent"}
nlohmann::ordered_json headline_json(const Headline& headline);

}  // namespace tahoma::runtime
