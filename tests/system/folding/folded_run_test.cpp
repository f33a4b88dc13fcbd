// SPDX-License-Identifier: Apache-2.0
// A folded run has the statistics, the events and the values of the whole machine, to the femtosecond and the
// bit: random collectives and GEMMs on random machines, with and without DRAM, faults and logical cores.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>

#include "model/base/error.h"
#include "report/files/folding_report.h"
#include "runtime/host/sha256.h"
#include "tests/support/program/random_cases.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;

namespace {

// "refused", or the number of chips that were simulated, and a digest of everything that an observer sees and
// of all values.
std::pair<std::string, std::string> outcome(const tests::RandomCase& c, bool fold, model::Mode mode) {
  const std::string text = tests::in_child([&]() -> std::string {
    try {
      const auto workload = tests::checked_workload(c);
      runtime::Machine machine(c.machine, mode);
      machine.allow_folding(fold);
      const auto [statistics, events] = tests::observed_run(*workload, machine);
      const std::string values = tests::values_of(*workload, machine);
      if (values.starts_with("wrong")) return "wrong " + values;
      return fmt::format("{} {}", machine.folding().simulated(),
                         runtime::sha256_of(statistics + values + events));
    } catch (const base::UserError& error) {
      return std::string("refused ") + error.code;
    }
  });
  return {text.substr(0, text.find(' ')), text.substr(text.find(' ') + 1)};
}

// At least `folding` of the cases must have chips that fold; otherwise they would show nothing.
void check_cases(std::uint32_t seed, int cases, model::Mode mode, int folding) {
  tests::RandomCases random(seed);
  int ran = 0, folded = 0;
  for (int n = 0; n < cases; ++n) {
    tests::RandomCase c = random.next();
    if (mode == model::Mode::kFunctional && n % 4 == 3)
      c.machine.chip.core.rounding = model::RoundingMode::kStochastic;
    INFO("seed " << seed << ", case " << n << ": " << c.text);
    const auto [chips, digest] = outcome(c, true, mode);
    const auto [all, whole] = outcome(c, false, mode);
    CHECK(digest == whole);
    CHECK(chips != "wrong");
    if (chips == "refused" || chips == "wrong") continue;
    ++ran;
    folded += std::stoul(chips) < std::stoul(all) ? 1 : 0;
  }
  CHECK(ran >= cases / 2);
  CHECK(folded >= folding);
}

}  // namespace

TEST_CASE("folded runs: random cases have the statistics and events of the whole machine",
          "[folding][long]") {
  check_cases(1, 20, model::Mode::kTiming, 20 / 5);
}

TEST_CASE("folded runs: many random cases have the statistics and events of the whole machine",
          "[folding][slow]") {
  check_cases(2, 250, model::Mode::kTiming, 250 / 5);
}

TEST_CASE("folded runs: random cases in functional mode have the values of the whole machine, too",
          "[folding]") {
  check_cases(5, 12, model::Mode::kFunctional, 12 / 10);
}

TEST_CASE("folded runs: many random cases in functional mode have the values of the whole machine, too",
          "[folding][slow]") {
  check_cases(4, 120, model::Mode::kFunctional, 120 / 10);
}

TEST_CASE("folded runs: --fold verify compares the files of both runs in both modes", "[folding]") {
  tests::TempDir temp;
  const std::string out = (temp.path() / "out").string(),
                    gemm = std::string(TAHOMA_SOURCE_DIR) + "/workloads/gemm/";
  const std::vector<std::string> small{
      "--set", "machine.torus.z=1", "--set", "workload.shard={m: 2, n: 8, k: 8}",
      "--set", "workload.m=512",    "--set", "workload.n=1024",
      "--set", "workload.k=1024"};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", gemm + "ultraserver.yaml", "--out", out});
    words.insert(words.end(), small.begin(), small.end());
    return tests::tahoma_in(".", words);
  };
  const auto verified = run({"--mode", "timing", "--fold", "verify"});
  CHECK(verified.status == 0);
  CHECK_THAT(verified.err,
             Catch::Contains("simulated 8 of 16 chips") && Catch::Contains("wrote the same files"));
  CHECK_FALSE(std::filesystem::exists(out + ".whole"));
  const auto functional = run({"--mode", "functional", "--fold", "verify", "--save-outputs"});
  CHECK(functional.status == 0);
  CHECK_THAT(functional.err,
             Catch::Contains("simulated 8 of 16 chips") && Catch::Contains("wrote the same files"));
}

TEST_CASE(
    "folded runs: with checks or dumps, idle chips are simulated once, and the files are those of the "
    "whole machine",
    "[folding]") {
  tests::TempDir temp;
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"run", std::string(TAHOMA_SOURCE_DIR) + "/workloads/program/scale_by_two.yaml", "--machine",
                  "trainium2_ultraserver", "--mode", "functional", "--fold", "verify"});
    const auto done = tests::tahoma_in(temp.path().string(), words);
    CHECK(done.status == 0);
    CHECK_THAT(done.err,
               Catch::Contains("simulated 2 of 64 chips") && Catch::Contains("wrote the same files"));
    std::filesystem::remove_all(temp.path() / "out");
  };
  run({"--check", "races,uninitialised"});
  run({"--dump", "results", "--save-outputs"});
}

TEST_CASE("folded runs: --fold verify fails if the whole machine cannot be run, and replaces nothing",
          "[folding]") {
  tests::TempDir temp;
  std::filesystem::create_directories(temp / "out.whole");
  std::ofstream(temp / "out.whole/notes.txt") << "mine";
  const auto run = tests::tahoma_in(
      temp.path().string(), {"run", std::string(TAHOMA_SOURCE_DIR) + "/workloads/gemm/chip.yaml", "--mode",
                             "timing", "--fold", "verify"});
  CHECK(run.status == 1);
  CHECK_THAT(run.err, Catch::Contains("E-RUN-074") && Catch::Contains("E-OUT-002"));
  CHECK_FALSE(std::filesystem::exists(temp / "out"));
  CHECK(tests::contents(temp / "out.whole/notes.txt") == "mine");
}

TEST_CASE("folded runs: a file that differs or is missing is found, whatever the manifests say",
          "[folding]") {
  tests::TempDir temp;
  const auto put = [&](const char* folder, const char* name, const char* text) {
    std::filesystem::create_directories(temp.path() / folder);
    std::ofstream(temp.path() / folder / name) << text;
  };
  for (const char* folder : {"a", "b"}) {
    put(folder, "same.txt", "1");
    put(folder, "other.txt", folder);
    put(folder, "manifest.json", folder);
  }
  put("b", "more.txt", "");
  CHECK(runtime::differing_files((temp.path() / "a").string(), (temp.path() / "b").string()) ==
        std::vector<std::string>{"more.txt", "other.txt"});
}
