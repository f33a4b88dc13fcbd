// SPDX-License-Identifier: Apache-2.0
// Findings on any cores and in any iteration of a loop are one group, with the number of times.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/program/checked_run.h"

using namespace tahoma;
using Catch::Contains;
using tests::checked_run, tests::CoreText;

namespace {

std::vector<std::string> races(const std::vector<std::uint32_t>& cores, const std::string& text) {
  std::vector<CoreText> programs;
  for (const std::uint32_t core : cores) programs.push_back({core, text});
  std::vector<std::string> found = checked_run(programs, {{true, false}});
  std::erase_if(found, [](const std::string& line) { return !line.starts_with("E-CHK-001"); });
  return found;
}

}  // namespace

TEST_CASE("finding groups: one pair of instructions once is shown without a count", "[check]") {
  const auto found = races({0}, "vector:\n memset S dst=T0 value=1\ngpsimd:\n memset S dst=T0 value=2\n");
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], !Contains(" times"));
}

TEST_CASE("finding groups: equal programs on several cores are one group, shown once in full", "[check]") {
  const auto found =
      races({0, 3, 9}, "vector:\n memset S dst=T0 value=1\ngpsimd:\n memset S dst=T0 value=2\n");
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Contains("vector[0] memset") && Contains("gpsimd[0] memset"));
  CHECK_THAT(found[0], Catch::EndsWith(
                           "; 3 times (3 pairs of instructions) at program.gpsimd[0] and program.vector[0]"));
}

TEST_CASE("finding groups: every iteration of a loop counts, and the pair is one", "[check]") {
  std::string text;
  for (const char* queue : {"vector", "gpsimd"})
    text += std::string(queue) +
            ":\n reg_set d=r1 imm=5\nagain:\n memset S dst=T0 value=1\n reg_alu d=r1 a=r1 op=subtract imm=1\n"
            " branch a=r1 compare=gt imm=0 target=again\n";
  const auto found = races({0}, text);
  REQUIRE(found.size() == 1);
  const std::string rest = found[0].substr(found[0].rfind("; ") + 2);
  CHECK_THAT(rest, Catch::EndsWith(" times at program.gpsimd[1] and program.vector[1]"));
  CHECK(std::stoi(rest) >= 5);
}

TEST_CASE("finding groups: other places are other groups", "[check]") {
  const auto found = races({0},
                           "vector:\n memset S dst=T0 value=1\n memset S dst=T1 value=1\n"
                           "gpsimd:\n memset S dst=T0 value=2\n memset S dst=T1 value=1\n");
  CHECK(found.size() == 2);
}
