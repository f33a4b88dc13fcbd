// SPDX-License-Identifier: Apache-2.0
#include "studies/chakra/trace_command.h"

#include <fmt/format.h>

#include <chrono>

#include "runtime/host/output/manifest.h"
#include "runtime/host/output/output_dir.h"
#include "runtime/host/progress.h"

namespace tahoma::runtime::chakra {

namespace {

// Returns the trace with the durations of the replay; communication from its start, without the wait for
// other ranks.
RankTrace replayed(const RankTrace& trace, const std::vector<NodeSpan>& spans) {
  RankTrace copy = trace;
  for (std::size_t n = 0; n < copy.size(); ++n) copy[n].duration = spans[n].end - spans[n].start;
  return copy;
}

}  // namespace

TraceOutcome replay_traces(const TraceCommand& command) {
  const auto start = std::chrono::steady_clock::now();
  const Groups groups = command.groups.empty() ? Groups{} : read_groups(command.groups);
  const TraceGraph graph = graph_of(read_traces(command.prefix), groups, command.prefix);
  OutputDir out(command.out);
  ProgressLine line;
  const bool runs = command.sources.exchanges == ExchangeTimes::kExecuted || !command.sources.table.empty();
  const NodeTimes times = times_of(graph, command.sources, command.prefix, runs ? out.folder("executed") : "",
                                   [&](std::size_t done, std::size_t of) { line.count(done, of, "runs"); });
  line.clear();
  const Replay replayed_run = replay(graph, times, command.prefix);
  const ReplayResult result{command, graph, times, replayed_run};
  TraceOutcome outcome{replay_text(result), replay_json(result), out.path()};
  out.write("summary.txt", outcome.summary_text);
  out.write("summary.json", outcome.summary_json);
  out.write("nodes.csv", nodes_csv(result));
  out.write("exchanges.csv", exchanges_csv(result));
  out.write("ranks.csv", ranks_csv(result));
  for (std::uint32_t rank = 0; rank < graph.ranks.size(); ++rank)
    out.write(fmt::format("replayed.{}.et", rank),
              trace_bytes(replayed(graph.ranks[rank], replayed_run.spans[rank]), rank));
  out.write("groups.json", groups_json(groups));
  CommandManifest manifest{host_facts(), command.command_line, 0, out.files(), ManifestCommand::kChakra};
  manifest.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  manifest.files.emplace_back("manifest.json");
  out.write("manifest.json", manifest_json(manifest));
  out.commit();
  return outcome;
}

}  // namespace tahoma::runtime::chakra
