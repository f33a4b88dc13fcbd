// SPDX-License-Identifier: Apache-2.0
// Definitions and presentation of a collective's sizes, bandwidths and parts of its time.
#include "report/files/collective_report.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "model/base/error.h"
#include "report/summary/summary_json.h"
#include "report/summary/summary_text.h"
#include "runtime/collective/result/collective_result.h"
#include "tests/support/lines_of.h"
#include "tests/support/program/fake_run.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::Duration;
using nlohmann::json;
using runtime::RankTimes, runtime::split_time, runtime::TimeSplit;

namespace {

runtime::CollectiveResult all_reduce(std::uint64_t bytes, Duration time, std::size_t ranks = 4) {
  runtime::CollectiveResult c;
  c.name = "all_reduce";
  c.operation = "all_reduce";
  c.combiner = "sum";
  c.algorithm = "hierarchical";
  c.why = "the fastest of five by the model's estimates";
  c.group = "64 chips, one rank a chip";
  c.bytes = bytes;
  const auto n = static_cast<double>(ranks);
  c.bus_factor = 2 * (n - 1) / n;
  c.ranks.assign(ranks, {5_us, 5_us + time});
  c.split = split_time(c.ranks, {6, 1_us, {time.fs / 2}, 100_ns});
  c.correct = true;
  return c;
}

std::vector<RankTimes> together(std::size_t ranks, Duration time) {
  return std::vector<RankTimes>(ranks, {1_us, 1_us + time});
}

bool none_negative(const TimeSplit& s) {
  for (const Duration part : {s.latency, s.serialisation, s.contention, s.reduction, s.waiting})
    if (part.fs < 0) return false;
  return true;
}

}  // namespace

TEST_CASE("collective split: parts that fit are unchanged, the rest is contention", "[report]") {
  const TimeSplit s = split_time(together(8, 100_us), {14, 2_us, 40_us, 20_us});
  CHECK(s.waiting == 0_us);
  CHECK(s.serialisation == 40_us);
  CHECK(s.latency == 28_us);
  CHECK(s.reduction == 20_us);
  CHECK(s.contention == 12_us);
  CHECK(s.total() == 100_us);
}

TEST_CASE("collective split: time that an earlier part hides is not counted again", "[report]") {
  const TimeSplit bytes = split_time(together(2, 100_us), {1000, 2_us, 90_us, 20_us});
  CHECK(bytes.serialisation == 90_us);
  CHECK(bytes.latency == 10_us);
  CHECK(bytes.reduction == 0_us);
  CHECK(bytes.contention == 0_us);
  const TimeSplit rounds = split_time(together(2, 100_us), {~std::uint64_t{0}, 2_us, 200_us, 20_us});
  CHECK(rounds.serialisation == 100_us);
  CHECK(rounds.latency == 0_us);
}

TEST_CASE("collective split: without a reduction none is named", "[report]") {
  const TimeSplit s = split_time(together(8, 100_us), {1, 1_us, 10_us, 0_us});
  CHECK(s.reduction == 0_us);
  CHECK(s.contention == 89_us);
}

TEST_CASE("collective split: a rank of n that is late by d makes the others wait d (n-1)/n on average",
          "[report]") {
  for (const std::int64_t n : {2, 3, 8, 64}) {
    std::vector<RankTimes> ends = together(static_cast<std::size_t>(n), 100_us);
    ends.back().end += 30_us;
    const Duration expected{(30_us).fs * (n - 1) / n};
    CHECK(split_time(ends, {1, 1_us, 10_us, 0_us}).waiting == expected);
    std::vector<RankTimes> starts = together(static_cast<std::size_t>(n), 100_us);
    starts.front().start += 30_us;
    CHECK(split_time(starts, {1, 1_us, 10_us, 0_us}).waiting == expected);
    CHECK(runtime::time_of(starts) == 100_us);
    CHECK(runtime::time_of(ends) == 130_us);
  }
}

TEST_CASE("collective split: the parts add up and none is negative for any times", "[report]") {
  std::mt19937_64 random(6);
  const auto up_to = [&](Duration most) {
    return Duration{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most.fs + 1))};
  };
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<RankTimes> ranks(1 + random() % 70);
    for (RankTimes& rank : ranks) {
      rank.start = up_to(50_us);
      rank.end = rank.start + up_to(100_us);
    }
    const TimeSplit s = split_time(ranks, {random() % 200, up_to(2_us), up_to(120_us), up_to(50_us)});
    CHECK(s.total() == runtime::time_of(ranks));
    CHECK(none_negative(s));
  }
  CHECK_THROWS_AS(split_time({}, {}), base::InvariantError);
  CHECK_THROWS_AS(split_time({{2_us, 1_us}}, {}), base::InvariantError);
  CHECK_THROWS_AS(split_time({{1_us, 2_us}}, {1, 0_us, Duration{-1}, 0_us}), base::InvariantError);
}

// A ring that keeps one link of each rank busy all the time sends S / n over it in each of its rounds: 2 (n -
// 1) for an all_reduce, n - 1 for an all_gather. Bus bandwidth is the rate of that link.
TEST_CASE("collective bandwidth: a perfect ring's bus bandwidth is the rate of its links", "[report]") {
  const double rate = 128e9;
  for (const std::size_t n : {2UL, 4UL, 64UL}) {
    const std::uint64_t bytes = 1 << 26;
    const double round = static_cast<double>(bytes) / static_cast<double>(n) / rate;
    for (const double rounds : {2.0 * static_cast<double>(n - 1), static_cast<double>(n - 1)}) {
      runtime::CollectiveResult c = all_reduce(bytes, {static_cast<std::int64_t>(rounds * round * 1e15)}, n);
      c.bus_factor = rounds / static_cast<double>(n);  // 2 (n - 1) / n and (n - 1) / n
      CHECK(c.bus_bandwidth() == Approx(rate).epsilon(1e-6));
      CHECK(c.algorithm_bandwidth() == Approx(static_cast<double>(bytes) / c.time().seconds()));
    }
  }
}

TEST_CASE("collective bandwidth: a collective of zero time has none", "[report]") {
  const runtime::CollectiveResult c = all_reduce(0, 0_us);
  CHECK(c.algorithm_bandwidth() == 0);
  CHECK(c.bus_bandwidth() == 0);
}

TEST_CASE("collectives in summary.txt: a row each as nccom-test has them, and where the time went",
          "[report]") {
  runtime::CollectiveResult small = all_reduce(1024, 12.5_us);
  small.algorithm = "mesh";
  small.why = "below 1 MB";
  small.correct.reset();
  small.estimate = 10_us;
  runtime::CollectiveResult wrong = all_reduce(2048, 12.5_us);
  wrong.correct = false;
  const auto lines = tests::lines_of(runtime::collectives_text({small, all_reduce(1 << 30, 4000_us), wrong}));
  REQUIRE(lines.size() == 1 + 1 + 4 + 1 + 4 + 2);
  CHECK(lines[1] == "collectives     64 chips, one rank a chip");
  CHECK(lines[2] ==
        "      size(B)       count  type op               algorithm         time(us)    algbw    busbw  ok");
  CHECK(lines[3] ==
        "         1024         512  bf16 all_reduce sum   mesh                 12.50     0.08     0.12   -");
  CHECK(lines[4] ==
        "   1073741824   536870912  bf16 all_reduce sum   hierarchical       4000.00   268.44   402.65 yes");
  CHECK_THAT(lines[5], Catch::EndsWith(" NO"));
  // 12.5 us consist of 6.25 on the link, 6 rounds of 1 us, 0.1 us of reading, and 0.15 left over.
  CHECK(lines[7].ends_with("waiting      estimate"));
  CHECK(lines[8] ==
        "         1024          48.0          50.0           1.2           0.8           0.0          80.0");
  CHECK(lines[11] == "  algorithms    mesh: below 1 MB");
  CHECK(lines[12] == "                hierarchical: the fastest of five by the model's estimates");
  for (const std::string& line : lines) CHECK(line.size() <= 100);
  CHECK(runtime::collectives_text({}).empty());
}

TEST_CASE("collectives in summary.json: sizes, rates, verdict and the parts of the time", "[report]") {
  auto facts = fake_facts();
  facts.collectives = {all_reduce(1 << 20, 100_us)};
  facts.collectives[0].ranks[2].end += 1_us;
  facts.collectives[0].estimate = 90_us;
  facts.collectives[0].split = split_time(facts.collectives[0].ranks, {6, 1_us, 50_us, 0_us});
  const runtime::Summary summary = runtime::summarise(facts, fake_machine(), fake_run());
  const json c = json::parse(runtime::summary_json(summary))["collectives"][0];
  CHECK(c["bytes"] == 1 << 20);
  CHECK(c["count"] == 1 << 19);
  CHECK(c["dtype"] == "bf16");
  CHECK(c["ranks"] == 4);
  CHECK(c["time_ns"] == 101'000.0);
  CHECK(c["start_ns"] == 5'000.0);
  CHECK(c["estimate_ns"] == 90'000.0);
  CHECK(c["slowest_rank"] == 2);
  CHECK(c["algorithm_bandwidth"].get<double>() == Approx((1 << 20) / 101e-6));
  CHECK(c["bus_bandwidth"].get<double>() == Approx(1.5 * (1 << 20) / 101e-6));
  CHECK(c["correct"] == true);
  CHECK(c["time_split_ns"]["waiting"] == 750.0);
  CHECK(c["time_split_ns"]["serialisation"] == 50'000.0);
  CHECK(c["why"] == "the fastest of five by the model's estimates");
  CHECK(json::parse(runtime::summary_json(
            runtime::summarise(fake_facts(), fake_machine(), fake_run())))["collectives"] == json::array());
}

TEST_CASE("collectives.csv: one line each, with every part of the time", "[report]") {
  runtime::CollectiveResult one = all_reduce(1 << 20, 100_us);
  one.estimate = 90_us;
  const auto lines = tests::lines_of(runtime::collectives_csv({one}));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] ==
        "name,operation,combiner,algorithm,group,ranks,dtype,bytes,count,start_ns,time_ns,estimate_ns,"
        "algorithm_bandwidth,bus_bandwidth,correct,slowest_rank,latency_ns,serialisation_ns,contention_ns,"
        "reduction_ns,waiting_ns,"
        "why");
  CHECK(lines[1] ==
        "all_reduce,all_reduce,sum,hierarchical,\"64 chips, one rank a "
        "chip\",4,bf16,1048576,524288,5000,100000,90000,"
        "10485760000,15728640000,1,0,6000,50000,43900,100,0,the fastest of five by the model's estimates");
}

TEST_CASE("report: a collective whose parts do not add up is an invariant", "[report]") {
  auto facts = fake_facts();
  facts.collectives = {all_reduce(1 << 20, 100_us)};
  facts.collectives[0].split.latency += Duration{1};
  CHECK_THROWS_AS(runtime::summarise(facts, fake_machine(), fake_run()), base::InvariantError);
}
