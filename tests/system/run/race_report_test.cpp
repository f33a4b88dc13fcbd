// SPDX-License-Identifier: Apache-2.0
// The report of races of an assembler program: one line for each pair of source lines, whatever the macros
// make of them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/program/twice_program.h"
#include "tests/support/subprocess.h"

using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;

namespace {

// The vector engine and GpSimd fill the same 8 tiles, and nothing orders them. No pair touches the tile of
// another.
constexpr const char* kRacy = R"(.program racy
.args in out
vector:
.repeat 8, i
  memset shape=128x64 dst=sbuf[0, {i * 256}]:fp32 value=1
.endr
gpsimd:
.repeat 8, i
  memset shape=128x64 dst=sbuf[0, {i * 256}]:fp32 value=2
.endr
)";

}  // namespace

TEST_CASE("race report: 8 pairs of instructions of one pair of source lines are one line with their number",
          "[check][cli]") {
  const TempDir dir;
  dir.write("racy.tasm", kRacy);
  dir.write("racy.yaml", program_case("racy.tasm"));
  const Finished finished = run_program({TAHOMA_BINARY, "run", "racy.yaml", "--check", "races"}, dir.path());
  INFO(finished.err);
  CHECK(finished.status == 3);
  CHECK_THAT(finished.err, Contains(" of racy.tasm:5 at ") && Contains(" of racy.tasm:9 at "));
  CHECK_THAT(finished.err, Contains("; 8 times (8 pairs of instructions) at racy.tasm:5 and racy.tasm:9\n"));
  CHECK_THAT(finished.err, Contains("error[E-RUN-071]: 8 findings at 1 pair of places"));
  CHECK(finished.err.find("E-CHK-001") == finished.err.rfind("E-CHK-001"));
  const json groups = json::parse(contents(dir / "out/summary.json"))["checks"]["groups"];
  REQUIRE(groups.size() == 1);
  CHECK(groups[0]["places"] == json({"racy.tasm:5", "racy.tasm:9"}));
  CHECK(groups[0]["occurrences"] == 8);
}
