// SPDX-License-Identifier: Apache-2.0
#include "report/execution_trace/run_trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace tahoma::runtime::chakra {

using base::Duration, base::Time;
using collective::Operation;

namespace {

// Orders the nodes of a file, and the collectives in those of all their ranks alike.
struct Place {
  Time time{0};
  std::size_t exchange = 0;  // its number among those of the run; of computations 0
  auto operator<=>(const Place&) const = default;
};

// A node of a rank, and when it ran.
struct Part {
  TraceNode node;
  Time start, end;
  Place place;
};

// These consist of messages.
bool is_point_to_point(const CollectiveResult& c) {
  return c.operation == name_of(Operation::kSendRecv) || c.operation == name_of(Operation::kPermute);
}

// Chakra counts what a rank contributes to an all_gather (collective_result.h: the whole array).
std::uint64_t comm_size(const CollectiveResult& c) {
  return c.operation == name_of(Operation::kAllGather) ? c.bytes / c.group_ranks : c.bytes;
}

// Joins the nodes of a rank.
class RankTraceMaker {
 public:
  // `parts` are in the order of the file.
  explicit RankTraceMaker(std::vector<Part> parts) : parts_(std::move(parts)) {
    for (std::size_t n = 0; n < parts_.size(); ++n) parts_[n].node.id = n + 1;
  }

  RankTrace make() {
    depend_on_ended();
    chain_collectives();
    RankTrace trace;
    for (Part& part : parts_) {
      part.node.duration = part.end - part.start;
      std::sort(part.node.after.begin(), part.node.after.end());
      trace.push_back(std::move(part.node));
    }
    return trace;
  }

 private:
  // A node depends on the nodes that ended before it started, except those on which another of them depends.
  void depend_on_ended() {
    std::vector<Part*> by_start;
    for (Part& part : parts_) by_start.push_back(&part);
    std::stable_sort(by_start.begin(), by_start.end(),
                     [](const Part* a, const Part* b) { return a->start < b->start; });
    for (std::size_t n = 0; n < by_start.size(); ++n) {
      Part& part = *by_start[n];
      Time latest{-1};  // start among the ended nodes seen so far
      for (std::size_t m = n; m-- > 0;) {
        const Part& before = *by_start[m];
        if (before.end > part.start) continue;
        if (before.end > latest) part.node.after.push_back(before.node.id);
        latest = std::max(latest, before.start);
      }
    }
  }

  // ASTRA-sim performs one collective of a rank at a time, whichever may start. All ranks therefore need one
  // order.
  void chain_collectives() {
    const Part* before = nullptr;
    for (Part& part : parts_) {
      if (part.node.kind != NodeKind::kCollective) continue;
      const bool beside = before != nullptr && before->end > part.start && part.end > before->start;
      if (beside) part.node.after.push_back(before->node.id);
      before = &part;
    }
  }

  std::vector<Part> parts_;
};

class RunTraceMaker {
 public:
  RunTraceMaker(const RunExchanges& exchanges, const std::vector<RegionSummary>& regions, Duration elapsed)
      : regions_(regions), end_(Time{0} + elapsed) {
    number_ranks(exchanges);
    parts_.resize(std::max<std::size_t>(1, rank_of_.size()));
    for (const CollectiveResult& c : exchanges.collectives)
      if (!is_point_to_point(c)) add(c);
    for (const MessageResult& m : exchanges.messages) add(m);
  }

  RunTraces make() {
    for (std::vector<Part>& parts : parts_) {
      add_computations(parts);
      std::stable_sort(parts.begin(), parts.end(),
                       [](const Part& a, const Part& b) { return a.place < b.place; });
      traces_.ranks.push_back(RankTraceMaker(std::move(parts)).make());
    }
    return std::move(traces_);
  }

 private:
  void number_ranks(const RunExchanges& exchanges) {
    for (const CollectiveResult& c : exchanges.collectives)
      if (!is_point_to_point(c))
        for (const RankTimes& rank : c.ranks) rank_of_.emplace(rank.core, 0);
    for (const MessageResult& m : exchanges.messages)
      for (const RankTimes* end : {&m.sender, &m.receiver}) rank_of_.emplace(end->core, 0);
    std::uint32_t next = 0;
    for (auto& [core, rank] : rank_of_) rank = next++;
  }

  void add(const CollectiveResult& c) {
    ++exchanges_;
    TraceNode node;
    node.kind = NodeKind::kCollective;
    node.name = c.name.empty() ? c.operation : c.name;
    node.operation = *collective::operation_from_name(c.operation);
    node.message = comm_size(c);
    for (std::size_t first = 0; first < c.ranks.size(); first += c.group_ranks) {
      std::vector<std::uint32_t> members;
      Time joined{0};  // by the last rank; a rank that has ended a collective has data of all of them
      for (std::size_t r = first; r < std::min(c.ranks.size(), first + c.group_ranks); ++r) {
        members.push_back(rank_of_.at(c.ranks[r].core));
        joined = std::max(joined, c.ranks[r].start);
      }
      node.group = group_of(members);
      for (std::size_t i = 0; i < members.size(); ++i) {
        const RankTimes& times = c.ranks[first + i];
        parts_[members[i]].push_back({node, times.start, times.end, {joined, exchanges_}});
      }
    }
  }

  // A tag is the message's number among those from one rank to the other, so both ends agree in whatever
  // order they start.
  void add(const MessageResult& m) {
    const std::uint32_t from = rank_of_.at(m.sender.core), to = rank_of_.at(m.receiver.core);
    ++exchanges_;
    TraceNode node;
    node.name = m.name;
    node.message = m.bytes;
    node.tag = tags_[{from, to}]++;
    node.kind = NodeKind::kSend;
    node.peer = to;
    parts_[from].push_back({node, m.sender.start, m.sender.end, {m.sender.start, exchanges_}});
    node.kind = NodeKind::kReceive;
    node.peer = from;
    parts_[to].push_back({node, m.receiver.start, m.receiver.end, {m.receiver.start, exchanges_}});
  }

  // Names are numbers from 1 on, as ASTRA-sim reads them.
  std::string group_of(const std::vector<std::uint32_t>& members) {
    for (const auto& [name, ranks] : traces_.groups)
      if (ranks == members) return name;
    std::string name = std::to_string(traces_.groups.size() + 1);
    traces_.groups[name] = members;
    return name;
  }

  // Adds computations in the time that no exchange covers.
  void add_computations(std::vector<Part>& parts) const {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.start < b.start; });
    std::vector<Part> computations;
    Time covered{0};
    const auto compute_until = [&](Time until) {
      if (until <= covered) return;
      TraceNode node;
      node.name = region_at(covered, until);
      computations.push_back({std::move(node), covered, until, {covered}});
    };
    for (const Part& part : parts) {
      compute_until(part.start);
      covered = std::max(covered, part.end);
    }
    compute_until(end_);
    if (parts.empty() && computations.empty())  // ASTRA-sim refuses a trace without nodes
      computations.push_back({{}, end_, end_, {end_}});
    parts.insert(parts.end(), computations.begin(), computations.end());
  }

  std::string region_at(Time from, Time until) const {
    const RegionSummary* longest = nullptr;
    Duration most{0};
    for (const RegionSummary& region : regions_) {
      const Duration shared = std::min(until, region.end) - std::max(from, region.start);
      if (shared <= most) continue;
      most = shared;
      longest = &region;
    }
    return longest == nullptr ? "compute" : longest->name;
  }

  const std::vector<RegionSummary>& regions_;
  Time end_;
  std::map<std::uint32_t, std::uint32_t> rank_of_;                         // by core
  std::vector<std::vector<Part>> parts_;                                   // by rank
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> tags_;  // next one, by sender and receiver
  std::size_t exchanges_ = 0;                                              // so far
  RunTraces traces_;
};

}  // namespace

RunTraces traces_of_run(const RunExchanges& exchanges, const std::vector<RegionSummary>& regions,
                        Duration elapsed) {
  return RunTraceMaker(exchanges, regions, elapsed).make();
}

}  // namespace tahoma::runtime::chakra
