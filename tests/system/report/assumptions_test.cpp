// SPDX-License-Identifier: Apache-2.0
// A run names the assumed parameters of the components that it used, in its summary as on its page.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/program/file_of_run.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;

namespace {

using Names = std::set<std::string>;

// Returns the parameters that `tahoma params` says are assumed.
Names assumed_by_declaration(const tests::TempDir& dir) {
  const auto listed = tests::tahoma_in(dir.path().string(), {"params", "machine", "--format", "json"});
  Names names;
  for (const auto& parameter : nlohmann::json::parse(listed.out))
    if (parameter["provenance"] == "assumed") names.insert(parameter["path"]);
  return names;
}

Names assumed_by_run(const tests::TempDir& dir, std::vector<std::string> more) {
  more.insert(more.begin(),
              {"run", TAHOMA_SOURCE_DIR "/workloads/vector_add/trace_256k.yaml", "--out", "out"});
  const auto run = tests::tahoma_in(dir.path().string(), more);
  REQUIRE(run.status == 0);
  const auto page = nlohmann::json::parse(tests::file_of_run(dir / "out/report.json"));
  Names names;
  for (const auto& parameter : page["ledger"]["assumed"]) names.insert(parameter["path"]);
  CHECK_THAT(run.out, Catch::Contains(std::to_string(names.size()) + " assumed parameters in use"));
  return names;
}

}  // namespace

TEST_CASE("assumptions: a run names the assumed parameters of what it used, and no other", "[report]") {
  const tests::TempDir dir;
  const Names declared = assumed_by_declaration(dir), named = assumed_by_run(dir, {});
  REQUIRE_FALSE(named.empty());
  for (const std::string& name : named) {
    INFO(name);
    CHECK(declared.contains(name));
    CHECK_FALSE(name.starts_with("machine.link."));              // no packet leaves its chip,
    CHECK_FALSE(name.starts_with("machine.chip.core.tensor."));  // and no matmul is executed
  }
  CHECK(std::any_of(named.begin(), named.end(),
                    [](const std::string& name) { return name.starts_with("machine.chip.core.dma."); }));
}

TEST_CASE("assumptions: a value that the user sets is no assumption", "[report]") {
  const tests::TempDir dir;
  const Names named = assumed_by_run(dir, {});
  const std::string chosen = "machine.chip.core.dma.";
  const auto first = std::find_if(named.begin(), named.end(),
                                  [&](const std::string& name) { return name.starts_with(chosen); });
  REQUIRE(first != named.end());
  const auto told = tests::tahoma_in(dir.path().string(), {"params", *first, "--format", "json"});
  const std::string usual = nlohmann::json::parse(told.out)[0]["default"];
  INFO(*first << " = " << usual);
  // One more, in the same unit.
  const std::size_t digits = usual.find_first_not_of("0123456789.");
  const double value = std::stod(usual.substr(0, digits));
  const std::string other =
      std::to_string(static_cast<int>(value) + 1) + (digits == std::string::npos ? "" : usual.substr(digits));
  Names rest = named;
  rest.erase(*first);
  CHECK(assumed_by_run(dir, {"--set", *first + "=" + other}) == rest);
}
