// SPDX-License-Identifier: Apache-2.0
// The long tables of a run: every statistic, and every direction of every link. CSV as in RFC 4180, LF line
// ends, one header line; equal runs give equal bytes.
#pragma once

#include <string>
#include <vector>

#include "model/base/measurements.h"
#include "model/base/stats.h"

namespace tahoma::runtime {

// [{"path", "value", "unit", "description"}, ...] and the same as CSV, in the order of collection.
std::string stats_json(const std::vector<base::Stat>& stats);
std::string stats_csv(const std::vector<base::Stat>& stats);

// name, from_chip, to_chip, axis, payload_bytes, wire_bytes, packets, busy_percent, queue_full_ns,
// queue_full_percent, queue_high_water (packets), saturated_windows (see saturation.h).
std::string links_csv(const base::RunMeasurement& run);

// Quoted where a comma, a quote or a line end asks for it.
std::string csv_field(const std::string& text);

}  // namespace tahoma::runtime
