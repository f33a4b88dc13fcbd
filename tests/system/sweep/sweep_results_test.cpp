// SPDX-License-Identifier: Apache-2.0
// Tests what a sweep makes of its points: fronts, tables, the index page, and the effects of its axes.
#include <catch2/catch.hpp>
#include <filesystem>

#include "runtime/run/placement.h"
#include "studies/batch/atomic_files.h"
#include "studies/sweep/results/axis_effects.h"
#include "studies/sweep/results/failure_reasons.h"
#include "studies/sweep/results/objective.h"
#include "studies/sweep/results/pareto.h"
#include "studies/sweep/results/point_table.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/page_data.h"
#include "tests/support/program/sweep_files.h"
#include "tests/support/subprocess.h"

namespace {

using namespace tahoma;
using runtime::Store, tests::SweepFiles;
namespace fs = std::filesystem;

std::string sweep_file(const SweepFiles& files, const std::string& keys) {
  return files.write("  workloads: gemm.yaml\n" + keys);
}

Store::Row row(std::uint64_t number, double time, double price, const std::string& status = "done") {
  Store::Row r;
  r.number = number;
  r.workload = "gemm.yaml";
  r.status = status;
  r.parameters = {{"machine.chip.hbm.stacks", std::to_string(number), static_cast<double>(number)}};
  r.metrics = {{"time", time}, {"price", price}};
  return r;
}

std::vector<std::uint64_t> numbers(const std::vector<runtime::ParetoPoint>& front) {
  std::vector<std::uint64_t> all;
  for (const auto& point : front) all.push_back(point.row->number);
  return all;
}

}  // namespace

TEST_CASE("sweep front: the points that none beats in everything, equal ones together", "[sweep]") {
  const std::vector<Store::Row> rows{row(0, 5, 1), row(1, 4, 2), row(2, 4, 3),
                                     row(3, 1, 9), row(4, 4, 2), row(5, 0, 0, "failed")};
  const auto front = [&](const std::string& objectives) {
    return numbers(runtime::pareto_front(rows, runtime::objectives_of(objectives, "--pareto")));
  };
  CHECK(front("time, price") == std::vector<std::uint64_t>{3, 1, 4, 0});
  CHECK(front("-time") == std::vector<std::uint64_t>{0});
  CHECK(front("time + machine.chip.hbm.stacks * 100") == std::vector<std::uint64_t>{0});
  CHECK_THROWS_WITH(front("tine"), Catch::Contains("E-SWP-021") && Catch::Contains("'time'"));
}

TEST_CASE("sweep front: max: and min: give the direction, and each equals the front of the negated metric",
          "[sweep]") {
  const std::vector<Store::Row> rows{row(0, 5, 1), row(1, 4, 2), row(2, 4, 3), row(3, 1, 9), row(4, 6, 2)};
  const auto front = [&](const std::string& objectives) {
    return numbers(runtime::pareto_front(rows, runtime::objectives_of(objectives, "--pareto")));
  };
  CHECK(front("max:time, price") == front("-time, price"));
  CHECK(front("max: time, max:price") == front("-time, -price"));
  CHECK(front("min:time, min:price") == front("time, price"));
  CHECK(front("max:time") == std::vector<std::uint64_t>{4});
  CHECK(front("max:max(time, price)") == front("-max(time, price)"));
  CHECK_THROWS_WITH(runtime::objectives_of("mac:time", "--pareto"),
                    Catch::Contains("--pareto: error[E-SWP-026]") && Catch::Contains("did you mean 'max'"));
}

TEST_CASE("sweep front: values inside each other's band over start phases count as equal", "[sweep]") {
  const auto banded = [](std::uint64_t number, double time, double low, double high, double price) {
    Store::Row r = row(number, time, price);
    r.metrics = {{"simulated_time_ns", time},
                 {"band.low_ns", low},
                 {"band.high_ns", high},
                 {"price", price},
                 {"mfu_estimated_percent", 1000 / time}};
    return r;
  };
  const auto front = [&](const std::vector<Store::Row>& rows, const std::string& objectives) {
    return numbers(runtime::pareto_front(rows, runtime::objectives_of(objectives, "--pareto")));
  };
  // 102 is in the band of 100, so its lower price decides; 120 is slower than both.
  const std::vector<Store::Row> near{banded(0, 100, 98, 103, 3), banded(1, 102, 101, 104, 2),
                                     banded(2, 120, 119, 121, 2)};
  CHECK(front(near, "simulated_time_ns, price") == std::vector<std::uint64_t>{1});
  CHECK(front(near, "max:mfu_estimated_percent, price") == std::vector<std::uint64_t>{1});
  CHECK(front(near, "2 * simulated_time_ns, price") == std::vector<std::uint64_t>{1});
  CHECK(front(near, "simulated_time_ns") == std::vector<std::uint64_t>{0, 1});
  // Without bands both are on the front.
  std::vector<Store::Row> plain = near;
  for (Store::Row& r : plain) {
    r.metrics.erase("band.low_ns");
    r.metrics.erase("band.high_ns");
  }
  CHECK(front(plain, "simulated_time_ns, price") == std::vector<std::uint64_t>{0, 1});
  const runtime::BandedValue rate = runtime::banded_value_at(
      near[0], runtime::objectives_of("mfu_estimated_percent", "").front().expression);
  CHECK(rate.low == Approx(1000.0 / 103));
  CHECK(rate.high == Approx(1000.0 / 98));
}

TEST_CASE("sweep objectives: a metric has the direction that its statistic declares", "[sweep]") {
  const auto better = [](const std::string& metric) {
    return runtime::objectives_of(metric, "").front().better;
  };
  using base::Better;
  for (const char* metric :
       {"mfu_estimated_percent", "mbu_estimated_percent", "flops.achieved_tflops", "hbm.achieved_bandwidth",
        "hbm.rows.hit_percent", "tensor_engine_active_time_percent", "collectives.sum.bus_bandwidth"}) {
    INFO(metric);
    CHECK(better(metric) == Better::kMore);
  }
  for (const char* metric : {"simulated_time_ns", "instructions", "hbm_read_bytes",
                             "hbm.pins.refresh_percent", "engines.tensor.time_percent.wait_dma",
                             "links.busiest_link.blocked_percent", "collectives.sum.time_ns", "price"}) {
    INFO(metric);
    CHECK(better(metric) == Better::kLess);
  }
  CHECK(runtime::directions_text(runtime::objectives_of("simulated_time_ns, mfu_estimated_percent", "")) ==
        "lower simulated_time_ns and higher mfu_estimated_percent are better");
}

TEST_CASE("tahoma sweep: points.csv has the chosen metrics, those of the sweep and what --columns asks for",
          "[sweep]") {
  const SweepFiles files;
  const std::string sweep = sweep_file(
      files,
      "  mode: timing\n  axes:\n    - machine.chip.hbm.stacks: [2, 4]\n"
      "  metrics: {stacks: 'machine.chip.hbm.stacks', load: 'hbm_read_bytes / 1024', always: '7'}\n");
  const auto head = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words{"sweep", sweep, "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(tests::tahoma_in(files.folder().path(), words).status == 0);
    const std::string csv = runtime::text_of_file(files.folder().path() / out / "points.csv");
    return csv.substr(0, csv.find('\n'));
  };
  const std::string chosen =
      "number,id,workload,status,reason,machine.chip.hbm.stacks,busiest.resource,simulated_time_ns,"
      "mfu_estimated_percent,mbu_estimated_percent,stacks,load,hbm_read_bytes,always";
  CHECK(head("a", {}) == chosen);
  CHECK(head("b", {"--columns", "flops.*, seed"}) ==
        chosen + ",flops.achieved_tflops,flops.hardware,flops.peak_tflops,flops.useful,seed");
  CHECK(head("c", {"--pareto", "dma.bytes,simulated_time_ns"}) == chosen + ",dma.bytes");
  const std::string all = head("d", {"--columns", "all"});
  CHECK_THAT(all, Catch::StartsWith(chosen) && Catch::Contains(",hbm.stacks_used"));
  CHECK(std::count(all.begin(), all.end(), ',') > 100);
}

TEST_CASE(
    "tahoma sweep: index.html begins with the objectives of --pareto and keeps every metric of the sweep",
    "[sweep]") {
  const SweepFiles files;
  const std::string sweep = sweep_file(
      files,
      "  mode: timing\n  axes:\n    - machine.chip.hbm.stacks: [2, 4]\n"
      "  metrics: {stacks: 'machine.chip.hbm.stacks', a.b: 'machine.chip.hbm.stacks', always: '7'}\n");
  const std::string out = files.folder() / "out";
  REQUIRE(tests::tahoma_in(files.folder().path(), {"sweep", sweep, "--out", out, "--pareto",
                                                   "mfu_estimated_percent, max:stacks, price"})
              .status == 2);  // refused: no point has such a metric
  fs::remove_all(out);
  REQUIRE(tests::tahoma_in(files.folder().path(), {"sweep", sweep, "--out", out, "--pareto",
                                                   "mfu_estimated_percent, max:stacks, always / 2"})
              .status == 0);
  const auto data = tests::page_data(runtime::text_of_file(out + "/index.html"));
  CHECK(data["objectives"] == 3);
  std::vector<std::string> names;
  for (const auto& metric : data["metrics"]) names.push_back(metric["name"]);
  REQUIRE(names.size() >= 5);
  names.resize(5);
  CHECK(names == std::vector<std::string>{"mfu_estimated_percent", "stacks", "always / 2", "a.b", "always"});
  CHECK(data["metrics"][0]["better"] == "more");
  CHECK(data["metrics"][1]["better"] == "more");
  CHECK(data["metrics"][2]["better"] == "less");
  CHECK(data["points"][1]["values"][1] == 4.0);
  CHECK(data["points"][1]["values"][2] == 3.5);
  CHECK(data["points"][0]["busiest"].get<std::string>() != "");
}

TEST_CASE(
    "sweep effects: neighbours that measure the same, and neighbours with other programs, are counted by "
    "axis",
    "[sweep]") {
  std::vector<Store::Row> rows;
  for (std::uint64_t n = 0; n < 6; ++n) {
    Store::Row& r = rows.emplace_back(row(n, n < 3 ? 5.0 : 4.0, static_cast<double>(n)));
    r.parameters = {
        {"a", std::to_string(n / 3), {}}, {"b", std::to_string(n % 3), {}}, {"c", std::to_string(n % 3), {}}};
    r.texts["programs_hash"] = n % 3 == 2 ? "other" : "one";
  }
  rows[5].metrics["time"] = 3;
  const auto effects = runtime::axis_effects(rows, {"price"});
  REQUIRE(effects.size() == 2);
  CHECK(effects[0].axis == "a");
  CHECK(effects[0].neighbours == 3);
  CHECK(effects[0].equal == 0);
  CHECK(effects[0].programs == 0);
  CHECK(runtime::effect_text(effects[0]).empty());
  CHECK(effects[1].axis == "b, c");
  CHECK(effects[1].neighbours == 4);
  CHECK(effects[1].equal == 3);
  CHECK(effects[1].programs == 2);
  CHECK_THAT(runtime::effects_text(effects),
             Catch::Contains(
                 "b, c: has no effect, on 3 of 4 pairs of neighbours, first points 0 and 1; the programs "
                 "of 2 of 4 pairs of neighbours differ"));
  for (Store::Row& r : rows) r.metrics["time"] = 1;
  CHECK_THAT(runtime::effect_text(runtime::axis_effects(rows, {"price"})[0]),
             Catch::Contains("has no effect: all 3 pairs of neighbours measure the same"));
}

TEST_CASE("tahoma sweep: an axis that nothing uses is said to have no effect, and one that is used is not",
          "[sweep]") {
  const SweepFiles files;
  const std::string sweep =
      sweep_file(files,
                 "  mode: timing\n  axes:\n    - machine.chip.core.gpsimd.clock: [1.2 GHz, 1.4 GHz]\n"
                 "    - machine.chip.core.tensor.clock: [1.4 GHz, 2.8 GHz]\n  metrics: {price: "
                 "'machine.chip.core.gpsimd.clock'}\n");
  const auto run = tests::tahoma_in(files.folder().path(), {"sweep", sweep, "--out", files.folder() / "out"});
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out,
             Catch::Contains(
                 "machine.chip.core.gpsimd.clock: has no effect but on energy, area and cost: all 2 pairs") &&
                 !Catch::Contains("machine.chip.core.tensor.clock: has no effect"));
}

TEST_CASE(
    "tahoma compare: runs of one kernel on machines for which it is tiled differently have other programs",
    "[sweep]") {
  const SweepFiles files;
  const std::string folder = files.folder().path();
  const auto run = [&](const char* out, const char* set) {
    REQUIRE(tests::tahoma_in(folder, {"run", "gemm.yaml", "--mode", "timing", "--out", out, "--set", set})
                .status == 0);
  };
  run("a", "machine.chip.core.tensor.clock=1.4GHz");
  run("b", "machine.chip.core.tensor.clock=2.8GHz");
  run("c", "workload.k=512");
  CHECK_THAT(tests::tahoma_in(folder, {"compare", "a", "b"}).out, !Catch::Contains("The programs differ"));
  CHECK_THAT(tests::tahoma_in(folder, {"compare", "a", "c"}).out, Catch::Contains("The programs differ"));
}

TEST_CASE("sweep results: reasons that differ only in numbers are one line, the most frequent first",
          "[sweep]") {
  const std::string text = runtime::reasons_text(
      "failed",
      {{2, "needs 3.5 GiB"}, {4, "got 96, expected 64"}, {5, "got 7, expected 128"}, {9, "another 1"}});
  CHECK(text ==
        "  failed: 2 points, the first is 4: got 96, expected 64\n"
        "  failed: 1 point, the first is 2: needs 3.5 GiB\n"
        "  failed: 1 point, the first is 9: another 1\n");
}
