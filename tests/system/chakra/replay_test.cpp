// SPDX-License-Identifier: Apache-2.0
// Replays against times computed by hand, and refusals of ranks that do not fit together.
#include "studies/chakra/replay.h"

#include <catch2/catch.hpp>
#include <random>

#include "model/base/error.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using namespace tahoma::runtime::chakra;
using base::Duration;
using Catch::Contains;

namespace {

TraceNode computing(std::uint64_t id, Duration time, std::vector<std::uint64_t> after = {}) {
  TraceNode node;
  node.id = id;
  node.name = "compute";
  node.duration = time;
  node.after = std::move(after);
  return node;
}
TraceNode collective(std::uint64_t id, std::vector<std::uint64_t> after = {}, const std::string& group = "") {
  TraceNode node;
  node.id = id;
  node.name = "sum";
  node.kind = NodeKind::kCollective;
  node.message = 1024;
  node.after = std::move(after);
  node.group = group;
  return node;
}
TraceNode message(NodeKind kind, std::uint64_t id, std::uint32_t peer,
                  std::vector<std::uint64_t> after = {}) {
  TraceNode node;
  node.id = id;
  node.name = "message";
  node.kind = kind;
  node.peer = peer;
  node.after = std::move(after);
  return node;
}

TraceGraph graph(std::vector<RankTrace> ranks, const Groups& groups = {}) {
  return graph_of(std::move(ranks), groups, "t");
}

// Recorded durations, and `exchange` for every exchange.
Replay replayed(const TraceGraph& g, Duration exchange) {
  NodeTimes times;
  for (const RankTrace& trace : g.ranks) {
    std::vector<Duration>& of_rank = times.nodes.emplace_back();
    for (const TraceNode& node : trace) of_rank.push_back(node.duration);
  }
  times.exchanges.assign(g.exchanges.size(), exchange);
  return replay(g, times, "t");
}

}  // namespace

TEST_CASE("trace replay: a collective starts with its last rank and ends for all at once", "[chakra]") {
  const TraceGraph g = graph({{computing(1, 10_us), collective(2, {1}), computing(3, 5_us, {2})},
                              {computing(1, 30_us), collective(2, {1})}});
  const Replay r = replayed(g, 7_us);
  CHECK(r.time == 42_us);
  CHECK(r.shares[0].computing == 15_us);
  CHECK(r.shares[0].exposed == 27_us);
  CHECK(r.shares[0].waiting == 20_us);
  CHECK(r.shares[0].idle == 0_us);
  CHECK(r.shares[1].computing == 30_us);
  CHECK(r.shares[1].exposed == 7_us);
  CHECK(r.shares[1].waiting == 0_us);
  CHECK(r.shares[1].idle == 5_us);
}

TEST_CASE("trace replay: computation hides a collective that nothing waits for", "[chakra]") {
  const TraceGraph g = graph(
      {{computing(1, 10_us), collective(2, {1}), computing(3, 20_us, {1}), computing(4, 1_us, {2, 3})},
       {computing(1, 10_us), collective(2, {1}), computing(3, 20_us, {1}), computing(4, 1_us, {2, 3})}});
  const Replay hidden = replayed(g, 15_us), exposed = replayed(g, 26_us);
  CHECK(hidden.time == 31_us);
  CHECK(hidden.shares[0].exposed == 0_us);
  CHECK(exposed.time == 37_us);
  CHECK(exposed.shares[0].exposed == 6_us);
}

TEST_CASE("trace replay: a rank computes one node at a time and performs a group's collectives in order",
          "[chakra]") {
  const RankTrace rank{computing(1, 3_us), computing(2, 4_us), collective(3), collective(4)};
  const Replay r = replayed(graph({rank, rank}), 10_us);
  CHECK(r.time == 20_us);
  CHECK(r.shares[0].computing == 7_us);
  CHECK(r.spans[0][1].start == base::Time{0} + 3_us);
  CHECK(r.spans[1][3].start == base::Time{0} + 10_us);
}

TEST_CASE("trace replay: messages pair in order, by sender, receiver and tag", "[chakra]") {
  const TraceGraph g = graph(
      {{computing(1, 2_us), message(NodeKind::kSend, 2, 1, {1}), message(NodeKind::kReceive, 3, 1, {2})},
       {message(NodeKind::kReceive, 1, 0), computing(2, 4_us, {1}), message(NodeKind::kSend, 3, 0, {2})}});
  CHECK(g.exchanges.size() == 2);
  CHECK(replayed(g, 3_us).time == 12_us);
}

TEST_CASE("trace replay: a send does not wait for its receive", "[chakra]") {
  // Both ranks send before they receive, and rank 1 begins to receive long after the message has arrived.
  const TraceGraph swap = graph(
      {{message(NodeKind::kSend, 1, 1), message(NodeKind::kReceive, 2, 1, {1})},
       {message(NodeKind::kSend, 1, 0), computing(2, 50_us, {1}), message(NodeKind::kReceive, 3, 0, {2})}});
  const Replay r = replayed(swap, 3_us);
  CHECK(r.spans[0][0].end == base::Time{0} + 3_us);
  CHECK(r.spans[0][1].end == base::Time{0} + 3_us);
  CHECK(r.time == 53_us);
  CHECK(r.shares[1].waiting == 0_us);
  // While it is on its way, the receiver waits for the rest of it.
  const TraceGraph late =
      graph({{message(NodeKind::kSend, 1, 1)}, {computing(1, 2_us), message(NodeKind::kReceive, 2, 0, {1})}});
  CHECK(replayed(late, 3_us).time == 3_us);
}

// Every rank sends to the next one and then receives, as often as there are steps: each step takes one
// message.
TEST_CASE("trace replay: rings of sends and hand-overs of pipelines end, in the time of their longest path",
          "[chakra]") {
  constexpr std::uint32_t kRanks = 4, kSteps = 6;
  std::vector<RankTrace> ring(kRanks);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank)
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      const std::vector<std::uint64_t> before =
          step == 0 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{2 * step - 2, 2 * step - 1};
      ring[rank].push_back(message(NodeKind::kSend, 2 * step, (rank + 1) % kRanks, before));
      ring[rank].push_back(
          message(NodeKind::kReceive, 2 * step + 1, (rank + kRanks - 1) % kRanks, {2 * step}));
    }
  CHECK(replayed(graph(ring), 2_us).time == 1_us * (kSteps * 2));
  // A 1F1B hand-over: each stage sends, and receives only after its next pass.
  const RankTrace stage0{computing(1, 5_us), message(NodeKind::kSend, 2, 1, {1}), computing(3, 5_us, {2}),
                         message(NodeKind::kReceive, 4, 1, {3})},
      stage1{computing(1, 1_us), message(NodeKind::kSend, 2, 0, {1}), message(NodeKind::kReceive, 3, 0, {2})};
  CHECK(replayed(graph({stage0, stage1}), 2_us).time == 12_us);
}

TEST_CASE("trace replay: a receive without its send being reached is a deadlock", "[chakra]") {
  const TraceGraph g = graph({{message(NodeKind::kReceive, 1, 1), message(NodeKind::kSend, 2, 1, {1})},
                              {message(NodeKind::kReceive, 1, 0), message(NodeKind::kSend, 2, 0, {1})}});
  CHECK_THROWS_WITH(replayed(g, 1_us), Contains("E-ETR-008"));
}

TEST_CASE("trace replay: host and device work beside each other, one node each at a time", "[chakra]") {
  RankTrace rank;
  for (std::uint64_t n = 0; n < 3; ++n) {
    rank.push_back(computing(2 * n, 10_us));
    rank.back().on_host = true;
    rank.push_back(computing(2 * n + 1, 30_us, {2 * n}));
  }
  const Replay r = replayed(graph({rank}), 0_us);
  CHECK(r.time == 10_us + 30_us * 3);
  CHECK(r.spans[0][4].end == base::Time{0} + 30_us);
  CHECK(r.shares[0].computing == r.time);
}

TEST_CASE("trace replay: a collective or message on the host launches that of the device", "[chakra]") {
  RankTrace rank{collective(1), collective(2, {1}), message(NodeKind::kSend, 3, 7)};
  rank[0].on_host = rank[2].on_host = true;
  rank[0].duration = 4_us;
  const TraceGraph g = graph({rank, rank});
  CHECK(g.exchanges.size() == 1);
  CHECK(replayed(g, 9_us).time == 13_us);
}

TEST_CASE("trace replay: groups work beside each other", "[chakra]") {
  const Groups groups{{"1", {0, 1}}, {"2", {2, 3}}};
  const TraceGraph g = graph({{collective(1, {}, "1")},
                              {collective(1, {}, "1")},
                              {collective(1, {}, "2")},
                              {collective(1, {}, "2")}},
                             groups);
  CHECK(g.exchanges.size() == 2);
  CHECK(replayed(g, 9_us).time == 9_us);
}

TEST_CASE("trace replay: shares add up to the time, and one rank alone takes the sum of its nodes",
          "[chakra]") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<RankTrace> ranks(1 + random() % 4);
    Duration sum{0};
    const std::size_t nodes = 1 + random() % 20;
    for (std::uint64_t id = 0; id < nodes; ++id) {
      const bool together = random() % 3 == 0;
      for (RankTrace& trace : ranks) {
        std::vector<std::uint64_t> after;
        if (id > 0 && random() % 2 == 0) after.push_back(random() % id);
        const Duration time{static_cast<std::int64_t>(random() % 1000)};
        trace.push_back(together ? collective(id, after) : computing(id, time, after));
        if (!together) sum += time;
      }
    }
    const bool alone = ranks.size() == 1;
    const Replay r = replayed(graph(std::move(ranks)), 0_us);
    for (const RankShares& shares : r.shares)
      CHECK(shares.computing + shares.exposed + shares.idle == r.time);
    CHECK(r.time <= sum);
    if (alone) CHECK(r.time == sum);
  }
}

TEST_CASE("trace replay: ranks that do not fit together are refused", "[chakra]") {
  TraceNode larger = collective(2);
  larger.message = 2048;
  CHECK_THROWS_WITH(graph({{collective(1)}, {larger}}),
                    Contains("E-ETR-004") && Contains("2048 B") && Contains("1024 B"));
  CHECK_THROWS_WITH(graph({{collective(1)}, {}}), Contains("E-ETR-004") && Contains("rank 1 has no node"));
  CHECK_THROWS_WITH(graph({{collective(1, {}, "2")}}, {{"21", {0}}}),
                    Contains("E-ETR-004") && Contains("--groups"));
  CHECK_THROWS_WITH(graph({{collective(1, {}, "2")}}, {{"2", {1}}}), Contains("E-ETR-004"));
  CHECK_THROWS_WITH(graph({{message(NodeKind::kSend, 1, 5)}}), Contains("E-ETR-003") && Contains("rank 5"));
  CHECK_THROWS_WITH(graph({{message(NodeKind::kSend, 1, 0)}}), Contains("own rank"));
  CHECK_THROWS_WITH(graph({{computing(1, 1_us), computing(1, 1_us)}}),
                    Contains("E-ETR-003") && Contains("another node"));
  CHECK_THROWS_WITH(graph({{computing(1, 1_us, {9})}}), Contains("node 9, which does not exist"));
  CHECK_THROWS_WITH(graph({{computing(1, 1_us, {2}), computing(2, 1_us, {1})}}),
                    Contains("depends on itself"));
}

TEST_CASE("trace replay: ranks that wait for each other are named", "[chakra]") {
  const Groups groups{{"1", {0, 1}}, {"2", {0, 1}}};
  const TraceGraph g = graph(
      {{collective(1, {}, "1"), collective(2, {1}, "2")}, {collective(1, {}, "2"), collective(2, {1}, "1")}},
      groups);
  try {
    replayed(g, 1_us);
    FAIL("a deadlock is found");
  } catch (const base::UserError& error) {
    CHECK(error.code == "E-ETR-008");
    CHECK(error.status == base::ExitStatus::kNoProgress);
    CHECK_THAT(error.what(), Contains("rank 0 waits for rank 1") || Contains("rank 1 waits for rank 0"));
  }
}

TEST_CASE("trace replay: a replay beyond the range of times is refused", "[chakra]") {
  constexpr Duration kHour{3'600'000'000'000'000'000};
  const auto hours = [&](std::uint64_t count) {
    RankTrace trace;
    for (std::uint64_t n = 1; n <= count; ++n) trace.push_back(computing(n, kHour));
    return replayed(graph({trace}), 1_us);
  };
  CHECK(hours(2).time.fs == 2 * kHour.fs);
  CHECK_THROWS_WITH(hours(3), Contains("E-ETR-003") && Contains("node 3 'compute' of rank 0"));
}

TEST_CASE("trace groups: a file that is no object of lists is refused", "[chakra]") {
  tests::TempDir folder;
  for (const char* text : {"[1]", "{\"1\": 2}", "{\"1\": [-1]}", "{\"1\": []}", "{"}) {
    folder.write("groups.json", text);
    CHECK_THROWS_WITH(read_groups(folder / "groups.json"), Contains("E-ETR-005"));
  }
  for (const std::string& text :
       {"{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}",
        std::string("{\"1\": [0], \"1\": [1]}"), "{\"1\": [0]}" + std::string(1, '\0') + "x"}) {
    folder.write("groups.json", text);
    CHECK_THROWS_WITH(read_groups(folder / "groups.json"), Contains("E-ETR-005"));
  }
  folder.write("groups.json", groups_json({{"1", {0, 2}}}));
  CHECK(read_groups(folder / "groups.json") == Groups{{"1", {0, 2}}});
  const auto refused = [&](const char* text, const char* what) {
    folder.write("groups.json", text);
    CHECK_THROWS_WITH(read_groups(folder / "groups.json"),
                      Contains("groups.json: error[E-ETR-005]") && Contains(what));
  };
  refused(R"({"a": [4294967296, 4294967297]})", "group 'a': 4294967296 is no rank, which is below 2^32");
  refused(R"({"a": [0], "a": [0, 1]})", R"(the key "a" is repeated)");
  refused(R"({"a": [1, 0, 1]})", "group 'a': rank 1 is given twice");
}
