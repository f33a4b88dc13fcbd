// SPDX-License-Identifier: Apache-2.0
// The traces of runs whose exchanges have chosen times.
#include "report/execution_trace/run_trace.h"

#include <catch2/catch.hpp>
#include <set>

#include "studies/chakra/replay.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using namespace tahoma::runtime::chakra;
using base::Duration;
using runtime::CollectiveResult, runtime::MessageResult, runtime::RankTimes;

namespace {

base::Time at(double us) { return base::Time{0} + Duration{static_cast<std::int64_t>(us * 1e9)}; }

CollectiveResult collective_of(const std::string& operation, std::uint64_t bytes,
                               std::vector<RankTimes> ranks, std::uint32_t group_ranks) {
  CollectiveResult result;
  result.operation = operation;
  result.bytes = bytes;
  result.ranks = std::move(ranks);
  result.group_ranks = group_ranks;
  return result;
}

// The time of a replay in which every node takes its recorded duration.
Duration replayed_time(const RunTraces& traces) {
  const TraceGraph g = graph_of(traces.ranks, traces.groups, "t");
  NodeTimes times;
  for (const RankTrace& trace : g.ranks)
    for (std::vector<Duration>* of_rank = &times.nodes.emplace_back(); const TraceNode& node : trace)
      of_rank->push_back(node.duration);
  for (const Exchange& exchange : g.exchanges)
    times.exchanges.push_back(g.ranks[exchange.nodes[0].rank][exchange.nodes[0].node].duration);
  return replay(g, times, "t").time;
}

const TraceNode& first_of(const RankTrace& trace, NodeKind kind) {
  for (const TraceNode& node : trace)
    if (node.kind == kind) return node;
  FAIL("no such node");
  return trace.front();
}

// The operations' sizes in the order of the file.
std::vector<std::uint64_t> sizes_in(const RankTrace& trace) {
  std::vector<std::uint64_t> sizes;
  for (const TraceNode& node : trace)
    if (node.kind == NodeKind::kCollective) sizes.push_back(node.message);
  return sizes;
}

bool depends_on(const RankTrace& trace, const TraceNode& node, std::uint64_t id) {
  for (const std::uint64_t before : node.after)
    if (before == id || depends_on(trace, trace.at(before - 1), id)) return true;
  return false;
}

}  // namespace

TEST_CASE("run traces: collectives that do not overlap replay the time of the run", "[chakra]") {
  const CollectiveResult sum = collective_of(
      "all_reduce", 64,
      {{at(10), at(20), 0}, {at(10), at(20), 8}, {at(12), at(22), 16}, {at(12), at(22), 24}}, 2);
  const CollectiveResult gather = collective_of(
      "all_gather", 4096,
      {{at(30), at(41), 0}, {at(30), at(41), 8}, {at(30), at(41), 16}, {at(30), at(41), 24}}, 4);
  runtime::RegionSummary region;
  region.name = "mlp";
  region.start = at(0);
  region.end = at(25);
  const RunTraces traces = traces_of_run({{sum, gather}, {}}, {region}, 50_us);
  REQUIRE(traces.ranks.size() == 4);
  CHECK(traces.groups == Groups{{"1", {0, 1}}, {"2", {2, 3}}, {"3", {0, 1, 2, 3}}});
  REQUIRE(traces.ranks[2].size() == 5);
  CHECK(traces.ranks[2][0].name == "mlp");
  CHECK(traces.ranks[2][4].name == "compute");
  CHECK(traces.ranks[2][3].message == 1024);  // what a rank contributes
  CHECK(replayed_time(traces) == 50_us);
}

TEST_CASE("run traces: a message is a send and a receive, and replays its time", "[chakra]") {
  // A pipeline of two stages on cores 3 and 9: two micro-batches of 10 us, whose hand-overs take 2 us.
  const auto sent = [](double from, double to) {
    return MessageResult{"hand-over", 4096, {at(from), at(to), 3}, {at(from), at(to), 9}};
  };
  // Their common result is not read.
  const CollectiveResult both = collective_of("send_recv", 8192, {{at(10), at(12), 0}}, 2);
  const RunTraces traces = traces_of_run({{both}, {sent(10, 12), sent(22, 24)}}, {}, 34_us);
  REQUIRE(traces.ranks.size() == 2);
  CHECK(traces.groups.empty());
  const TraceNode &send = first_of(traces.ranks[0], NodeKind::kSend),
                  &receive = first_of(traces.ranks[1], NodeKind::kReceive);
  CHECK((send.peer == 1 && receive.peer == 0 && send.message == 4096 && receive.message == 4096));
  std::set<std::uint32_t> tags;
  for (const TraceNode& node : traces.ranks[0])
    if (node.kind == NodeKind::kSend) tags.insert(node.tag);
  CHECK(tags.size() == 2);
  CHECK(replayed_time(traces) == 34_us);
}

TEST_CASE("run traces: a node waits for everything that ended before it began", "[chakra]") {
  // Rank 0 sends to 1 and receives from 2 at the same time; what it computes then needs both.
  const MessageResult out{"out", 64, {at(0), at(5), 0}, {at(0), at(5), 1}},
      in{"in", 64, {at(0), at(3), 2}, {at(0), at(3), 0}};
  const RunTraces traces = traces_of_run({{}, {out, in}}, {}, 8_us);
  const RankTrace& trace = traces.ranks[0];
  REQUIRE(trace.size() == 3);
  const TraceNode& compute = first_of(trace, NodeKind::kCompute);
  CHECK(compute.after.size() == 2);
  CHECK(depends_on(trace, compute, first_of(trace, NodeKind::kSend).id));
  CHECK(depends_on(trace, compute, first_of(trace, NodeKind::kReceive).id));
}

TEST_CASE("run traces: overlapping collectives have one order on all ranks, and depend on each other",
          "[chakra]") {
  // Rank 0 begins with the large one, rank 1 with the small one; both are complete when both ranks have both.
  const CollectiveResult large = collective_of("all_reduce", 4096, {{at(1), at(9), 0}, {at(3), at(9), 1}}, 2),
                         small = collective_of("all_reduce", 64, {{at(2), at(8), 0}, {at(1), at(8), 1}}, 2);
  for (const auto& results : {std::vector{large, small}, std::vector{small, large}}) {
    const RunTraces traces = traces_of_run({results, {}}, {}, 10_us);
    REQUIRE(traces.ranks.size() == 2);
    // The small one is joined by its last rank at 2 us, the large one at 3 us.
    for (const RankTrace& trace : traces.ranks) {
      CHECK(sizes_in(trace) == std::vector<std::uint64_t>{64, 4096});
      const TraceNode& first = first_of(trace, NodeKind::kCollective);
      for (const TraceNode& node : trace)
        if (node.message == 4096) CHECK(depends_on(trace, node, first.id));
    }
    CHECK_NOTHROW(replayed_time(traces));
  }
}

TEST_CASE("run traces: collectives that all ranks join at once have the order of the run", "[chakra]") {
  const CollectiveResult one = collective_of("all_reduce", 64, {{at(1), at(9), 0}, {at(2), at(9), 1}}, 2),
                         other = collective_of("all_gather", 64, {{at(2), at(9), 0}, {at(1), at(9), 1}}, 2);
  const RunTraces traces = traces_of_run({{one, other}, {}}, {}, 10_us);
  for (const RankTrace& trace : traces.ranks) CHECK(sizes_in(trace) == std::vector<std::uint64_t>{64, 32});
}

TEST_CASE("run traces: a rank without work has a node", "[chakra]") {
  const RunTraces traces = traces_of_run({{}, {}}, {}, {0});
  REQUIRE(traces.ranks.size() == 1);
  CHECK(traces.ranks[0].size() == 1);
}
