// SPDX-License-Identifier: Apache-2.0
// Runs on a fabric that a file lists.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.h"

using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;

namespace {

// A torus of 4 x 4 chips, with every link once.
std::string torus_links() {
  std::string text = "from,to,rate\n";
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x)
      text += fmt::format("{0},{1},x\n{0},{2},y\n", 4 * y + x, 4 * y + (x + 1) % 4, (4 * y + x + 4) % 16);
  return text;
}

constexpr const char* kSum =
    "kind: collective\nmachine: trainium2_server\n"
    "workload: {operation: all_reduce, algorithm: ring, bytes: 4 MiB}\n";

json run_of(const TempDir& dir, std::vector<std::string> options) {
  options.insert(options.begin(), {TAHOMA_BINARY, "run", "sum.yaml", "--no-report", "--format", "json"});
  const Finished finished = run_program(options, dir.path());
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  return json::parse(finished.out);
}

}  // namespace

TEST_CASE("listed fabric: a torus from a file reduces as the torus does", "[fabric]") {
  const TempDir dir;
  dir.write("sum.yaml", kSum);
  dir.write("links.csv", torus_links());
  const std::vector<std::string> vcs{"--set", "machine.link.vcs=4"};
  const json torus = run_of(dir, vcs);
  const json list = run_of(dir, {"--set", "machine.link.vcs=4", "--set", "machine.link.topology=listed",
                                 "--set", "machine.link.links=links.csv"});
  CHECK(list["golden"]["passed"] == true);
  CHECK(list["simulated_time_ns"].get<double>() ==
        Approx(torus["simulated_time_ns"].get<double>()).epsilon(0.01));
  CHECK(list["links"]["bytes"] == torus["links"]["bytes"]);
}

TEST_CASE("listed fabric: what its parameters do not fit is refused", "[fabric]") {
  const TempDir dir;
  dir.write("sum.yaml", kSum);
  dir.write("links.csv", torus_links());
  const auto refused = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {TAHOMA_BINARY, "run", "sum.yaml", "--no-report"});
    const Finished finished = run_program(options, dir.path());
    CHECK(finished.status == 2);
    return finished.err;
  };
  CHECK_THAT(refused({"--set", "machine.link.topology=listed"}),
             Contains("machine.link.links") && Contains("expected the file"));
  CHECK_THAT(refused({"--set", "machine.link.links=links.csv"}), Contains("topology torus reads no file"));
  CHECK_THAT(refused({"--set", "machine.link.topology=listed", "--set", "machine.link.links=links.csv"}),
             Contains("machine.link.vcs") && Contains("multiple of 4"));
  dir.write("links.csv", "from,to,rate\n0,16,x\n");
  CHECK_THAT(refused({"--set", "machine.link.topology=listed", "--set", "machine.link.links=links.csv"}),
             Contains("links.csv:2: error[E-CFG-037]") && Contains("chips 0 to 15"));
}
