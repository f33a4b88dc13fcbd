// SPDX-License-Identifier: Apache-2.0
// The report of links: loads, flows, credits, windows, traffic between chips, faults of links and chips.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/base/error.h"
#include "model/base/stats.h"
#include "model/system/statistics/books.h"
#include "model/system/statistics/statistics.h"
#include "report/links/link_json.h"
#include "report/links/link_summary.h"
#include "report/links/link_tables.h"
#include "report/links/link_text.h"
#include "report/summary/summary_json.h"
#include "report/summary/summary_text.h"
#include "report/text/saturation.h"
#include "tests/support/lines_of.h"
#include "tests/support/program/fake_run.h"

using namespace tahoma;
using namespace tahoma::tests;
using nlohmann::json;

namespace {

model::MachineParams machine_of_eight() {
  model::MachineParams machine = fake_machine();
  machine.torus = {2, 2, 2};
  return machine;
}

// Two links; three pairs of chips share the first, 61 : 20 : 19. 100 us.
base::RunMeasurement shared_run() {
  base::RunMeasurement run = fake_run();
  run.links = {fake_link("server0.chip00.link.xp", 'x', {9.5_us, 10_us, 10_us, 10_us, 10_us, 8_us}),
               fake_link("server1.chip03.link.zp", 'z', {1_us})};
  base::LinkMeasurement& busy = run.links[0];
  busy.payload_bytes = 1'000'000;
  busy.packets = 250;
  busy.blocked = 12.5_us;
  busy.queue_high_water = 16;
  busy.flows = {{0, 1, 200'000}, {0, 3, 610'000}, {2, 5, 190'000}};
  run.links[1].flows = {{7, 3, 40960}};
  run.traffic = {{0, 1, 50, 200'000}, {0, 3, 150, 610'000}, {2, 5, 50, 190'000}, {7, 3, 10, 40'960}};
  return run;
}

runtime::LinkSummary shared_links() { return runtime::summarise_links(machine_of_eight(), shared_run()); }

std::string line_with(const std::string& text, const std::string& part) {
  for (const std::string& line : tests::lines_of(text))
    if (line.find(part) != std::string::npos) return line;
  return "";
}

}  // namespace

TEST_CASE("link report: a load has bytes, rate, blocked share and flows, largest first", "[report]") {
  const runtime::LinkSummary links = shared_links();
  REQUIRE(links.busiest.size() == 2);
  const runtime::LinkLoad& load = links.busiest.front();
  CHECK(load.name == "server0.chip00.link.xp");
  CHECK(load.busy_percent == Approx(57.5));
  CHECK(load.goodput == Approx(1e10));  // 1 MB in 100 us
  CHECK(load.blocked_percent == Approx(12.5));
  CHECK(load.queue_high_water == 16);
  REQUIRE(load.flows.size() == 3);
  CHECK(load.flows[0].percent == Approx(61));
  CHECK(load.flows[0].to_chip == 3);
  CHECK(load.flows[1].percent == Approx(20));
  CHECK(load.flows[2].percent == Approx(19));
  REQUIRE(links.saturated.size() == 1);
  CHECK(links.saturated.front().flows.size() == 3);
  CHECK(links.axes.front().mean_blocked_percent == Approx(12.5));
}

TEST_CASE("link report: traffic is the data between pairs of chips", "[report]") {
  const runtime::LinkSummary links = shared_links();
  REQUIRE(links.traffic.has_value());
  CHECK(links.traffic->pairs == 4);
  CHECK(links.traffic->packets == 260);
  CHECK(links.traffic->bytes == 1'040'960);
  CHECK(links.traffic->mean_bytes({}) == Approx(1'040'960 / 4.0));
  CHECK(links.traffic->largest.from_chip == 0);
  CHECK(links.traffic->largest.to_chip == 3);
  REQUIRE(links.traffic->matrix.size() == 8);
  std::uint64_t sum = 0;
  for (const auto& row : links.traffic->matrix)
    for (const std::uint64_t bytes : row) sum += bytes;
  CHECK(sum == links.traffic->bytes);
  CHECK(links.traffic->matrix[2][5] == 190'000);
  CHECK_FALSE(runtime::summarise_links(machine_of_eight(), fake_run()).traffic.has_value());
}

TEST_CASE("link report: the matrix stays in its file on more than 64 chips", "[report]") {
  model::MachineParams machine = fake_machine();
  machine.torus = {5, 5, 5};
  const runtime::LinkSummary links = runtime::summarise_links(machine, shared_run());
  CHECK(links.traffic->matrix.empty());
  CHECK(runtime::links_json(links)["traffic"]["matrix"].is_null());
  CHECK(tests::lines_of(runtime::traffic_csv(machine, shared_run())).size() == 126);
}

TEST_CASE("summary.json: links have all flows of the busiest and the largest of the saturated", "[report]") {
  base::RunMeasurement run = shared_run();
  run.links[0].payload_bytes = 6 * 100;
  run.links[0].flows.clear();
  for (std::uint32_t chip = 1; chip < 7; ++chip) run.links[0].flows.push_back({0, chip, 100});
  const json links =
      json::parse(runtime::summary_json(runtime::summarise(fake_facts(), machine_of_eight(), run)))["links"];
  CHECK(links["busiest"][0]["flows"].size() == 6);
  CHECK(links["busiest"][0]["flows"][0] == json({{"from", "server0.chip00"},
                                                 {"to", "server0.chip01"},
                                                 {"payload_bytes", 100},
                                                 {"percent", 100 / 6.0}}));
  CHECK(links["busiest"][0]["blocked_percent"] == 12.5);
  CHECK(links["busiest"][0]["queue_high_water"] == 16);
  CHECK(links["saturated"]["names"] == json({"server0.chip00.link.xp"}));
  CHECK(links["saturated"]["links"][0]["flows"].size() == 4);
  CHECK(links["saturated"]["links"][0]["more_flows"] == 2);
  CHECK(links["traffic"]["largest"]["to"] == "server0.chip03");
  CHECK(links["traffic"]["chips"].size() == 8);
  CHECK(links["traffic"]["matrix"][7][3] == 40'960);
}

TEST_CASE("summary.txt: the busiest link's largest flows are below it, as many as fit", "[report]") {
  const std::string text = runtime::link_text(shared_links());
  CHECK(
      line_with(text, "busiest") ==
      "  busiest       server0.chip00.link.xp        57.5 %         1 MB  blocked 12.5 %, at most 16 queued");
  // Chips of the sender's server are shown without the server's name.
  CHECK_THAT(line_with(text, "61.0 %"),
             Catch::EndsWith("server0.chip00 -> chip03 61.0 %, server0.chip00 -> chip01 20.0 %, 1 more"));
  CHECK(line_with(text, "traffic") ==
        "  traffic       1.041 MB over 4 pairs of chips; most 610 kB, server0.chip00 -> chip03");
  for (const std::string& line : tests::lines_of(text)) CHECK(line.size() <= 100);
}

TEST_CASE("report: faults of links and chips are shown as configured", "[report]") {
  model::MachineParams machine = machine_of_eight();
  machine.instances.links["server0.chip01.link.xp"].rate = 0.25;
  machine.instances.links["server0.chip02.link.yp"].dead = true;
  machine.instances.chips["server0.chip03"].slow = 2;
  machine.instances.chips["server1.chip00"].dead = true;
  const runtime::Summary summary = runtime::summarise(fake_facts(), machine, shared_run());
  const json page = json::parse(runtime::summary_json(summary));
  CHECK(page["links"]["faults"] ==
        json({{{"link", "server0.chip01.link.xp"}, {"rate", 0.25}, {"dead", false}},
              {{"link", "server0.chip02.link.yp"}, {"rate", 1.0}, {"dead", true}}}));
  CHECK(page["chip_faults"] == json({{{"chip", "server0.chip03"}, {"slow", 2.0}, {"dead", false}},
                                     {{"chip", "server1.chip00"}, {"slow", 1.0}, {"dead", true}}}));
  CHECK_THAT(runtime::summary_text(summary),
             Catch::Contains(
                 "\nfaults          server0.chip03 is 2 times slower, server1.chip00 is dead, 2 more\n"));
  machine.instances.chips.clear();
  CHECK_THAT(runtime::summary_text(runtime::summarise(fake_facts(), machine, shared_run())),
             Catch::Contains("\nfaults          server0.chip01.link.xp has 0.25 of its rate, "
                             "server0.chip02.link.yp is dead\n"));
}

TEST_CASE("links.csv: one line per direction with its traffic", "[report]") {
  const auto lines = tests::lines_of(runtime::links_csv(shared_run()));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] ==
        "name,from_chip,to_chip,axis,payload_bytes,wire_bytes,packets,goodput,busy_percent,blocked_ns,"
        "blocked_percent,queue_full_ns,queue_full_percent,queue_high_water,saturated_windows");
  CHECK(lines[1] == "server0.chip00.link.xp,0,1,x,1000000,41600,250,10000000000,57.5,12500,12.5,2000,2,16,5");
}

TEST_CASE("links_windows.csv: every window of every link with traffic", "[report]") {
  base::RunMeasurement run = shared_run();
  run.links.push_back(fake_link("server0.chip01.link.xp", 'x', {}));
  run.elapsed = 95_us;
  const auto lines = tests::lines_of(runtime::links_windows_csv(run));
  REQUIRE(lines.size() == 1 + 2 * 10);
  CHECK(lines[0] == "name,window_start_ns,window_ns,busy_percent");
  CHECK(lines[1] == "server0.chip00.link.xp,0,10000,95");
  CHECK(lines[2] == "server0.chip00.link.xp,10000,10000,100");
  CHECK(lines[7] == "server0.chip00.link.xp,60000,10000,0");
  CHECK(lines[10] == "server0.chip00.link.xp,90000,5000,0");
  CHECK(lines[11] == "server1.chip03.link.zp,0,10000,10");
}

TEST_CASE("windows: their busy times add up to the link's, at the window of the run", "[report]") {
  // 5,120 us: windows of 20 us, whatever the window at which the link became idle.
  const auto shares = runtime::windows_of({10_us, {10_us, 0_us, 10_us, 9_us, 5_us}}, 5120_us);
  REQUIRE(shares.size() == 256);
  double busy = 0;
  for (const auto& w : shares) busy += w.busy_percent / 100 * w.length.ns();
  CHECK(busy == Approx(34'000));
  CHECK(shares[0].busy_percent == Approx(50));
  CHECK(shares[1].start == 20_us);
  // A run shorter than a window is its own window.
  const auto brief = runtime::windows_of({10_us, {4_us}}, 5_us);
  REQUIRE(brief.size() == 1);
  CHECK(brief[0].busy_percent == Approx(80));
  CHECK(runtime::windows_of({}, 5_us).empty());
}

TEST_CASE("traffic.csv: the whole matrix with a header row and column", "[report]") {
  model::MachineParams machine = fake_machine();
  machine.torus = {2, 1, 2};
  base::RunMeasurement run = fake_run();
  run.traffic = {{0, 3, 2, 8192}, {3, 1, 1, 100}};
  CHECK(runtime::traffic_csv(machine, run) ==
        "from,server0.chip00,server0.chip01,server1.chip00,server1.chip01\n"
        "server0.chip00,0,0,0,8192\nserver0.chip01,0,0,0,0\nserver1.chip00,0,0,0,0\n"
        "server1.chip01,0,100,0,0\n");
  run.traffic.push_back({4, 0, 1, 1});
  CHECK_THROWS_AS(runtime::traffic_csv(machine, run), base::InvariantError);
}

TEST_CASE("statistics: a link has its traffic, its rate and its blocked time", "[report]") {
  base::StatSink sink;
  model::list_statistics(shared_run(), sink);
  const auto value = [&](const std::string& path) {
    for (const base::Stat& stat : sink.stats())
      if (stat.path == path) return std::visit([](auto v) { return static_cast<double>(v); }, stat.value);
    return -1.0;
  };
  CHECK(value("server0.chip00.link.xp.blocked") == 12'500);
  CHECK(value("server0.chip00.link.xp.goodput") == Approx(1e10));
  CHECK(value("server0.chip00.link.xp.flows") == 3);
  CHECK(value("traffic.pairs") == 4);
  CHECK(value("traffic.payload_bytes") == 1'040'960);
}

TEST_CASE("books: without a packet on a link nothing waits for NeuronLink", "[report]") {
  auto run = fake_run();
  const auto move_wait = [&] {
    auto& time = run.engines[0].time;
    std::swap(time[static_cast<std::size_t>(base::StallReason::kWaitDma)],
              time[static_cast<std::size_t>(base::StallReason::kWaitLink)]);
  };
  for (auto& link : run.links) link.packets = 0;
  CHECK_NOTHROW(model::check_books(run, fake_machine()));
  move_wait();
  CHECK_THROWS_AS(model::check_books(run, fake_machine()), base::InvariantError);
  run.links[0].packets = 1;
  CHECK_NOTHROW(model::check_books(run, fake_machine()));
}

TEST_CASE("books: a link's flows are its payload, and it is not blocked while busy", "[report]") {
  const auto summarised = [](const base::RunMeasurement& run) {
    return runtime::summarise(fake_facts(), machine_of_eight(), run);
  };
  CHECK_NOTHROW(summarised(shared_run()));
  base::RunMeasurement lost = shared_run();
  lost.links[0].flows[0].payload_bytes -= 1;
  CHECK_THROWS_AS(summarised(lost), base::InvariantError);
  base::RunMeasurement twice = shared_run();
  twice.links[0].blocked = twice.elapsed - twice.links[0].busy + 1_ns;
  CHECK_THROWS_AS(summarised(twice), base::InvariantError);
}
