// SPDX-License-Identifier: Apache-2.0
// The progress line, and the stages that it measures.
#include "runtime/host/progress.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "model/base/units.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using namespace tahoma::base::literals;

TEST_CASE("progress line: a terminal shows every line in place, and erases the last", "[report]") {
  std::string written;
  {
    runtime::ProgressLine line({true, [] { return 0.0; }, [&](const std::string& text) { written += text; }});
    line.stage("placing tensors");
    line.count(1, 2, "cases");
  }
  // Nothing has taken any time, so neither does the rest.
  const std::string last = "[ 50 %] 1 of 2 cases, ETA 0:00";
  CHECK(written == "\r[placing tensors]\r" + last + "\r" + std::string(last.size(), ' ') + "\r");
}

TEST_CASE("progress line: nothing is written where there is no terminal", "[report]") {
  std::string written;
  {
    runtime::ProgressLine line(
        {false, [] { return 0.0; }, [&](const std::string& text) { written += text; }});
    line.stage("placing tensors");
    line.update({1000_us, 10, 40});
    line.count(1, 2, "cases");
  }
  CHECK(written.empty());
}

TEST_CASE("progress line: the estimate of a suite follows from the finished part", "[report]") {
  CHECK(runtime::count_text(3, 12, "cases have run", 30) == "[ 25 %] 3 of 12 cases have run, ETA 1:30");
  CHECK(runtime::count_text(0, 12, "cases have run", 30) == "[  0 %] 0 of 12 cases have run");
}

TEST_CASE("progress line: percent, simulated time, rate and remaining time", "[report]") {
  const model::Progress half{1300_us, 42'000'000, 100'000'000, 160'000'000};
  CHECK(runtime::progress_text(half, 20) ==
        "[ 42 %] 1.300 ms simulated, 2.1 M instructions/s, 8.0 M events/s, ETA 0:28");
  // Loops run more instructions than the streams contain, so there is no estimate.
  CHECK(runtime::progress_text({1_us, 300, 100}, 1) ==
        "[ 99 %] 1 us simulated, 0.3 k instructions/s, 0.0 k events/s");
  CHECK(runtime::progress_text({0_us, 0, 0}, 0) ==
        "[  0 %] 0 ns simulated, 0.0 k instructions/s, 0.0 k events/s");
}

TEST_CASE("progress line: on request it is lines, at most one a second for each stage", "[report]") {
  std::string written;
  double now = 0;
  runtime::ProgressLine line(
      {false, [&] { return now; }, [&](const std::string& text) { written += text; }, true});
  line.stage("simulating");
  for (now = 0; now < 2.25; now += 0.25) line.count(1, 2, "cases");
  CHECK(written == "[simulating]\n[ 50 %] 1 of 2 cases, ETA 0:01\n[ 50 %] 1 of 2 cases, ETA 0:02\n");
}

TEST_CASE("progress line: every second belongs to the stage that was begun last", "[report]") {
  double now = 1, processor = 5;
  runtime::ProgressLine line(
      {false, [&] { return now; }, [](const std::string&) {}, false, [&] { return processor; }});
  CHECK(line.stages().empty());
  line.stage("reading");
  now += 2, processor += 1;
  line.stage("simulating");
  now += 3, processor += 6;
  line.stage("reading");
  now += 4, processor += 0.5;
  const std::vector<runtime::StageTime> stages = line.stages();
  REQUIRE(stages.size() == 2);
  CHECK(stages[0].what == "reading");
  CHECK(stages[0].wall_seconds == 6);
  CHECK(stages[0].processor_seconds == 1.5);
  CHECK(stages[1].what == "simulating");
  CHECK(stages[1].wall_seconds == 3);
  CHECK(stages[1].processor_seconds == 6);
}

TEST_CASE("tahoma run: the manifest divides the host's time among the stages", "[report]") {
  const tests::TempDir dir;
  dir.write("case.yaml",
            "kind: gemm\nmachine: trainium2_one_chip\nworkload: {m: 128, n: 512, k: 256, dtype: bf16}\n");
  const tests::Finished run = tests::tahoma_in(dir.path().string(), {"run", "case.yaml", "--progress"});
  REQUIRE(run.status == 0);
  CHECK_THAT(run.err, Catch::Contains("[reading the case]\n") && Catch::Contains("[simulating]\n"));
  CHECK(tests::tahoma_in(dir.path().string(), {"run", "case.yaml"}).err.empty());
  const auto manifest = nlohmann::json::parse(tests::contents(dir / "out/manifest.json"));
  double wall = 0;
  std::vector<std::string> stages;
  for (const auto& stage : manifest["stages"]) {
    stages.push_back(stage["stage"]);
    CHECK(stage["wall_seconds"].get<double>() >= 0);
    CHECK(stage["processor_seconds"].get<double>() >= 0);
    wall += stage["wall_seconds"].get<double>();
  }
  CHECK(stages == std::vector<std::string>{"reading the case", "elaborating the machine",
                                           "placing tensors and programs", "simulating",
                                           "collecting the results", "checking against the golden reference",
                                           "writing the files"});
  CHECK(wall <= manifest["wall_seconds"].get<double>());
  CHECK(wall >= manifest["simulation_seconds"].get<double>());
}
