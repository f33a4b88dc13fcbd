// SPDX-License-Identifier: Apache-2.0
#include "studies/chakra/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <queue>
#include <set>

#include "model/base/error.h"

namespace tahoma::runtime::chakra {

using base::Duration, base::Time;

namespace {

class Replayer {
 public:
  Replayer(const TraceGraph& graph, const NodeTimes& times, const std::string& prefix)
      : graph_(graph), times_(times), prefix_(prefix), waits_(graph.waits) {
    arrived_.resize(graph.exchanges.size());
    sent_.assign(graph.exchanges.size(), base::kNever);
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
    for (std::uint32_t rank = 0; rank < graph_.ranks.size(); ++rank)
      for (Slot& slot : ranks_[rank].slots) compute_next(rank, slot);
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
  struct Slot {                     // a host or a device
    std::set<std::uint32_t> ready;  // nodes that may start, in the order of the file
    bool busy = false;
  };
  struct Rank {
    explicit Rank(const RankTrace& trace) : may_start(trace.size()) {
      for (std::uint32_t n = 0; n < trace.size(); ++n)
        if (trace[n].kind == NodeKind::kCollective && trace[n].communicates())
          streams[trace[n].group].nodes.push_back(n);
    }
    std::array<Slot, 2> slots;    // device, host
    std::vector<bool> may_start;  // by node
    std::map<std::string, Stream> streams;
  };

  const TraceNode& at(const NodeAt& n) const { return graph_.ranks[n.rank][n.node]; }
  NodeSpan& span(const NodeAt& n) { return replay_.spans[n.rank][n.node]; }

  Slot& slot_of(const NodeAt& n) { return ranks_[n.rank].slots[at(n).on_host ? 1 : 0]; }
  Stream& stream_of(const NodeAt& n) { return ranks_[n.rank].streams[at(n).group]; }

  void ready(const NodeAt& n) {
    const TraceNode& node = at(n);
    if (node.computes()) {
      slot_of(n).ready.insert(n.node);
    } else if (!node.communicates()) {
      start(n, Duration{0});
    } else if (node.kind == NodeKind::kCollective) {
      ranks_[n.rank].may_start[n.node] = true;
      perform_next(n.rank, stream_of(n));
    } else if (node.kind == NodeKind::kSend) {
      send(n);
    } else {
      receive(n);
    }
  }

  void compute_next(std::uint32_t rank, Slot& slot) {
    if (slot.busy || slot.ready.empty()) return;
    const std::uint32_t node = *slot.ready.begin();
    slot.ready.erase(slot.ready.begin());
    slot.busy = true;
    start({rank, node}, times_.nodes[rank][node]);
  }

  void perform_next(std::uint32_t rank, Stream& stream) {
    if (stream.busy || stream.next == stream.nodes.size() ||
        !ranks_[rank].may_start[stream.nodes[stream.next]])
      return;
    stream.busy = true;
    arrive({rank, stream.nodes[stream.next++]});
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
    for (const NodeAt& each : graph_.exchanges[exchange].nodes) end_after(each, times_.exchanges[exchange]);
  }
  void end_after(const NodeAt& n, Duration time) {
    span(n).start = now_;
    events_.push({after(time, n), number_++, n});
  }

  // The message is on its way whether or not its receive has begun.
  void send(const NodeAt& n) {
    const std::uint32_t exchange = graph_.exchange_of[n.rank][n.node];
    start(n, times_.exchanges[exchange]);
    sent_[exchange] = now_;
    if (arrived_[exchange].empty()) return;
    for (const NodeAt& each : graph_.exchanges[exchange].nodes)
      if (each.rank != n.rank) end_after(each, times_.exchanges[exchange]);
  }
  void receive(const NodeAt& n) {
    const std::uint32_t exchange = graph_.exchange_of[n.rank][n.node];
    span(n).arrived = now_;
    arrived_[exchange].push_back(n.rank);
    if (sent_[exchange] == base::kNever) return;
    end_after(n, std::max(Duration{0}, sent_[exchange] + times_.exchanges[exchange] - now_));
  }

  void end(const NodeAt& n) {
    span(n).end = now_;
    --left_;
    const TraceNode& node = at(n);
    const bool collective = node.communicates() && node.kind == NodeKind::kCollective;
    if (node.computes()) slot_of(n).busy = false;
    if (collective) stream_of(n).busy = false;
    for (const std::uint32_t dependent : graph_.dependents[n.rank][n.node])
      if (--waits_[n.rank][dependent] == 0) ready({n.rank, dependent});
    for (Slot& slot : ranks_[n.rank].slots) compute_next(n.rank, slot);
    if (collective) perform_next(n.rank, stream_of(n));
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
      if (graph_.ranks[rank][n].computes()) {
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
      const std::size_t waiting =
          exchange.kind == NodeKind::kSend && sent_[e] != base::kNever ? 0 : arrived_[e].size();
      if (waiting == 0 || waiting == exchange.nodes.size()) continue;
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
  std::vector<std::vector<std::uint32_t>>
      arrived_;             // ranks that wait or take part, by exchange; of a message: the receiver
  std::vector<Time> sent_;  // by exchange, of messages
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
