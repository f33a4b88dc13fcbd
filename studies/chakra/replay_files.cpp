// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "model/base/columns.h"
#include "report/tables/column_csv.h"
#include "report/text/text_layout.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/format.h"
#include "studies/chakra/trace_command.h"

namespace tahoma::runtime::chakra {

using base::Duration;

namespace {

constexpr std::size_t kMostRows = 12;  // of kinds of exchanges in the text

struct MeanShares {
  double computing = 0, exposed = 0, idle = 0, waiting = 0;  // percent of the time

  explicit MeanShares(const Replay& replay) {
    for (const RankShares& s : replay.shares) {
      computing += percent(s.computing, replay);
      exposed += percent(s.exposed, replay);
      idle += percent(s.idle, replay);
      waiting += percent(s.waiting, replay);
    }
  }

 private:
  static double percent(Duration part, const Replay& replay) {
    const double all = replay.time.seconds() * static_cast<double>(replay.shares.size());
    return all > 0 ? 100 * part.seconds() / all : 0;
  }
};

std::string name_of_exchange(const Exchange& exchange) {
  return exchange.kind == NodeKind::kSend ? "send" : std::string(name_of(exchange.operation));
}

// Exchanges of one operation, size and number of ranks.
struct ExchangeKind {
  std::string name;
  std::uint64_t bytes = 0;
  std::size_t ranks = 0, count = 0;
  Duration time{0};  // of all together
};

std::vector<ExchangeKind> kinds_of(const ReplayResult& r) {
  std::map<std::tuple<std::string, std::uint64_t, std::size_t>, ExchangeKind> kinds;
  for (std::size_t e = 0; e < r.graph.exchanges.size(); ++e) {
    const Exchange& exchange = r.graph.exchanges[e];
    const std::string name = name_of_exchange(exchange);
    ExchangeKind& kind = kinds[{name, exchange.bytes, exchange.ranks.size()}];
    kind = {name, exchange.bytes, exchange.ranks.size(), kind.count + 1, kind.time + r.times.exchanges[e]};
  }
  std::vector<ExchangeKind> sorted;
  for (const auto& [key, kind] : kinds) sorted.push_back(kind);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const ExchangeKind& a, const ExchangeKind& b) { return a.time > b.time; });
  return sorted;
}

std::string headline(const ReplayResult& r) {
  const MeanShares mean(r.replay);
  return fmt::format(
      "{} for {} ranks of {}: computing {:.1f} %, exposed communication {:.1f} %, idle {:.1f} %",
      time_text(r.replay.time), r.graph.ranks.size(), r.command.prefix, mean.computing, mean.exposed,
      mean.idle);
}

std::size_t nodes_in(const TraceGraph& graph) {
  std::size_t count = 0;
  for (const RankTrace& trace : graph.ranks) count += trace.size();
  return count;
}

std::string sources_text(const ReplayResult& r) {
  const TimeSources& s = r.command.sources;
  std::string text =
      fmt::format("computation {}{}, exchanges {}", base::name_in(kComputeTimes, s.compute),
                  s.table.empty() ? "" : " or from " + s.table, base::name_in(kExchangeTimes, s.exchanges));
  if (r.times.executed > 0) text += fmt::format(", {} runs", r.times.executed);
  return text;
}

nlohmann::ordered_json shares_json(const MeanShares& mean) {
  return {{"computing_percent", mean.computing},
          {"exposed_communication_percent", mean.exposed},
          {"waiting_percent", mean.waiting},
          {"idle_percent", mean.idle}};
}

}  // namespace

std::string replay_text(const ReplayResult& r) {
  const MeanShares mean(r.replay);
  std::string text = headline(r) + "\n\n";
  text += wrapped_row("traces",
                      fmt::format("{} nodes, {} exchanges", nodes_in(r.graph), r.graph.exchanges.size()));
  text += wrapped_row("machine",
                      fmt::format("{}, a rank is one of its {}",
                                  r.command.sources.machine.empty() ? "default" : r.command.sources.machine,
                                  base::name_in(collective::kRankKinds, r.command.sources.rank)));
  text += wrapped_row("times", sources_text(r));
  text += wrapped_row("waiting",
                      fmt::format("{:.1f} % of the time ranks wait in an exchange for others", mean.waiting));
  if (r.times.unknown > 0)
    text += wrapped_row("unknown",
                        fmt::format("{} nodes have neither a duration nor operations and bytes, and take no "
                                    "time; --table gives them one",
                                    r.times.unknown));
  const std::vector<ExchangeKind> kinds = kinds_of(r);
  if (!kinds.empty())
    text += fmt::format("\nexchanges, alone on the fabric\n  {:<16}{:>14}{:>8}{:>8}{:>14}\n", "operation",
                        "comm_size", "ranks", "count", "time of one");
  for (std::size_t k = 0; k < std::min(kMostRows, kinds.size()); ++k)
    text += fmt::format("  {:<16}{:>14}{:>8}{:>8}{:>14}\n", kinds[k].name,
                        fmt::format("{} B", kinds[k].bytes), kinds[k].ranks, kinds[k].count,
                        time_text({kinds[k].time.fs / static_cast<std::int64_t>(kinds[k].count)}));
  if (kinds.size() > kMostRows)
    text += fmt::format("  and {} other kinds, in exchanges.csv\n", kinds.size() - kMostRows);
  return text;
}

std::string replay_json(const ReplayResult& r) {
  nlohmann::ordered_json json{{"schema_version", 1},
                              {"answer", headline(r)},
                              {"time_ns", base::clean_nanoseconds(r.replay.time)},
                              {"ranks", r.graph.ranks.size()},
                              {"nodes", nodes_in(r.graph)},
                              {"exchanges", r.graph.exchanges.size()},
                              {"nodes_without_time", r.times.unknown},
                              {"runs", r.times.executed}};
  json["mean"] = shares_json(MeanShares(r.replay));
  return dump_json(json, 2) + "\n";
}

std::string nodes_csv(const ReplayResult& r) {
  std::string text = "rank,id,name,kind,arrived_ns,start_ns,end_ns\n";
  for (std::size_t rank = 0; rank < r.graph.ranks.size(); ++rank)
    for (std::size_t n = 0; n < r.graph.ranks[rank].size(); ++n) {
      const TraceNode& node = r.graph.ranks[rank][n];
      const NodeSpan& s = r.replay.spans[rank][n];
      const auto since = [](base::Time when) {
        return shortest(base::clean_nanoseconds(when - base::Time{0}));
      };
      text +=
          fmt::format("{},{},{},{},{},{},{}\n", rank, node.id, csv_field(node.name),
                      base::name_in(kNodeKinds, node.kind), since(s.arrived), since(s.start), since(s.end));
    }
  return text;
}

std::string exchanges_csv(const ReplayResult& r) {
  std::string text = "operation,comm_size,ranks,start_ns,time_ns\n";
  for (std::size_t e = 0; e < r.graph.exchanges.size(); ++e) {
    const Exchange& exchange = r.graph.exchanges[e];
    const NodeAt& n = exchange.nodes.front();
    text +=
        fmt::format("{},{},{},{},{}\n", name_of_exchange(exchange), exchange.bytes,
                    csv_field(fmt::format("{}", fmt::join(exchange.ranks, " "))),
                    shortest(base::clean_nanoseconds(r.replay.spans[n.rank][n.node].start - base::Time{0})),
                    shortest(base::clean_nanoseconds(r.times.exchanges[e])));
  }
  return text;
}

std::string ranks_csv(const ReplayResult& r) {
  std::string text = "rank,computing_ns,exposed_communication_ns,waiting_ns,idle_ns\n";
  for (std::size_t rank = 0; rank < r.replay.shares.size(); ++rank) {
    const RankShares& s = r.replay.shares[rank];
    text +=
        fmt::format("{},{},{},{},{}\n", rank, shortest(base::clean_nanoseconds(s.computing)),
                    shortest(base::clean_nanoseconds(s.exposed)),
                    shortest(base::clean_nanoseconds(s.waiting)), shortest(base::clean_nanoseconds(s.idle)));
  }
  return text;
}

}  // namespace tahoma::runtime::chakra
