// SPDX-License-Identifier: Apache-2.0
// The long tables of a run: every statistic and every HBM channel; those of links are in link_tables.h. CSV
// as in RFC 4180, LF line ends, one header line; equal runs give equal bytes.
#pragma once

#include <string>
#include <vector>

#include "model/base/measurements.h"
#include "model/base/stats.h"

namespace tahoma::runtime {

// [{"path", "value", "unit", "description"}, ...] and the same as CSV, in the order of collection.
std::string stats_json(const std::vector<base::Stat>& stats);
std::string stats_csv(const std::vector<base::Stat>& stats);

// One line per channel with DRAM: name, stack, failed (0 or 1), read_bytes, write_bytes,
// achieved_percent (of the channel's peak; 0 if that is ideal), row_hits, row_misses, row_conflicts
// (accesses), activates, precharges, refreshes, shares of the time of its data pins, which add up to 100
// (data_percent, refresh_percent, turnaround_percent, bank_percent, idle_percent), mean_reads_queued,
// most_reads_queued, mean_writes_queued, most_writes_queued (accesses), corrected_errors.
std::string hbm_csv(const base::RunMeasurement& run);

// Quoted if the text contains a comma, a quote or a line end.
std::string csv_field(const std::string& text);

}  // namespace tahoma::runtime
