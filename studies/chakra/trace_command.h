// SPDX-License-Identifier: Apache-2.0
// `tahoma chakra PREFIX`: replays the execution traces of all ranks on a machine, and writes an output
// folder. Nothing is written if anything is refused.
//
// Files: summary.txt, summary.json, nodes.csv (every node: rank, arrival, start, end), exchanges.csv (every
// collective and message), ranks.csv (the shares of each rank), replayed.N.et (the traces with the replayed
// durations) and groups.json (their groups), manifest.json; the folder `executed` with the runs that gave
// times.
//
// UserError: those of execution_trace.h, trace_graph.h, node_times.h, replay.h and output_dir.h.
#pragma once

#include <string>
#include <vector>

#include "studies/chakra/replay.h"

namespace tahoma::runtime::chakra {

struct TraceCommand {
  std::string prefix;
  std::string groups;  // a file; "": none
  TimeSources sources;
  std::string out;
  std::vector<std::string> command_line;  // for the manifest
};

struct TraceOutcome {
  std::string summary_text, summary_json, folder;
};

TraceOutcome replay_traces(const TraceCommand& command);

// The files of a replay are written from these.
struct ReplayResult {
  const TraceCommand& command;
  const TraceGraph& graph;
  const NodeTimes& times;
  const Replay& replay;
};
std::string replay_text(const ReplayResult& result);
std::string replay_json(const ReplayResult& result);
std::string nodes_csv(const ReplayResult& result);
std::string exchanges_csv(const ReplayResult& result);
std::string ranks_csv(const ReplayResult& result);

}  // namespace tahoma::runtime::chakra
