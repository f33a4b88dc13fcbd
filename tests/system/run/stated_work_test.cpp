// SPDX-License-Identifier: Apache-2.0
// The useful work that an assembler program states: MFU and bandwidth follow from it by their definitions.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/program/twice_program.h"
#include "tests/support/subprocess.h"

using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;

namespace {

Finished run_stating(const TempDir& dir, const std::string& lines, const std::string& cores = "2") {
  std::string text = kTwice;
  text.insert(text.find("sync:"), lines);
  dir.write("twice.tasm", text);
  dir.write("twice.yaml", program_case("twice.tasm"));
  return run_program({TAHOMA_BINARY, "run", "twice.yaml", "--no-report", "--set", "workload.cores=" + cores},
                     dir.path());
}

}  // namespace

TEST_CASE("stated work: FLOPs and bytes of each core add up, and rates are over the time of the run",
          "[cli]") {
  const TempDir dir;
  const Finished finished = run_stating(dir, ".let N = 512\n.flops 128 * N\n.bytes 2 * 4 * 128 * N\n");
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  const json summary = json::parse(contents(dir / "out/summary.json"));
  const double flops = 2 * 128.0 * 512, bytes = 2 * 2 * 4 * 128.0 * 512,
               seconds = summary["simulated_time_ns"].get<double>() * 1e-9;
  CHECK(summary["flops"]["useful"].get<double>() == flops);
  CHECK(summary["flops"]["achieved_tflops"].get<double>() == Approx(flops / seconds * 1e-12));
  CHECK(summary["mfu_estimated_percent"].get<double>() ==
        Approx(100 * flops / seconds * 1e-12 / summary["flops"]["peak_tflops"].get<double>()));
  CHECK_THAT(summary.dump(), Contains("useful_bytes_per_second"));
  CHECK_THAT(finished.out, Contains("bytes to and from HBM that the program states"));
  CHECK(summary["hbm"]["bytes"].get<double>() == bytes);  // what the program moves is what it states
}

TEST_CASE("stated work: more FLOPs than the cores can do are an error of the program", "[cli]") {
  const TempDir dir;
  const Finished finished = run_stating(dir, ".flops 1000000000000000\n", "1");
  CHECK(finished.status == 3);
  CHECK_THAT(finished.err, Contains("error[E-RUN-073]") && Contains("expected at most"));
}
