// SPDX-License-Identifier: Apache-2.0
#include "studies/chakra/node_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "report/summary/peak_flops.h"
#include "report/tables/name_pattern.h"
#include "runtime/collective/cost/group_estimates.h"
#include "runtime/collective/lowering/planned_collective.h"
#include "runtime/config/config.h"
#include "studies/batch/child_run.h"
#include "studies/serving/input/csv_stream.h"

namespace tahoma::runtime::chakra {

using base::Duration, base::UserError;
using collective::Operation;

namespace {

constexpr std::uint64_t kLeastBytes = 64;  // of each rank: an access of HBM

Duration duration(double seconds) { return {std::llround(seconds * 1e15)}; }

// Equal exchanges take equal times.
struct ExchangeKey {
  Operation operation;
  std::uint64_t bytes;  // as nccom-test counts them
  std::vector<std::uint32_t> ranks;
  auto operator<=>(const ExchangeKey&) const = default;

  std::string over() const { return fmt::format("{}", fmt::join(ranks, ",")); }
};

// An exchange of nothing, or of a rank with itself, only waits for its ranks.
bool takes_time(const Exchange& exchange) {
  const bool barrier = exchange.kind == NodeKind::kCollective && exchange.operation == Operation::kBarrier;
  return exchange.ranks.size() > 1 && (exchange.bytes > 0 || barrier);
}

// Chakra counts what a rank contributes to an all_gather.
ExchangeKey key_of(const Exchange& exchange) {
  const Operation operation = exchange.kind == NodeKind::kSend ? Operation::kSendRecv : exchange.operation;
  const std::uint64_t ranks = exchange.ranks.size(), unit = kLeastBytes * ranks;
  std::uint64_t bytes = exchange.bytes;
  if (operation == Operation::kAllGather) bytes *= ranks;
  ExchangeKey key{operation, std::max<std::uint64_t>(1, (bytes + unit - 1) / unit) * unit, exchange.ranks};
  std::sort(key.ranks.begin(), key.ranks.end());
  return key;
}

ConfigRequest request_of(const ExchangeKey& key, const TimeSources& sources) {
  ConfigRequest request;
  request.workload = std::string(name_of(key.operation));
  request.text = fmt::format(
      "kind: collective\nworkload:\n  operation: {}\n  bytes: {} B\n  ranks: {}\n  over: \"{}\"\n",
      request.workload, key.bytes, base::name_in(collective::kRankKinds, sources.rank), key.over());
  request.machine = sources.machine;
  request.overrides = sources.overrides;
  request.mode = "timing";
  return request;
}

ChildRun child_of(ConfigRequest request, const std::string& out) {
  ChildRun run{request.workload, {}};
  run.options.config = std::move(request);
  run.options.out = out;
  run.options.report = false;
  return run;
}

struct TableRow {
  std::string pattern;
  std::optional<Duration> time;
  std::string the_case;  // executed, if there is no time
};

Duration time_in(const std::string& text, const std::string& place) {
  try {
    return base::parse_duration(text);
  } catch (const UserError& error) {
    throw UserError("E-ETR-007", place, error.message);
  }
}

std::vector<TableRow> read_table(const std::string& file) {
  std::vector<TableRow> rows;
  if (file.empty()) return rows;
  serving::CsvStream csv(file, {{{"name"}}, {{"time"}, false}, {{"case"}, false}},
                         serving::OtherColumns::kRefused);
  while (csv.next()) {
    TableRow row{std::string(csv.field(0)), {}, csv.has(2) ? std::string(csv.field(2)) : ""};
    const std::string text = csv.has(1) ? std::string(csv.field(1)) : "";
    if (!text.empty()) row.time = time_in(text, csv.place(1));
    if (row.time.has_value() == !row.the_case.empty())
      throw UserError("E-ETR-007", csv.place(),
                      "a row has a time, such as 12.5 us, or a case, the file of a run");
    rows.push_back(std::move(row));
  }
  return rows;
}

// Runs that give times: exchanges, then cases of the table.
class TimedRuns {
 public:
  TimedRuns(const TimeSources& sources, std::string folder) : sources_(sources), folder_(std::move(folder)) {}

  std::size_t add(ConfigRequest request) {
    runs_.push_back(child_of(std::move(request), fmt::format("{}/{}", folder_, runs_.size())));
    return runs_.size() - 1;
  }
  void run(const std::function<void(std::size_t, std::size_t)>& progress) {
    if (runs_.empty()) return;
    summaries_ = summaries_of(runs_, sources_.jobs, [&](std::size_t done) { progress(done, runs_.size()); });
  }
  const nlohmann::ordered_json& summary(std::size_t run) const { return summaries_[run]; }
  std::size_t count() const { return runs_.size(); }

 private:
  const TimeSources& sources_;
  std::string folder_;
  std::vector<ChildRun> runs_;
  std::vector<nlohmann::ordered_json> summaries_;
};

struct RankPeaks {
  double flops, bytes;  // per second; 0: ideal

  RankPeaks(const model::MachineParams& m, collective::RankKind kind) {
    const auto of_chip = static_cast<double>(m.chip.cores);
    const double cores = kind == collective::RankKind::kChips   ? of_chip
                         : kind == collective::RankKind::kCores ? 1
                                                                : 2;
    flops = cores * core_peak_flops(m.chip.core.tensor, isa::DType::kBf16, isa::MatmulMode::kDense);
    const base::Bandwidth stack = m.chip.hbm.bandwidth;
    bytes = stack.ideal ? 0
                        : static_cast<double>(stack.bytes_per_second) *
                              static_cast<double>(m.chip.hbm.stacks) * cores / of_chip;
  }
  double roofline(const TraceNode& node) const {
    const double memory = bytes > 0 ? static_cast<double>(node.bytes) / bytes : 0;
    return std::max(static_cast<double>(node.operations) / flops, memory);
  }
};

// Refuses what the machine cannot hold, or what takes too long, at its node.
class NodeLimits {
 public:
  NodeLimits(const TraceGraph& graph, const model::MachineParams& m, const std::string& prefix)
      : graph_(graph), prefix_(prefix), hbm_(m.chip.hbm.stacks * m.chip.hbm.capacity.count) {}

  // Every rank holds the whole vector, an all_gather's from all ranks.
  void require_memory(const Exchange& exchange) const {
    const bool gathers =
        exchange.kind == NodeKind::kCollective && exchange.operation == Operation::kAllGather;
    const std::uint64_t parts = gathers ? exchange.ranks.size() : 1;
    if (exchange.bytes <= hbm_ / parts) return;
    const std::string each = gathers ? fmt::format(" from each of {} ranks", parts) : "";
    refuse_node("E-ETR-003", graph_, exchange.nodes.front(), prefix_,
                fmt::format("comm_size is {} B{}; expected at most {} B, what the HBM of a chip holds",
                            exchange.bytes, each, hbm_ / parts));
  }
  // `what` names the time of the node.
  Duration checked(double seconds, const NodeAt& n, const char* what) const {
    if (!(seconds <= kMostSeconds))
      refuse_node("E-ETR-003", graph_, n, prefix_,
                  fmt::format("{} is {:.4g} s; expected at most {} s", what, seconds, kMostSeconds));
    return duration(seconds);
  }

 private:
  static constexpr double kMostSeconds = 3600;  // as of recorded durations
  const TraceGraph& graph_;
  const std::string& prefix_;
  std::uint64_t hbm_;
};

// The time is unset if it is not known.
std::optional<Duration> time_of(const NodeAt& n, const TraceGraph& graph, const RankPeaks& peaks,
                                ComputeTimes compute, const NodeLimits& limits) {
  const TraceNode& node = graph.ranks[n.rank][n.node];
  const bool bounded = !node.on_host && (node.operations > 0 || node.bytes > 0);
  if (bounded && (compute == ComputeTimes::kRoofline || node.duration.fs == 0))
    return limits.checked(peaks.roofline(node), n, "the roofline of num_ops and tensor_size");
  if (node.duration.fs > 0) return node.duration;
  return std::nullopt;
}

void require_ranks(const model::MachineParams& machine, const TimeSources& sources, std::size_t traces) {
  const std::uint64_t cores = machine.chips() * machine.chip.cores;
  const std::uint64_t ranks = sources.rank == collective::RankKind::kChips   ? machine.chips()
                              : sources.rank == collective::RankKind::kCores ? cores
                                                                             : cores / 2;
  if (traces > ranks)
    throw UserError("E-ETR-006", "--machine",
                    fmt::format("{} traces, but the machine has {} {}", traces, ranks,
                                base::name_in(collective::kRankKinds, sources.rank)));
}

double estimate_of(const model::MachineParams& machine, const ExchangeKey& key, collective::RankKind rank) {
  const collective::Group group = collective::groups_of(machine, rank, key.over()).front();
  collective::Problem problem{key.operation, group.ranks(), 0, {}};
  if (key.operation == Operation::kSendRecv) problem.to = {1, collective::kNowhere};
  return collective::Estimates(machine)
      .choose(collective::Algorithm::kBest, problem, group, key.bytes, collective::queues_of(group))
      .cost.seconds;
}

Duration simulated(const nlohmann::ordered_json& summary) {
  return duration(summary.at("simulated_time_ns").get<double>() * 1e-9);
}
Duration of_collective(const nlohmann::ordered_json& summary) {
  return duration(summary.at("collectives").back().at("time_ns").get<double>() * 1e-9);
}

}  // namespace

NodeTimes times_of(const TraceGraph& graph, const TimeSources& sources, const std::string& prefix,
                   const std::string& folder, const std::function<void(std::size_t, std::size_t)>& progress) {
  const model::MachineParams machine = resolve_machine_params(sources.machine, sources.overrides);
  require_ranks(machine, sources, graph.ranks.size());
  const std::vector<TableRow> table = read_table(sources.table);
  const NodeLimits limits(graph, machine, prefix);
  TimedRuns runs(sources, folder);
  std::map<ExchangeKey, std::size_t> run_of_exchange;
  std::map<ExchangeKey, Duration> estimates;
  for (const Exchange& exchange : graph.exchanges) limits.require_memory(exchange);
  for (const Exchange& exchange : graph.exchanges) {
    if (!takes_time(exchange)) continue;
    const ExchangeKey key = key_of(exchange);
    if (sources.exchanges == ExchangeTimes::kEstimated) {
      if (!estimates.contains(key))
        estimates[key] = limits.checked(estimate_of(machine, key, sources.rank), exchange.nodes.front(),
                                        "the estimate of the exchange");
    } else if (!run_of_exchange.contains(key)) {
      run_of_exchange[key] = runs.add(request_of(key, sources));
    }
  }
  std::vector<std::size_t> run_of_row(table.size());
  for (std::size_t r = 0; r < table.size(); ++r)
    if (!table[r].time)
      run_of_row[r] = runs.add({table[r].the_case, sources.machine, sources.overrides, "timing", ""});
  runs.run(progress);

  NodeTimes times;
  times.executed = runs.count();
  for (const Exchange& exchange : graph.exchanges) {
    Duration& time = times.exchanges.emplace_back(Duration{0});
    if (!takes_time(exchange)) continue;
    const ExchangeKey key = key_of(exchange);
    const auto run = run_of_exchange.find(key);
    time = run == run_of_exchange.end() ? estimates[key] : of_collective(runs.summary(run->second));
  }
  const RankPeaks peaks(machine, sources.rank);
  for (std::uint32_t rank = 0; rank < graph.ranks.size(); ++rank) {
    const RankTrace& trace = graph.ranks[rank];
    std::vector<Duration>& of_rank = times.nodes.emplace_back(trace.size());
    for (std::uint32_t n = 0; n < trace.size(); ++n) {
      const TraceNode& node = trace[n];
      if (!node.computes()) continue;
      const auto row = std::find_if(table.begin(), table.end(),
                                    [&](const TableRow& r) { return matches_pattern(node.name, r.pattern); });
      if (row != table.end()) {
        const auto r = static_cast<std::size_t>(row - table.begin());
        of_rank[n] = row->time ? *row->time : simulated(runs.summary(run_of_row[r]));
      } else if (const auto time = time_of({rank, n}, graph, peaks, sources.compute, limits)) {
        of_rank[n] = *time;
      } else {
        ++times.unknown;
      }
    }
  }
  return times;
}

}  // namespace tahoma::runtime::chakra
