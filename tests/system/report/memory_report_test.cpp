// SPDX-License-Identifier: Apache-2.0
// The report of HBM: rows, pins, queues, latencies, users, faults.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/base/error.h"
#include "model/base/statistics_walk.h"
#include "model/base/stats.h"
#include "report/files/statistics_tables.h"
#include "report/memory/channel_table.h"
#include "report/memory/memory_json.h"
#include "report/memory/memory_summary.h"
#include "report/summary/summary_json.h"
#include "report/summary/summary_text.h"
#include "tests/support/lines_of.h"
#include "tests/support/program/fake_run.h"

using namespace tahoma;
using namespace tahoma::tests;
using nlohmann::json;
using runtime::HbmSummary;

namespace {

HbmSummary dram_summary() { return runtime::summarise_hbm(fake_machine(), fake_dram_run()); }

std::string text_of(const base::RunMeasurement& run, const model::MachineParams& machine = fake_machine()) {
  return runtime::summary_text(runtime::summarise(fake_facts(), machine, run));
}

}  // namespace

TEST_CASE("memory report: rows are shares of the accesses of all working channels", "[report][hbm]") {
  const HbmSummary hbm = dram_summary();
  REQUIRE(hbm.dram.has_value());
  CHECK(hbm.dram->channels == 2);
  CHECK(hbm.dram->failed_channels == 1);
  // 50 + 150 hits, 30 + 30 misses, 20 + 20 conflicts.
  CHECK(hbm.dram->rows.accesses == 300);
  CHECK(hbm.dram->rows.hit_percent == Approx(100 * 200 / 300.0));
  CHECK(hbm.dram->rows.miss_percent == Approx(20));
  CHECK(hbm.dram->rows.conflict_percent == Approx(100 * 40 / 300.0));
}

TEST_CASE("memory report: the shares of pin time add up to 100", "[report][hbm]") {
  const runtime::PinShares pins = dram_summary().dram->pins;
  CHECK(pins.data_percent == Approx(50));
  CHECK(pins.refresh_percent == Approx(10));
  CHECK(pins.turnaround_percent == Approx(10));
  CHECK(pins.bank_percent == Approx(5));
  CHECK(pins.data_percent + pins.refresh_percent + pins.turnaround_percent + pins.bank_percent +
            pins.idle_percent ==
        Approx(100));
}

TEST_CASE("memory report: queues are averaged over channels, their maximum is the largest of any channel",
          "[report][hbm]") {
  const HbmSummary hbm = dram_summary();
  CHECK(hbm.dram->reads.mean == Approx(15));
  CHECK(hbm.dram->reads.most == 128);
  CHECK(hbm.dram->writes.mean == Approx(2.5));
  CHECK(hbm.dram->writes.most == 60);
}

TEST_CASE("memory report: the mean latency is over all requests, a percentile of the slowest stack",
          "[report][hbm]") {
  auto run = fake_dram_run();
  run.hbm[1] = run.hbm[0];
  run.hbm[1].path = "server0.chip00.hbm1";
  run.hbm[1].reads = {3000, 50_ns, 40_ns, 60_ns, 1000_ns, 2000_ns};
  run.hbm[1].writes = {};
  const HbmSummary hbm = runtime::summarise_hbm(fake_machine(), run);
  CHECK(hbm.reads.count == 4000);
  CHECK(hbm.reads.mean_ns == Approx((1000 * 250 + 3000 * 50) / 4000.0));
  CHECK(hbm.reads.p50_ns == Approx(200));
  CHECK(hbm.reads.p90_ns == Approx(400));
  CHECK(hbm.reads.p99_ns == Approx(1000));
  CHECK(hbm.reads.longest_ns == Approx(2000));
  CHECK(hbm.writes.count == 100);
  CHECK(hbm.writes.mean_ns == Approx(50));
}

TEST_CASE("memory report: each stack names the cores that used it most", "[report][hbm]") {
  const HbmSummary hbm = dram_summary();
  CHECK(hbm.shared_stacks == 1);
  REQUIRE(hbm.busiest.size() == 1);
  const runtime::StackLoad& stack = hbm.busiest.front();
  CHECK(stack.cores == 2);
  CHECK(stack.most_used.size() == 2);
  CHECK(stack.achieved_percent == Approx(100 * 1e6 / (725e9 * 100e-6)));
  auto run = fake_dram_run();
  run.hbm[0].users.clear();
  for (std::uint32_t core = 0; core < 100; ++core) run.hbm[0].users.push_back({core, core * 100, 0});
  const auto many = runtime::summarise_hbm(fake_machine(), run).busiest.front();
  CHECK(many.cores == 100);
  REQUIRE(many.most_used.size() == runtime::kMostUsers);
  CHECK(many.most_used.front().core == 99);
}

TEST_CASE("memory report: the summary has the busiest of many stacks, the tables have all", "[report][hbm]") {
  auto run = fake_dram_run();
  const base::HbmMeasurement one = run.hbm[0];
  run.hbm.clear();
  for (int n = 0; n < 256; ++n) {
    run.hbm.push_back(one);
    run.hbm.back().path = "stack" + std::to_string(n);
    run.hbm.back().busy = base::Duration{n * 1'000'000};
  }
  const HbmSummary hbm = runtime::summarise_hbm(fake_machine(), run);
  CHECK(hbm.stacks_used == 256);
  REQUIRE(hbm.busiest.size() == runtime::kBusiestStacks);
  CHECK(hbm.busiest.front().name == "stack255");
  CHECK(hbm.busiest_stack == "stack255");
  CHECK(hbm.first_events.size() == runtime::kFirstEvents);
  CHECK(hbm.events == 512);
  CHECK(hbm.corrected_errors == 512);
  CHECK(tests::lines_of(runtime::hbm_csv(run)).size() == 1 + 256 * 3);
}

TEST_CASE("memory report: flat stacks have no rows, pins and queues", "[report][hbm]") {
  const HbmSummary flat = runtime::summarise_hbm(fake_machine(), fake_run());
  CHECK_FALSE(flat.dram.has_value());
  const json object = runtime::hbm_json(flat, fake_run().elapsed);
  for (const char* const key : {"rows", "pins", "queues", "channels"}) CHECK(object[key].is_null());
  CHECK(object["latency"]["reads"].is_null());
  CHECK(object["events"]["count"] == 0);
  CHECK_THAT(text_of(fake_run()), !Catch::Contains("rows  ") && !Catch::Contains("latency  "));
  CHECK(tests::lines_of(runtime::hbm_csv(fake_run())).size() == 1);
}

TEST_CASE("summary.json: memory has its achieved rate and its losses", "[report][hbm]") {
  const json hbm = json::parse(
      runtime::summary_json(runtime::summarise(fake_facts(), fake_machine(), fake_dram_run())))["hbm"];
  CHECK(hbm["rows"]["accesses"] == 300);
  CHECK(hbm["rows"]["miss_percent"] == 20.0);
  CHECK(hbm["pins"]["data_percent"] == 50.0);
  CHECK(hbm["queues"]["reads"]["most"] == 128);
  CHECK(hbm["channels"] == json({{"working", 2}, {"failed", 1}}));
  CHECK(hbm["latency"]["reads"]["p99_ns"] == 800.0);
  CHECK(hbm["latency"]["writes"]["mean_ns"] == 50.0);
  CHECK(hbm["busiest_stacks"][0]["most_used"][0] ==
        json({{"core", 0}, {"read_bytes", 400'000}, {"write_bytes", 100'000}}));
  CHECK(hbm["corrected_errors"] == 2);
  CHECK(hbm["events"]["count"] == 2);
  CHECK(hbm["events"]["first"][0] == json({{"time_ns", 30'000.0},
                                           {"stack", "server0.chip00.hbm0"},
                                           {"what", "corrected error: channel 0"}}));
  CHECK(hbm["faults"] == json::array());
}

TEST_CASE("summary.txt: memory has its achieved rate and its losses", "[report][hbm]") {
  const std::string text = text_of(fake_dram_run());
  CHECK_THAT(text,
             Catch::Contains("  rows          hit 66.7 %, miss 20.0 %, conflict 13.3 % of 300 accesses"));
  CHECK_THAT(text,
             Catch::Contains("  pins          data 50.0 %; lost to refresh 10.0 %, turnaround 10.0 %, banks "
                             "5.0 %; idle 25.0 %"));
  CHECK_THAT(text, Catch::Contains(
                       "  queues        15.0 reads, 2.5 writes in a channel on average; at most 128 and 60"));
  CHECK_THAT(text, Catch::Contains(
                       "  latency       reads p50 200 ns, p99 800 ns; writes p50 40 ns, p99 70 ns (slowest "
                       "stack)"));
  CHECK_THAT(text,
             Catch::Contains(
                 "  events        2; first in server0.chip00.hbm0 at 30 us: corrected error: channel 0"));
}

TEST_CASE("summary: both forms have the configured faults", "[report][hbm]") {
  model::MachineParams machine = fake_machine();
  for (const char* const name : {"server0.chip00.hbm0", "server0.chip00.hbm1", "server0.chip00.hbm2"})
    machine.instances.stacks[name] = {0.5, "7, 3", 0};
  machine.instances.stacks["server0.chip00.hbm1"] = {1, "2", 0.001};
  CHECK_THAT(
      text_of(fake_run(), machine),
      Catch::Contains("  faults        server0.chip00.hbm0: 0.5 of its rate; channels 3, 7 failed\n") &&
          Catch::Contains("                server0.chip00.hbm1: channel 2 failed; correctable errors at "
                          "0.001 an access\n                and those of 1 other stacks\n"));
  const json hbm = runtime::hbm_json(runtime::summarise_hbm(machine, fake_run()), fake_run().elapsed);
  REQUIRE(hbm["faults"].size() == 3);
  CHECK(hbm["faults"][0] == json({{"stack", "server0.chip00.hbm0"},
                                  {"rate", 0.5},
                                  {"failed_channels", {3, 7}},
                                  {"correctable_errors", 0.0}}));
}

TEST_CASE("hbm.csv: one line per channel, its times in percent of the run", "[report][hbm]") {
  const auto lines = tests::lines_of(runtime::hbm_csv(fake_dram_run()));
  REQUIRE(lines.size() == 4);
  CHECK(
      lines[0] ==
      "name,stack,failed,read_bytes,write_bytes,achieved_percent,row_hits,row_misses,row_conflicts,activates,"
      "precharges,refreshes,data_percent,refresh_percent,turnaround_percent,bank_percent,idle_percent,"
      "mean_reads_queued,most_reads_queued,mean_writes_queued,most_writes_queued,corrected_errors");
  // 500 kB in 100 us of 50 GB/s.
  CHECK(lines[1] ==
        "server0.chip00.hbm0.channel00,server0.chip00.hbm0,0,450000,50000,10,50,30,20,50,45,3,50,10,10,5,25,"
        "12.5,100,2.5,60,1");
  CHECK(lines[3] ==
        "server0.chip00.hbm0.channel02,server0.chip00.hbm0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0");
}

TEST_CASE("books: pins' times that do not add up are an invariant, and so are users' bytes",
          "[report][hbm]") {
  auto run = fake_dram_run();
  run.hbm[0].channels[1].idle += base::Duration{1};
  CHECK_THROWS_AS(text_of(run), base::InvariantError);
  run = fake_dram_run();
  run.hbm[0].channels[0].idle -= 50_us;
  run.hbm[0].channels[0].data += 50_us;
  CHECK_THROWS_AS(text_of(run), base::InvariantError);  // negative idle time
  run = fake_dram_run();
  run.hbm[0].users[0].read_bytes += 1;
  CHECK_THROWS_WITH(text_of(run), Catch::Contains("its users moved"));
}

TEST_CASE("statistics: a stack lists its bytes, latencies, users and channels", "[report][hbm]") {
  base::StatSink sink;
  const base::RunMeasurement run = fake_dram_run();
  base::Lister(sink, run.elapsed).list(run.hbm[0], run.hbm[0].path);
  std::map<std::string, double> values;
  for (const base::Stat& stat : sink.stats()) {
    CHECK(std::string(stat.doc) != "");
    const bool fresh =
        values.emplace(stat.path, std::visit([](auto v) { return static_cast<double>(v); }, stat.value))
            .second;
    CHECK(fresh);
  }
  const std::string stack = "server0.chip00.hbm0.";
  CHECK(values.at(stack + "read_bytes") == 900'000);
  CHECK(values.at(stack + "achieved") == Approx(1e6 / (725e9 * 100e-6)));
  CHECK(values.at(stack + "reads.p99") == 800);
  CHECK(values.at(stack + "writes.count") == 100);
  CHECK(values.at(stack + "users.core1.read_bytes") == 500'000);
  CHECK(values.at(stack + "events") == 2);
  CHECK(values.at(stack + "channel01.row_hits") == 150);
  CHECK(values.at(stack + "channel00.achieved") == Approx(0.1));
  CHECK(values.at(stack + "channel00.lost_refresh") == 10'000);
  CHECK(values.at(stack + "channel00.mean_reads_queued") == 12.5);
}
