// SPDX-License-Identifier: Apache-2.0
// The `hbm` object of summary.json. Its keys besides bytes and bandwidth:
//   busiest_stacks    [{name, busy_percent, achieved_percent, read_bytes, write_bytes, cores, most_used:
//                     [{core, read_bytes, write_bytes}]}], shared_stacks: those that several cores used
//   rows              accesses; hit_percent, miss_percent and conflict_percent of them; null for flat stacks,
//                     as the next two
//   pins              data_percent, refresh_percent, turnaround_percent, bank_percent, idle_percent: of the
//                     time, over all channels; all but data and idle are time lost
//   queues            reads and writes: mean and most accesses in a channel's queue
//   latency           reads and writes: count, mean_ns, and p50_ns, p90_ns, p99_ns, longest_ns of the stack
//                     where each is largest; null if the model does not measure it
//   channels          working and failed; null for flat stacks
//   corrected_errors  how many
//   events            count, and the first few: [{time_ns, stack, what}]
//   faults            as configured: [{stack, rate, failed_channels, correctable_errors}]
#pragma once

#include <nlohmann/json.hpp>

#include "report/memory/memory_summary.h"

namespace tahoma::runtime {

nlohmann::ordered_json hbm_json(const HbmSummary& hbm, base::Duration elapsed);

}  // namespace tahoma::runtime
