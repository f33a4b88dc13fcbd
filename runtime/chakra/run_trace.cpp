// SPDX-License-Identifier: Apache-2.0
#include "runtime/chakra/run_trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace tahoma::runtime::chakra {

using base::Duration, base::Time;
using collective::Operation;

namespace {

// A collective as one of its ranks sees it.
struct Part {
  const CollectiveResult* of;
  RankTimes times;
  std::string group;
};

// Chakra counts what a rank contributes to an all_gather (collective_result.h: the whole array).
std::uint64_t comm_size(const CollectiveResult& c) {
  return c.operation == name_of(Operation::kAllGather) ? c.bytes / c.group_ranks : c.bytes;
}

class RunTraceMaker {
 public:
  RunTraceMaker(const std::vector<CollectiveResult>& collectives, const std::vector<RegionSummary>& regions,
                Duration elapsed)
      : regions_(regions), end_(Time{0} + elapsed) {
    std::map<std::uint32_t, std::uint32_t> rank_of;
    for (const CollectiveResult& c : collectives)
      for (const RankTimes& rank : c.ranks) rank_of.emplace(rank.core, 0);
    std::uint32_t next = 0;
    for (auto& [core, rank] : rank_of) rank = next++;
    parts_.resize(std::max<std::size_t>(1, rank_of.size()));
    for (const CollectiveResult& c : collectives) add(c, rank_of);
  }

  RunTraces make() {
    for (std::vector<Part>& parts : parts_) traces_.ranks.push_back(trace_of(parts));
    return std::move(traces_);
  }

 private:
  void add(const CollectiveResult& c, const std::map<std::uint32_t, std::uint32_t>& rank_of) {
    for (std::size_t first = 0; first < c.ranks.size(); first += c.group_ranks) {
      std::vector<std::uint32_t> members;
      for (std::size_t r = first; r < std::min(c.ranks.size(), first + c.group_ranks); ++r)
        members.push_back(rank_of.at(c.ranks[r].core));
      const std::string group = group_of(members);
      for (std::size_t i = 0; i < members.size(); ++i)
        parts_[members[i]].push_back({&c, c.ranks[first + i], group});
    }
  }

  // Names are numbers from 1 on, as ASTRA-sim reads them.
  std::string group_of(const std::vector<std::uint32_t>& members) {
    for (const auto& [name, ranks] : traces_.groups)
      if (ranks == members) return name;
    std::string name = std::to_string(traces_.groups.size() + 1);
    traces_.groups[name] = members;
    return name;
  }

  RankTrace trace_of(std::vector<Part>& parts) const {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.times.start < b.times.start; });
    RankTrace trace;
    std::vector<Time> ends;  // of the nodes
    const auto add_node = [&](TraceNode node, Time start, Time end) {
      node.id = trace.size() + 1;
      node.duration = end - start;
      std::size_t latest = ends.size();
      for (std::size_t n = 0; n < ends.size(); ++n)
        if (ends[n] <= start && (latest == ends.size() || ends[n] > ends[latest])) latest = n;
      if (latest < ends.size()) node.after = {trace[latest].id};
      trace.push_back(std::move(node));
      ends.push_back(end);
    };
    Time covered{0};
    const auto compute_until = [&](Time until) {
      if (until <= covered) return;
      TraceNode node;
      node.name = region_at(covered, until);
      add_node(std::move(node), covered, until);
    };
    for (const Part& part : parts) {
      compute_until(part.times.start);
      TraceNode node;
      node.kind = NodeKind::kCollective;
      node.name = part.of->name.empty() ? part.of->operation : part.of->name;
      node.operation = *collective::operation_from_name(part.of->operation);
      node.message = comm_size(*part.of);
      node.group = part.group;
      add_node(std::move(node), part.times.start, part.times.end);
      covered = std::max(covered, part.times.end);
    }
    compute_until(end_);
    return trace;
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
  std::vector<std::vector<Part>> parts_;  // by rank
  RunTraces traces_;
};

}  // namespace

RunTraces traces_of_run(const std::vector<CollectiveResult>& collectives,
                        const std::vector<RegionSummary>& regions, Duration elapsed) {
  return RunTraceMaker(collectives, regions, elapsed).make();
}

}  // namespace tahoma::runtime::chakra
