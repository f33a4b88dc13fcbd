// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "model/base/error.h"
#include "report/files/statistics_tables.h"
#include "report/summary/busiest.h"
#include "report/summary/run_headline.h"
#include "report/summary/summary.h"
#include "report/summary/summary_json.h"
#include "report/summary/summary_text.h"
#include "report/text/saturation.h"
#include "runtime/host/output/manifest.h"
#include "runtime/host/sha256.h"
#include "runtime/host/text/format.h"
#include "tests/support/lines_of.h"
#include "tests/support/program/fake_run.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::StallReason, base::EngineKind;
using nlohmann::json;
using runtime::Summary;

namespace {

Summary fake_summary() { return runtime::summarise(fake_facts(), fake_machine(), fake_run()); }

const runtime::EngineSummary& engine_of(const Summary& s, EngineKind kind) {
  return s.engines[static_cast<std::size_t>(kind)];
}

double share(const runtime::EngineSummary& engine, StallReason name) {
  return engine.percent[static_cast<std::size_t>(name)];
}

// 600 links with long names and flows from everywhere, every stall reason in use, faults, a long rule: no
// report of a run is longer.
Summary crowded_summary() {
  auto facts = fake_facts();
  facts.workload =
      "attention q 65536 kv 65536 d 128 heads 512 causal bf16 over 512 cores of the whole UltraServer, twice";
  for (int i = 0; i < 15; ++i) facts.golden.rule += " and further words";
  auto run = fake_run();
  for (auto& engine : run.engines) {
    engine.time.fill(run.elapsed * 0);
    for (std::size_t i = 0; i + 1 < base::kStallReasons; ++i) engine.time[i] = 5_us;
    engine.time.back() = run.elapsed - 5_us * (base::kStallReasons - 1);
  }
  for (int i = 0; i < 600; ++i) {
    run.links.push_back(fake_link("server3.chip63.link_zp" + std::to_string(i), "xyz" [i % 3], { 10_us }));
    for (std::uint32_t chip = 0; chip < 16; ++chip) run.links.back().flows.push_back({63 - chip, chip, 2560});
  }
  run.traffic = {{63, 0, 1, 123'456'789}, {62, 1, 1, 12'345'678}};
  auto machine = fake_machine();
  machine.torus = {4, 4, 4};
  for (std::uint64_t chip = 0; chip < 4; ++chip) {
    machine.instances.chips[model::chip_name(machine, 60 + chip)].slow = 1.2345;
    machine.instances.links[model::link_name(machine, 60 + chip, "zm")].rate = 0.12345;
  }
  facts.energy =
      runtime::energy_ledger(machine, run, {}, [](const std::string&) { return base::Provenance::kAssumed; });
  runtime::PriceList prices;
  prices.instance = "an instance with a long name.48xlarge";
  prices.chips = 16;
  prices.dollars_per_hour = 35.7608;
  prices.date = "2026-01-31";
  facts.cost =
      runtime::priced_run(prices, 64, facts.energy->wall_watts, run.elapsed,
                          {{"tokens_per_second", 12345.678, "", ""}, {"step_time_ns", 1.5e9, "", ""}});
  return runtime::summarise(facts, machine, run);
}

}  // namespace

TEST_CASE("report: shares of every engine kind add up to 100 over the active cores", "[report]") {
  for (const Summary& s : {fake_summary(), crowded_summary()})
    for (const auto& engine : s.engines)
      CHECK(std::accumulate(engine.percent.begin(), engine.percent.end(), 0.0) == Approx(100).epsilon(1e-12));
  const Summary s = fake_summary();
  CHECK(s.active_cores == 1);
  CHECK(share(engine_of(s, EngineKind::kTensor), StallReason::kBusy) == Approx(80));
  CHECK(share(engine_of(s, EngineKind::kTensor), StallReason::kWaitDma) == Approx(15));
  CHECK(share(engine_of(s, EngineKind::kVector), StallReason::kIdle) == Approx(80));
  CHECK(engine_of(s, EngineKind::kTensor).active_percent == Approx(90));
}

TEST_CASE("report: accounts that do not balance are an invariant", "[report]") {
  auto run = fake_run();
  run.engines[3].time[0].fs += 1;
  CHECK_THROWS_AS(runtime::summarise(fake_facts(), fake_machine(), run), base::InvariantError);
}

TEST_CASE("report: FLOPS follow from the definition of the peak and never pass it", "[report]") {
  // 1 GFLOP in 100 us against 128 x 128 x 2 x 2.4 GHz, once and in quarters.
  const Summary s = fake_summary();
  CHECK(s.flops.achieved_tflops(s.elapsed) == Approx(10));
  CHECK(s.flops.peak_tflops == Approx(78.6432));
  CHECK(s.mfu_estimated_percent(s.elapsed) == Approx(10 / 78.6432 * 100));
  CHECK(s.flops.hardware == 4'000'000'000);
  auto facts = fake_facts();
  facts.array_works = {{isa::DType::kFp32, isa::MatmulMode::kDense, 1e9}};
  facts.cores_used = 2;
  CHECK(runtime::summarise(facts, fake_machine(), fake_run()).flops.peak_tflops == Approx(2 * 78.6432 / 4));
  // A third of the work at a quarter of the rate and a third at twice the rate: 1 + 4 + 1/2 thirds of the
  // time.
  facts.cores_used = 1;
  facts.array_works = {{isa::DType::kBf16, isa::MatmulMode::kDense, 1e9},
                       {isa::DType::kFp32, isa::MatmulMode::kDense, 1e9},
                       {isa::DType::kFp8E4M3, isa::MatmulMode::kDoubleRow, 1e9}};
  CHECK(runtime::summarise(facts, fake_machine(), fake_run()).flops.peak_tflops == Approx(78.6432 * 3 / 5.5));
  facts = fake_facts();
  facts.useful_flops = 1e10;
  CHECK_THROWS_AS(runtime::summarise(facts, fake_machine(), fake_run()), base::InvariantError);
}

TEST_CASE("report: no tensor engine passes the peak of its array", "[report]") {
  // 128 x 128 cells at 2.4 GHz in the 90 us that the engine is active of 100.
  const std::uint64_t most = std::uint64_t{128} * 128 * 216'000;
  auto run = fake_run();
  const auto with = [&](std::uint64_t cell_cycles, std::uint64_t flops) {
    run.engines[0].cell_cycles = cell_cycles;
    run.engines[0].hardware_flops = flops;
    return runtime::summarise(fake_facts(), fake_machine(), run).flops.hardware;
  };
  CHECK(with(most, 2 * most) == 2 * most);  // dense: 70.8 TFLOPS over the 100 us
  CHECK(with(most, 4 * most) == 4 * most);  // double row
  CHECK_THROWS_AS(with(most + most / 1'000'000, 0), base::InvariantError);
  CHECK_THROWS_AS(with(most, 4 * most + 1), base::InvariantError);
  CHECK_THROWS_WITH(with(2 * most, 0), Catch::Contains("core0.tensor: above the array's peak"));
}

TEST_CASE("report: memory counts the stacks that moved data", "[report]") {
  const Summary s = fake_summary();
  CHECK(s.hbm.read_bytes == 900'000);
  CHECK(s.hbm.write_bytes == 100'000);
  CHECK(s.hbm.stacks_used == 1);
  CHECK(s.hbm.achieved_bandwidth(s.elapsed) == Approx(1e10));
  CHECK(*s.hbm.peak_bandwidth == Approx(725e9));
  CHECK(*s.mbu_estimated_percent(s.elapsed) == Approx(100 * 10 / 725.0));
  CHECK(s.hbm.busiest_stack == "server0.chip00.hbm0");
  CHECK(s.hbm.busiest_percent == Approx(50));
  CHECK(s.hbm.saturated_stacks == 1);
  CHECK(s.dma.busy_percent == Approx(10));
  CHECK(s.dma.active_percent == Approx(30));
  auto run = fake_run();
  run.hbm[0].peak = {0, true};
  const Summary ideal = runtime::summarise(fake_facts(), fake_machine(), run);
  CHECK_FALSE(ideal.hbm.peak_bandwidth.has_value());
  CHECK(json::parse(runtime::summary_json(ideal))["mbu_estimated_percent"].is_null());
}

TEST_CASE("report: a link is saturated from 95 percent of one window on", "[report]") {
  const Summary s = fake_summary();
  REQUIRE(s.links.saturated.size() == 1);
  CHECK(s.links.saturated.front().name == "server0.chip00.link_xp");
  CHECK(s.links.count == 2);
  CHECK(s.links.histogram[2] == 1);  // 24.5 %
  CHECK(s.links.histogram[0] == 1);  // 9.4 %
  CHECK(s.links.busiest.front().name == "server0.chip00.link_xp");
  REQUIRE(s.links.axes.size() == 2);
  CHECK(s.links.axes[1].axis == 'z');
  CHECK(s.links.axes[1].bytes == 40960);
}

TEST_CASE("saturation: windows are those of the run", "[report]") {
  const base::Series two{10_us, {10_us, 9.5_us, 9.49_us}};
  CHECK(runtime::saturated_windows(two, 30_us) == 2);
  CHECK(runtime::saturated_windows(two, 100_us) == 2);
  // A last window that the run does not fill is omitted.
  CHECK(runtime::saturated_windows({10_us, {0_us, 10_us}}, 15_us) == 0);
  // A run shorter than a window is its own window.
  CHECK(runtime::saturated_windows({10_us, {4_us}}, 4_us) == 1);
  CHECK(runtime::saturated_windows({10_us, {4_us}}, 5_us) == 0);
  // 5,120 us: windows of 20 us, whatever the window at which the resource became idle.
  CHECK(runtime::saturated_windows({10_us, {10_us, 0_us, 10_us, 9_us, 10_us}}, 5120_us) == 1);
  CHECK(runtime::saturated_windows({10_us, {}}, 5120_us) == 0);
  CHECK(runtime::saturated_windows({}, 0_us) == 0);
}

TEST_CASE("report: the busiest resource has the largest busy share", "[report]") {
  CHECK(fake_summary().busiest.resource == "tensor");
  CHECK(fake_summary().busiest.share_percent == Approx(80));
  auto run = fake_run();
  const auto busiest = [&] { return runtime::summarise(fake_facts(), fake_machine(), run).busiest.resource; };
  run.links[0].busy = 81_us;
  CHECK(busiest() == "link");
  run.hbm[0].busy = 90_us;
  CHECK(busiest() == "hbm");
  run.dma[0].busy = 95_us * 16;
  CHECK(busiest() == "dma");
}

TEST_CASE("report: the bottleneck comes from repeated runs alone; where the path differs, both are said",
          "[report]") {
  auto facts = fake_facts();
  facts.path.resources = {{{"DMA", "load", 3, 60_us, 60}, 60}};
  const auto of = [&](const std::optional<runtime::Bottlenecks>& verdict) {
    facts.bottlenecks = verdict;
    const Summary s = runtime::summarise(facts, fake_machine(), fake_run());
    return std::pair(json::parse(runtime::summary_json(s)), runtime::headline_of(s).explained);
  };
  const auto [plain, nothing] = of(std::nullopt);
  CHECK(plain["bottleneck"].is_null());
  CHECK(nothing.empty());
  CHECK(plain["limits"]["resource"] == "DMA");
  const auto [other, disagrees] =
      of(runtime::Bottlenecks{{"HBM", 31.25}, {{"HBM", 31.25}, {"DMA", 12.5}}, {}});
  CHECK(other["bottleneck"]["resource"] == "HBM");
  CHECK(disagrees == "explain disagrees: 31.2 % shorter if HBM is ideal, 12.5 % if DMA is");
  CHECK(of(runtime::Bottlenecks{{"DMA", 31.25}, {}, {}}).second ==
        "explain agrees: 31.2 % shorter if DMA is ideal");
  CHECK(of(runtime::Bottlenecks{}).second == "explain: no single resource shortens it");
}

TEST_CASE("summary.json: another verdict of a stored summary is that of a run that was explained",
          "[report]") {
  auto facts = fake_facts();
  facts.path.resources = {{{"DMA", "load", 3, 60_us, 60}, 60}};
  const runtime::Bottlenecks verdict{{"HBM", 31.25}, {}, {}};
  const auto summary = [&] { return runtime::summarise(facts, fake_machine(), fake_run()); };
  auto stored = nlohmann::ordered_json::parse(runtime::summary_json(summary()));
  runtime::set_verdict(stored, verdict);
  facts.bottlenecks = verdict;
  CHECK(stored.dump(2) + "\n" == runtime::summary_json(summary()));
  CHECK(runtime::stored_headline(stored).block() == runtime::headline_of(summary()).block());
}

TEST_CASE("report: an empty run has no shares and does not divide by zero", "[report]") {
  auto facts = fake_facts();
  facts.useful_flops = 0;
  facts.cores_used = 0;
  const Summary s = runtime::summarise(facts, fake_machine(), {});
  CHECK(s.mfu_estimated_percent(s.elapsed) == 0);
  CHECK(s.busiest.share_percent == 0);
  CHECK(json::parse(runtime::summary_json(s))["links"]["busiest_link"].is_null());
  CHECK(runtime::summary_text(s).find("0 ns") == 0);
}

TEST_CASE("summary.json: the stable keys exist", "[report]") {
  const json summary = json::parse(runtime::summary_json(fake_summary()));
  for (const char* key : {"schema_version",
                          "workload",
                          "machine",
                          "mode",
                          "simulated_time_ns",
                          "flops",
                          "mfu_estimated_percent",
                          "mbu_estimated_percent",
                          "tensor_engine_active_time_percent",
                          "vector_engine_active_time_percent",
                          "scalar_engine_active_time_percent",
                          "gpsimd_engine_active_time_percent",
                          "dma_active_time_percent",
                          "hbm_read_bytes",
                          "hbm_write_bytes",
                          "golden",
                          "checks",
                          "engines",
                          "hbm",
                          "links",
                          "busiest",
                          "headline",
                          "limits",
                          "critical_path",
                          "bottleneck"}) {
    INFO(key);
    CHECK(summary.contains(key));
  }
  CHECK_FALSE(summary.contains("host"));
  CHECK(summary["simulated_time_ns"] == 100000.0);
  CHECK(summary["flops"]["useful"] == 1e9);
  CHECK(summary["golden"]["passed"] == true);
  CHECK(summary["engines"]["tensor"]["time_percent"]["busy"] == 80.0);
  CHECK(summary["links"]["busiest_link"]["name"] == "server0.chip00.link_xp");
  CHECK(summary["links"]["saturated"]["count"] == 1);
  CHECK(summary["busiest"]["resource"] == "tensor");
}

TEST_CASE("summary: both forms have the findings of the checks, or that there were none", "[report]") {
  using model::check::Kind;
  auto facts = fake_facts();
  const auto reduced = [&] { return runtime::summarise(facts, fake_machine(), fake_run()); };
  json checks = json::parse(runtime::summary_json(reduced()))["checks"];
  CHECK(checks["races"] == json({{"checked", false}}));
  CHECK_THAT(runtime::summary_text(reduced()), Catch::Contains("checks          none"));
  facts.checks.checked = {true, false};
  CHECK_THAT(runtime::summary_text(reduced()), Catch::Contains("checks          races: none found"));
  facts.checks.checked = {true, true};
  model::check::Origin a, b;
  b.index = 1;
  const auto text = [] { return std::string("a and b"); };
  facts.checks.add(Kind::kRace, a, b, {"y:2", "y:1"}, text);
  facts.checks.add(Kind::kRace, b, a, {"y:1", "y:2"}, text);  // the same pair
  facts.checks.add(Kind::kSemaphore, a, b, {"y:1", "y:2"}, text);
  checks = json::parse(runtime::summary_json(reduced()))["checks"];
  CHECK(checks["races"]["found"] == 2);
  CHECK(checks["races"]["codes"] == json({{"E-CHK-001", 1}, {"E-CHK-005", 1}}));
  CHECK(checks["uninitialised"] == json({{"checked", true}, {"found", 0}, {"codes", json::object()}}));
  CHECK(checks["first"] == json({"E-CHK-001 race: a and b; 2 times at y:1 and y:2",
                                 "E-CHK-005 semaphore that depends on timing: a and b"}));
  CHECK(checks["groups"][0] ==
        json({{"code", "E-CHK-001"}, {"places", {"y:1", "y:2"}}, {"occurrences", 2}, {"pairs", 1}}));
  CHECK_THAT(runtime::summary_text(reduced()), Catch::Contains("races and uninitialised memory: 2 FOUND"));
}

TEST_CASE("summary.json: a golden error that is not a number stays legal JSON", "[report]") {
  auto facts = fake_facts();
  facts.golden.max_abs_error = std::numeric_limits<double>::infinity();
  facts.golden.max_rel_error = std::numeric_limits<double>::quiet_NaN();
  const json summary =
      json::parse(runtime::summary_json(runtime::summarise(facts, fake_machine(), fake_run())));
  CHECK(summary["golden"]["max_abs_error"] == "inf");
  CHECK(summary["golden"]["max_rel_error"] == "nan");
}

TEST_CASE("summary.txt: the first line answers the question", "[report]") {
  auto facts = fake_facts();
  facts.path.resources = {{{"DMA", "load", 3, 60_us, 60}, 60}};
  const auto lines = [&] {
    return tests::lines_of(runtime::summary_text(runtime::summarise(facts, fake_machine(), fake_run())));
  };
  CHECK(lines().front() ==
        "100 us, 10 TFLOPS, MFU 12.7 %, golden passed, DMA limits: 60.0 % of the critical path, in load");
  facts.path.resources[0].operation_percent = 30;
  facts.path.resources[0].operation = "a_region_with_a_name_so_long_that_it_does_not_fit";
  CHECK(lines()[0].find("MFU 12.7 %, DMA limits: 60.0 % of the critical path, most in a_region") !=
        std::string::npos);
  CHECK(lines()[1] == "  10 TFLOPS, golden passed");
  facts.golden.mismatches = 1;
  facts.golden.first_mismatch = "first wrong element: [3, 4]";
  const std::string failed = runtime::summary_text(runtime::summarise(facts, fake_machine(), fake_run()));
  CHECK(tests::lines_of(failed).front().find("GOLDEN FAILED") != std::string::npos);
  CHECK(failed.find("first wrong element: [3, 4]") != std::string::npos);
}

TEST_CASE("summary.txt: a run without operations of its workload has the bandwidth that it reached",
          "[report]") {
  auto facts = fake_facts();
  facts.useful_flops = 0;
  const auto efficiency = [&] {
    return runtime::headline_of(runtime::summarise(facts, fake_machine(), fake_run())).efficiency;
  };
  CHECK_THAT(efficiency(), Catch::StartsWith("HBM "));
  runtime::CollectiveResult collective;
  collective.bytes = 1 << 20;
  collective.bus_factor = 1.5;
  collective.ranks = {{base::Time{0}, base::Time{0} + 10_us}};
  collective.split.latency = 10_us;
  facts.collectives = {collective};
  CHECK(efficiency() == "busbw 157.3 GB/s");  // 1 MiB in 10 us, times 1.5
  facts.collectives.push_back(collective);
  facts.collectives[1].bytes = 1 << 10;
  CHECK(efficiency() == "busbw 157.3 GB/s at 1 MiB");
}

namespace {

// The block of the collectives comes on top.
void check_fits(const std::string& text) {
  const auto lines = tests::lines_of(text);
  const auto begin = std::find_if(lines.begin(), lines.end(),
                                  [](const auto& line) { return line.starts_with("collectives"); });
  const auto end = std::find(begin, lines.end(), "");
  INFO(text);
  CHECK(lines.size() - static_cast<std::size_t>(end - begin) <= 60);
  for (const std::string& line : lines) {
    INFO(line);
    CHECK(line.size() <= 100);
    CHECK((line.empty() || line.back() != ' '));
  }
}

}  // namespace

TEST_CASE("summary.txt: at most 60 lines of at most 100 columns", "[report]") {
  for (const Summary& s : {fake_summary(), crowded_summary()}) check_fits(runtime::summary_text(s));
}

// Runs with many regions, figures, links, source names and a long critical path, with and without
// bottlenecks.
TEST_CASE("summary.txt: real runs fit, too, with their critical path and the bottlenecks of their regions",
          "[report]") {
  const std::string workloads = std::string(TAHOMA_SOURCE_DIR) + "/workloads/";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"gemm/chip.yaml", "--explain"},
                                             {"decode/paged.yaml", "--explain"},
                                             {"transformer/tiny.yaml", "--explain"},
                                             {"transformer/tiny.yaml"},
                                             {"transformer/training_tiny.yaml"},
                                             {"attention/one_core.yaml"},
                                             {"rms_norm/one_core.yaml", "--check", "races,uninitialised"}}) {
    std::vector<std::string> command{
        "run", workloads + words.front(), "--mode", "timing", "--no-report", "--out", "out"};
    command.insert(command.end(), words.begin() + 1, words.end());
    const tests::Finished run = tests::tahoma_in(".", command);
    INFO(words.front() << run.err);
    REQUIRE(run.status == 0);
    const std::string text = tests::contents("out/summary.txt");
    CHECK(text.find("\ncritical path: ") != std::string::npos);
    check_fits(text);
  }
}

TEST_CASE("stats: JSON and CSV hold the same rows, exactly", "[report]") {
  base::StatSink sink;
  sink.add("a.count", std::uint64_t{18446744073709551615U}, base::Unit::kCount, "largest count");
  sink.add("a.ratio", 0.1, base::Unit::kRatio, "a tenth, \"shortest\"");
  const json rows = json::parse(runtime::stats_json(sink.stats()));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["value"] == 18446744073709551615U);
  CHECK(rows[1]["value"] == 0.1);
  CHECK(rows[1]["path"] == "a.ratio");
  const auto lines = tests::lines_of(runtime::stats_csv(sink.stats()));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "path,value,unit,description");
  CHECK(lines[1] == "a.count,18446744073709551615,count,largest count");
  CHECK(lines[2].find("a.ratio,0.1,") == 0);
  CHECK(lines[2].find("\"a tenth, \"\"shortest\"\"\"") != std::string::npos);
  sink.add("a.broken", std::numeric_limits<double>::quiet_NaN(), base::Unit::kRatio, "");
  CHECK_THROWS_AS(runtime::stats_json(sink.stats()), base::InvariantError);
}

TEST_CASE("manifest: files read back, manifests of other programs are not accepted", "[report]") {
  runtime::Manifest manifest;
  manifest.host = runtime::host_facts();
  manifest.files = {"summary.txt", "manifest.json"};
  manifest.cost = {2.0, 1.0, 5'000'000, {{"simulating", 1.0, 0.5}}};
  const std::string text = runtime::manifest_json(manifest);
  CHECK(runtime::files_of_manifest(text) == manifest.files);
  CHECK(json::parse(text)["instructions_per_second"] == 5e6);
  CHECK(json::parse(text)["stages"][0] ==
        json{{"stage", "simulating"}, {"wall_seconds", 1.0}, {"processor_seconds", 0.5}});
  CHECK(json::parse(text)["peak_rss_bytes"] > 1 << 20);
  CHECK(json::parse(text)["binary_sha256"].get<std::string>().size() == 64);
  const runtime::CommandManifest check{manifest.host, {"tahoma", "check"}, 1.5, {"accuracy.txt"}};
  CHECK(runtime::files_of_manifest(runtime::manifest_json(check)) == check.files);
  for (const std::string other : {"", "[]", "{}", "not json", R"({"program": 7, "files": ["a"]})"})
    CHECK(runtime::files_of_manifest(other).empty());
}

TEST_CASE("SHA-256: the examples of FIPS 180", "[report]") {
  CHECK(runtime::sha256_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(runtime::sha256_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(runtime::sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(runtime::sha256_of(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("number text: four digits and the prefix that fits", "[report]") {
  CHECK(runtime::si_text(0, "B") == "0 B");
  CHECK(runtime::si_text(2.9e12, "B/s") == "2.900 TB/s");
  CHECK(runtime::si_text(412, "B") == "412 B");
  CHECK(runtime::si_text(12345678, "B") == "12.35 MB");
  CHECK(runtime::time_text(1801.234_us) == "1.801 ms");
  CHECK(runtime::time_text(853_ns) == "853 ns");
  CHECK(runtime::shortest(0.1) == "0.1");
}
