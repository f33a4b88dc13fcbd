// SPDX-License-Identifier: Apache-2.0
#include "runtime/chakra/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <set>

#include "model/base/error.h"

namespace tahoma::runtime::chakra {

using base::Duration, base::Time;

namespace {

bool computes(NodeKind kind) {
  return kind == NodeKind::kCompute || kind == NodeKind::kLoad || kind == NodeKind::kStore;
}

class Replayer {
 public:
  Replayer(const TraceGraph& graph, const NodeTimes& times, const std::string& prefix)
      : graph_(graph), times_(times), prefix_(prefix), waits_(graph.waits) {
    arrived_.resize(graph.exchanges.size());
    for (const RankTrace& trace : graph.ranks) {
      replay_.spans.emplace_back(trace.size());
      ranks_.emplace_back(trace);
      left_ += trace.size();
    }
  }

  Replay run() {
    for (std::uint32_t rank = 0; rank < graph_.ranks.size(); ++rank)
      for (std::uint32_t node = 0; node < waits_[rank].size(); ++node)
        if (waits_[rank][node] == 0) ready({rank, node});
    for (std::uint32_t rank = 0; rank < graph_.ranks.size(); ++rank) start_next(rank);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.when;
      end(event.of);
    }
    if (left_ > 0) refuse();
    replay_.time = now_ - Time{0};
    for (std::uint32_t rank = 0; rank < graph_.ranks.size(); ++rank)
      replay_.shares.push_back(shares_of(rank));
    return std::move(replay_);
  }

 private:
  struct Event {
    Time when;
    std::uint64_t number;
    NodeAt of;
    bool operator>(const Event& other) const {
      return when != other.when ? when > other.when : number > other.number;
    }
  };
  struct Stream {                      // the collectives of a group
    std::vector<std::uint32_t> nodes;  // in the order of the file
    std::size_t next = 0;
    bool busy = false;
  };
  struct Rank {
    explicit Rank(const RankTrace& trace) : may_start(trace.size()) {
      for (std::uint32_t n = 0; n < trace.size(); ++n)
        if (trace[n].kind == NodeKind::kCollective) streams[trace[n].group].nodes.push_back(n);
    }
    std::set<std::uint32_t> compute;  // nodes that may start, in the order of the file
    std::vector<bool> may_start;      // by node
    std::map<std::string, Stream> streams;
    bool computing = false;
  };

  const TraceNode& at(const NodeAt& n) const { return graph_.ranks[n.rank][n.node]; }
  NodeSpan& span(const NodeAt& n) { return replay_.spans[n.rank][n.node]; }

  void ready(const NodeAt& n) {
    const NodeKind kind = at(n).kind;
    if (computes(kind)) {
      ranks_[n.rank].compute.insert(n.node);
    } else if (kind == NodeKind::kCollective) {
      ranks_[n.rank].may_start[n.node] = true;
    } else if (kind == NodeKind::kSend || kind == NodeKind::kReceive) {
      arrive(n);
    } else {
      start(n, Duration{0});
    }
  }

  void start_next(std::uint32_t rank) {
    Rank& r = ranks_[rank];
    if (!r.computing && !r.compute.empty()) {
      const std::uint32_t node = *r.compute.begin();
      r.compute.erase(r.compute.begin());
      r.computing = true;
      start({rank, node}, times_.nodes[rank][node]);
    }
    for (auto& [group, stream] : r.streams) {
      if (stream.busy || stream.next == stream.nodes.size() || !r.may_start[stream.nodes[stream.next]])
        continue;
      stream.busy = true;
      arrive({rank, stream.nodes[stream.next++]});
    }
  }

  void start(const NodeAt& n, Duration time) {
    span(n).arrived = span(n).start = now_;
    events_.push({after(time, n), number_++, n});
  }

  // Times have a range of 2.5 hours; a replay that takes longer is refused.
  Time after(Duration time, const NodeAt& n) const {
    if (time.fs > std::numeric_limits<std::int64_t>::max() - now_.fs)
      throw base::UserError(
          "E-ETR-003", prefix_,
          fmt::format(
              "node {} '{}' of rank {} ends more than 2.5 hours after the start: expected a shorter trace",
              at(n).id, at(n).name, n.rank));
    return now_ + time;
  }

  void arrive(const NodeAt& n) {
    const std::uint32_t exchange = graph_.exchange_of[n.rank][n.node];
    span(n).arrived = now_;
    arrived_[exchange].push_back(n.rank);
    if (arrived_[exchange].size() < graph_.exchanges[exchange].nodes.size()) return;
    for (const NodeAt& each : graph_.exchanges[exchange].nodes) {
      span(each).start = now_;
      events_.push({after(times_.exchanges[exchange], each), number_++, each});
    }
  }

  void end(const NodeAt& n) {
    span(n).end = now_;
    --left_;
    const NodeKind kind = at(n).kind;
    if (computes(kind)) ranks_[n.rank].computing = false;
    if (kind == NodeKind::kCollective) ranks_[n.rank].streams[at(n).group].busy = false;
    for (const std::uint32_t dependent : graph_.dependents[n.rank][n.node])
      if (--waits_[n.rank][dependent] == 0) ready({n.rank, dependent});
    start_next(n.rank);
  }

  // Where communication and computation begin and end, in order of time.
  RankShares shares_of(std::uint32_t rank) const {
    struct Change {
      Time when;
      int computing, communicating, waiting;
    };
    std::vector<Change> changes;
    for (std::uint32_t n = 0; n < graph_.ranks[rank].size(); ++n) {
      const NodeSpan& s = replay_.spans[rank][n];
      if (computes(graph_.ranks[rank][n].kind)) {
        changes.push_back({s.start, 1, 0, 0});
        changes.push_back({s.end, -1, 0, 0});
      } else if (graph_.exchange_of[rank][n] != TraceGraph::kNone) {
        changes.push_back({s.arrived, 0, 1, 1});
        changes.push_back({s.start, 0, 0, -1});
        changes.push_back({s.end, 0, -1, 0});
      }
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.when < b.when; });
    RankShares shares;
    Time before{0};
    int computing = 0, communicating = 0, waiting = 0;
    const auto pass = [&](Time until) {
      const Duration passed = until - before;
      if (computing > 0)
        shares.computing += passed;
      else if (communicating > 0)
        shares.exposed += passed;
      else
        shares.idle += passed;
      if (computing == 0 && waiting > 0 && waiting == communicating) shares.waiting += passed;
      before = until;
    };
    for (const Change& change : changes) {
      pass(change.when);
      computing += change.computing;
      communicating += change.communicating;
      waiting += change.waiting;
    }
    pass(Time{0} + replay_.time);
    return shares;
  }

  [[noreturn]] void refuse() const {
    for (std::uint32_t e = 0; e < arrived_.size(); ++e) {
      const Exchange& exchange = graph_.exchanges[e];
      if (arrived_[e].empty() || arrived_[e].size() == exchange.nodes.size()) continue;
      const NodeAt* missing = nullptr;
      for (const NodeAt& n : exchange.nodes)
        if (std::find(arrived_[e].begin(), arrived_[e].end(), n.rank) == arrived_[e].end()) missing = &n;
      throw base::UserError(
          "E-ETR-008", fmt::format("{}.{}.et", prefix_, missing->rank),
          fmt::format(
              "ranks wait for each other for ever: rank {} waits for rank {} in node {} '{}', which does not "
              "begin; expected the same order of exchanges in all ranks",
              arrived_[e].front(), missing->rank, at(*missing).id, at(*missing).name),
          base::ExitStatus::kNoProgress);
    }
    TAHOMA_INVARIANT(false, "a replay ends before its nodes");
  }

  const TraceGraph& graph_;
  const NodeTimes& times_;
  const std::string& prefix_;  // of the files, in errors
  std::vector<std::vector<std::uint32_t>> waits_;
  std::vector<std::vector<std::uint32_t>> arrived_;  // ranks, by exchange
  std::vector<Rank> ranks_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t number_ = 0;
  std::size_t left_ = 0;
  Time now_{0};
  Replay replay_;
};

}  // namespace

Replay replay(const TraceGraph& graph, const NodeTimes& times, const std::string& prefix) {
  return Replayer(graph, times, prefix).run();
}

}  // namespace tahoma::runtime::chakra
