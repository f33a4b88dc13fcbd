// SPDX-License-Identifier: Apache-2.0
// Sizes and bandwidths of an all_to_all come from its counts, and no collective reports more than its links
// carry.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "runtime/collective/result/sent_counts.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using runtime::collective::Operation, runtime::collective::Problem, runtime::collective::bus_factor_of;

namespace {

constexpr std::uint32_t kRanks = 4;
constexpr std::uint64_t kElement = 2;       // bytes of bf16
constexpr double kLinksOfChip = 2 * 100e9;  // to both neighbours on the ring
using Counts = std::vector<std::uint64_t>;  // from rank i to rank j at i kRanks + j

std::string text_of(const Counts& counts) {
  std::string text;
  for (std::size_t n = 0; n < counts.size(); ++n)
    text += (n == 0 ? "" : n % kRanks == 0 ? ";" : ",") + std::to_string(counts[n]);
  return text;
}

// The collective of a case on a ring of four chips.
nlohmann::json collective(const std::string& workload, const char* mode = "functional") {
  const tests::TempDir dir;
  dir.write("case.yaml",
            "kind: collective\nmachine: {extends: trainium2_server, torus: {x: 4, y: 1, z: 1}, link: "
            "{x: 100 GB/s}}\nworkload: {" +
                workload + "}\n");
  const tests::Finished run =
      tests::tahoma_in(dir.path(), {"run", "case.yaml", "--no-report", "--mode", mode});
  INFO(workload << "\n" << run.err);
  REQUIRE(run.status == 0);
  return nlohmann::json::parse(tests::contents(dir / "out/summary.json"))["collectives"][0];
}

double elapsed_seconds(const nlohmann::json& c) { return c["time_ns"].get<double>() * 1e-9; }

}  // namespace

TEST_CASE("collective counts: size and bandwidths are those of what the ranks send", "[collective]") {
  Counts diagonal(16, 0), one_sender(16, 0), one_pair(16, 0), random(16);
  std::mt19937 numbers(7);
  for (std::uint32_t r = 0; r < kRanks; ++r) diagonal[r * kRanks + r] = one_sender[r] = 4096;
  for (std::uint64_t& count : random) count = numbers() % 3 == 0 ? 0 : numbers() % 10'000;
  one_pair[1 * kRanks + 3] = 100'000;
  for (const Counts& counts :
       {diagonal, one_sender, one_pair, random, Counts(16, 0), Counts(16, 1), Counts(16, 20'000)}) {
    INFO(text_of(counts));
    // `bytes` says something else.
    const nlohmann::json c =
        collective("operation: all_to_all, bytes: 64 MiB, counts: '" + text_of(counts) + "'");
    std::uint64_t sent = 0, left = 0;
    for (std::uint32_t n = 0; n < counts.size(); ++n) {
      sent += kElement * counts[n];
      left += n / kRanks == n % kRanks ? 0 : kElement * counts[n];
    }
    CHECK(c["bytes"].get<double>() == Approx(static_cast<double>(sent) / kRanks).margin(kElement));
    CHECK(c["bus_bandwidth"].get<double>() * elapsed_seconds(c) ==
          Approx(static_cast<double>(left) / kRanks).margin(kElement));
    CHECK(c["bus_bandwidth"].get<double>() <= kLinksOfChip);
    CHECK(c["time_split_ns"]["serialisation"].get<double>() * 1e-9 <= elapsed_seconds(c));
    CHECK(c["correct"] == (sent == 0 ? nlohmann::json() : nlohmann::json(true)));
  }
}

TEST_CASE("collective counts: the estimate is that of the counts", "[collective]") {
  Counts one_pair(16, 0);
  one_pair[1] = 1'000'000;  // to a neighbour: all of it crosses one link
  const nlohmann::json c =
      collective("operation: all_to_all, algorithm: direct, counts: '" + text_of(one_pair) + "'", "timing");
  CHECK(c["estimate_ns"].get<double>() * 1e-9 >= 1e6 * kElement / 100e9);  // of the busiest link
  CHECK(c["estimate_ns"].get<double>() == Approx(c["time_ns"].get<double>()).epsilon(0.2));
}

TEST_CASE("collective counts: random ones have the mean of bytes", "[collective]") {
  const nlohmann::json c = collective("operation: all_to_all, bytes: 1 MiB, counts: random", "timing");
  CHECK(c["bytes"] != 1 << 20);
  CHECK(c["bytes"].get<double>() == Approx(1 << 20).epsilon(0.5));
  CHECK(c["bus_bandwidth"].get<double>() <= kLinksOfChip);
}

TEST_CASE("collectives: none reports more than the links of a chip carry", "[collective]") {
  for (const std::string& operation : runtime::collective::operation_names())
    for (const char* over : {"0-1", "0-3"})
      for (const char* more : {"", ", shift: 0"}) {
        if (*more != 0 && operation != "permute") continue;
        INFO(operation << " over " << over << more);
        const nlohmann::json c =
            collective("operation: " + operation + ", bytes: 16 MiB, over: '" + over + "'" + more, "timing");
        CHECK(c["bus_bandwidth"].get<double>() <= kLinksOfChip);
      }
}

TEST_CASE("collectives: a bus factor of counts is the share that leaves its rank", "[collective]") {
  const Problem problem{Operation::kAllToAll, 2, 0, {}};
  CHECK(bus_factor_of(problem, {}) == 0.5);
  CHECK(bus_factor_of(problem, {7, 7, 7, 7}) == 0.5);
  CHECK(bus_factor_of(problem, {1, 3, 0, 0}) == 0.75);
  CHECK(bus_factor_of(problem, {1, 0, 0, 1}) == 0);
  CHECK(bus_factor_of(problem, {0, 0, 0, 0}) == 0);
  CHECK(runtime::collective::mean_sent(problem, {1, 3, 0, 1}) == 3);
  CHECK(bus_factor_of({Operation::kPermute, 2, 0, {0, 1}}, {}) == 0);
  CHECK(bus_factor_of({Operation::kPermute, 2, 0, {1, 0}}, {}) == 1);
  CHECK(bus_factor_of({Operation::kBroadcast, 1, 0, {}}, {}) == 0);
}
