// SPDX-License-Identifier: Apache-2.0
#include "report/execution_trace/trace_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime::chakra {

using base::UserError;

Groups read_groups(const std::string& file) {
  nlohmann::json json;
  const auto fault = fault_of_json(read_file(file), json);
  const auto refuse = [&](const std::string& what) -> UserError {
    return {"E-ETR-005", file, what + "; expected communicator groups such as {\"1\": [0, 1, 2, 3]}"};
  };
  if (fault) throw refuse(*fault);
  if (!json.is_object()) throw refuse("no JSON object");
  Groups groups;
  for (const auto& [name, ranks] : json.items()) {
    if (!ranks.is_array() || ranks.empty()) throw refuse(fmt::format("group '{}' is no list of ranks", name));
    for (const auto& rank : ranks) {
      if (!rank.is_number_unsigned())
        throw refuse(fmt::format("group '{}': {} is no rank", name, brief_json(rank)));
      if (rank.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max())
        throw refuse(fmt::format("group '{}': {} is no rank, which is below 2^32", name, brief_json(rank)));
      std::vector<std::uint32_t>& members = groups[name];
      const auto number = rank.get<std::uint32_t>();
      if (std::find(members.begin(), members.end(), number) != members.end())
        throw refuse(fmt::format("group '{}': rank {} is given twice", name, number));
      members.push_back(number);
    }
  }
  return groups;
}

std::string groups_json(const Groups& groups) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, ranks] : groups) json[name] = ranks;
  return dump_json(json, 2) + "\n";
}

namespace {

class GraphMaker {
 public:
  GraphMaker(std::vector<RankTrace> ranks, const Groups& groups, const std::string& prefix)
      : groups_(groups), prefix_(prefix) {
    graph_.ranks = std::move(ranks);
    for (const RankTrace& trace : graph_.ranks) {
      graph_.dependents.emplace_back(trace.size());
      graph_.waits.emplace_back(trace.size(), 0);
      graph_.exchange_of.emplace_back(trace.size(), TraceGraph::kNone);
    }
  }

  TraceGraph make() {
    for (std::uint32_t rank = 0; rank < graph_.ranks.size(); ++rank) {
      join(rank);
      require_no_cycle(rank);
      for (std::uint32_t node = 0; node < graph_.ranks[rank].size(); ++node) meet({rank, node});
    }
    for (const Exchange& exchange : graph_.exchanges) require_complete(exchange);
    return std::move(graph_);
  }

 private:
  const TraceNode& at(const NodeAt& n) const { return graph_.ranks[n.rank][n.node]; }
  [[noreturn]] void refuse(const char* code, const NodeAt& n, const std::string& what) const {
    refuse_node(code, graph_, n, prefix_, what);
  }

  void join(std::uint32_t rank) {
    const RankTrace& trace = graph_.ranks[rank];
    std::unordered_map<std::uint64_t, std::uint32_t> by_id;
    for (std::uint32_t n = 0; n < trace.size(); ++n)
      if (!by_id.emplace(trace[n].id, n).second) refuse("E-ETR-003", {rank, n}, "another node has this id");
    for (std::uint32_t n = 0; n < trace.size(); ++n)
      for (const std::uint64_t id : trace[n].after) {
        const auto before = by_id.find(id);
        if (before == by_id.end())
          refuse("E-ETR-003", {rank, n}, fmt::format("depends on node {}, which does not exist", id));
        graph_.dependents[rank][before->second].push_back(n);
        ++graph_.waits[rank][n];
      }
  }

  void require_no_cycle(std::uint32_t rank) const {
    std::vector<std::uint32_t> waits = graph_.waits[rank], ready;
    for (std::uint32_t n = 0; n < waits.size(); ++n)
      if (waits[n] == 0) ready.push_back(n);
    for (std::size_t i = 0; i < ready.size(); ++i)
      for (const std::uint32_t n : graph_.dependents[rank][ready[i]])
        if (--waits[n] == 0) ready.push_back(n);
    if (ready.size() == waits.size()) return;
    const auto stuck = std::find_if(waits.begin(), waits.end(), [](std::uint32_t w) { return w > 0; });
    refuse("E-ETR-003", {rank, static_cast<std::uint32_t>(stuck - waits.begin())},
           "depends on itself, or on a node that does");
  }

  void meet(const NodeAt& n) {
    const TraceNode& node = at(n);
    if (!node.communicates()) return;
    if (node.kind == NodeKind::kCollective) {
      const std::uint32_t turn = turns_[{n.rank, node.group}]++;
      const auto [known, fresh] = collectives_.try_emplace({node.group, turn}, next());
      if (fresh) graph_.exchanges.push_back({node.kind, node.operation, node.message, members(n), {}});
      add(known->second, n);
    } else {
      const bool sends = node.kind == NodeKind::kSend;
      if (node.peer >= graph_.ranks.size())
        refuse("E-ETR-003", n,
               fmt::format("rank {} does not exist; there are {}", node.peer, graph_.ranks.size()));
      if (node.peer == n.rank) refuse("E-ETR-003", n, "sends to its own rank");
      const std::uint32_t from = sends ? n.rank : node.peer, to = sends ? node.peer : n.rank;
      const std::uint32_t turn = message_turns_[{from, to, node.tag, sends}]++;
      const auto [known, fresh] = messages_.try_emplace({from, to, node.tag, turn}, next());
      if (fresh) graph_.exchanges.push_back({NodeKind::kSend, node.operation, node.message, {from, to}, {}});
      add(known->second, n);
    }
  }
  std::uint32_t next() const { return static_cast<std::uint32_t>(graph_.exchanges.size()); }

  static std::string what_of(NodeKind kind, collective::Operation operation) {
    if (kind == NodeKind::kSend) return "a send";
    if (kind == NodeKind::kReceive) return "a receive";
    return std::string(name_of(operation));
  }

  void add(std::uint32_t number, const NodeAt& n) {
    Exchange& exchange = graph_.exchanges[number];
    const TraceNode& node = at(n);
    if (exchange.bytes != node.message ||
        (exchange.kind == NodeKind::kCollective && exchange.operation != node.operation)) {
      const NodeAt& first = exchange.nodes.front();
      refuse("E-ETR-004", n,
             fmt::format("{} of {} B, but node {} of rank {}, which belongs to it, has {} of {} B",
                         what_of(node.kind, node.operation), node.message, at(first).id, first.rank,
                         what_of(at(first).kind, exchange.operation), exchange.bytes));
    }
    exchange.nodes.push_back(n);
    graph_.exchange_of[n.rank][n.node] = number;
  }

  std::vector<std::uint32_t> members(const NodeAt& n) const {
    std::vector<std::uint32_t> all(graph_.ranks.size());
    std::iota(all.begin(), all.end(), 0);
    const std::string& name = at(n).group;
    if (name.empty()) return all;
    const auto group = groups_.find(name);
    if (group == groups_.end()) {
      std::vector<std::string> names;
      for (const auto& [known, ranks] : groups_) names.push_back(known);
      refuse("E-ETR-004", n,
             fmt::format("group '{}' has no members; expected it in the file of --groups{}", name,
                         base::did_you_mean(name, names)));
    }
    std::vector<std::uint32_t> ranks = group->second;
    std::sort(ranks.begin(), ranks.end());
    if (ranks.back() >= graph_.ranks.size())
      refuse("E-ETR-004", n, fmt::format("rank {} of group '{}' has no trace", ranks.back(), name));
    if (!std::binary_search(ranks.begin(), ranks.end(), n.rank))
      refuse("E-ETR-004", n, fmt::format("rank {} is not in group '{}'", n.rank, name));
    return ranks;
  }

  void require_complete(const Exchange& exchange) const {
    if (exchange.nodes.size() == exchange.ranks.size()) return;
    const NodeAt& first = exchange.nodes.front();
    for (const std::uint32_t rank : exchange.ranks)
      if (std::none_of(exchange.nodes.begin(), exchange.nodes.end(),
                       [&](const NodeAt& n) { return n.rank == rank; }))
        refuse("E-ETR-004", first, fmt::format("rank {} has no node for it", rank));
  }

  const Groups& groups_;
  const std::string& prefix_;
  TraceGraph graph_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> turns_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> collectives_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>, std::uint32_t> message_turns_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> messages_;
};

}  // namespace

void refuse_node(const char* code, const TraceGraph& graph, const NodeAt& n, const std::string& prefix,
                 const std::string& what) {
  const TraceNode& node = graph.ranks[n.rank][n.node];
  throw UserError(code, fmt::format("{}.{}.et", prefix, n.rank),
                  fmt::format("node {} '{}': {}", node.id, node.name, what));
}

TraceGraph graph_of(std::vector<RankTrace> ranks, const Groups& groups, const std::string& prefix) {
  return GraphMaker(std::move(ranks), groups, prefix).make();
}

}  // namespace tahoma::runtime::chakra
