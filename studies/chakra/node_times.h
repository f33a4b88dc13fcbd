// SPDX-License-Identifier: Apache-2.0
// The times of the nodes that compute or access memory, and of the exchanges.
//
// The time of a node is the first of: the row of the table whose pattern matches its name, with a time or
// with a case that is executed; the recorded duration, unless `roofline` is asked for; the roofline of a
// rank: the larger of operations over the peak in bf16 and bytes over the bandwidth of its HBM. A node on the
// host, or without operations and bytes, has its recorded duration in any case; if there is none it takes no
// time and is counted.
//
// The time of an exchange is that of the collective alone on the machine's fabric: simulated (`executed`), or
// by the estimate that chooses algorithms (`estimated`, runtime/collective/cost/cost.h). Sizes are rounded up
// to 64 B for each rank; one of 0 B takes no time. Exchanges at the same time do not slow each other down.
//
// UserError: E-ETR-003 a message is larger than the HBM of a chip, or a roofline or estimate is longer than
// an hour, as no recorded duration may be (execution_trace.h); E-ETR-006 a trace has more ranks than the
// machine; E-ETR-007 a row of the table has no legal time; those of resolve_machine_params() and of runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/execution_trace/trace_graph.h"
#include "runtime/collective/schedule/group.h"

namespace tahoma::runtime::chakra {

enum class ComputeTimes : std::uint8_t { kRecorded, kRoofline };
inline constexpr base::Named<ComputeTimes> kComputeTimes[] = {{ComputeTimes::kRecorded, "recorded"},
                                                              {ComputeTimes::kRoofline, "roofline"}};
enum class ExchangeTimes : std::uint8_t { kExecuted, kEstimated };
inline constexpr base::Named<ExchangeTimes> kExchangeTimes[] = {{ExchangeTimes::kExecuted, "executed"},
                                                                {ExchangeTimes::kEstimated, "estimated"}};

struct TimeSources {
  std::string machine;                 // a preset's name or a path; "": the default
  std::vector<std::string> overrides;  // below machine.
  collective::RankKind rank = collective::RankKind::kChips;
  ComputeTimes compute = ComputeTimes::kRecorded;
  ExchangeTimes exchanges = ExchangeTimes::kExecuted;
  std::string table;  // CSV with the columns name and time, or name and case; "": none
  std::size_t jobs = 1;
};

struct NodeTimes {
  std::vector<std::vector<base::Duration>> nodes;  // by rank and node; 0 for those of exchanges
  std::vector<base::Duration> exchanges;
  std::size_t unknown = 0;   // nodes without a time
  std::size_t executed = 0;  // runs
};

// `prefix` is that of the traces, for errors. `folder` is for the runs. `progress` receives the runs, done
// and all.
NodeTimes times_of(const TraceGraph& graph, const TimeSources& sources, const std::string& prefix,
                   const std::string& folder, const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace tahoma::runtime::chakra
