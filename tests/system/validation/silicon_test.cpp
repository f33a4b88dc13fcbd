// SPDX-License-Identifier: Apache-2.0
// The accuracy page of the repository.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.h"

using namespace tahoma::tests;

namespace {

// Run from the checkout's folder, to which the program paths of the cases are relative.
Finished silicon_family(const std::string& name) {
  return tahoma_in(TAHOMA_SOURCE_DIR, {"check", "workloads/micro/silicon.yaml", "--family", name});
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("silicon: instructions, transfers, hand-overs and traced kernels are within their limits",
          "[accuracy][long]") {
  for (const char* name : {"tensor", "lanes", "dma", "handover", "traced_kernels"}) {
    const Finished finished = silicon_family(name);
    INFO(finished.out << finished.err);
    CHECK(finished.status == 0);
  }
}

TEST_CASE("silicon: at least nine tenths of the held-out figures lie within their 95 % intervals",
          "[accuracy][long]") {
  const Finished finished =
      tahoma_in(TAHOMA_SOURCE_DIR, {"check", "workloads/micro/silicon.yaml", "--format", "json"});
  CHECK(finished.status == 0);  // the command of the README
  std::size_t held_out = 0, inside = 0;
  const nlohmann::json page = nlohmann::json::parse(finished.out);
  for (const auto& family : page["families"])
    for (const auto& figure : family["figures"]) {
      if (figure["use"] != "check") continue;
      const double silicon = figure["silicon"];
      ++held_out;
      inside += silicon >= figure["interval"]["low"] && silicon <= figure["interval"]["high"];
    }
  INFO(inside << " of " << held_out);
  CHECK(held_out > 80);
  CHECK(static_cast<double>(inside) >= 0.9 * static_cast<double>(held_out));
  CHECK(inside < held_out);  // kernels whose loop nests are inferred are 13 and 14 % off
}

// Mixed loads and stores are faster than on silicon as long as the memory does not model read-write
// turnaround. Once it does, this becomes a family like the others.
TEST_CASE("silicon: of the published kernels, mixed loads and stores alone exceed their limit, as declared",
          "[accuracy]") {
  const Finished finished = silicon_family("published_kernels");
  INFO(finished.out << finished.err);
  CHECK(finished.status == 0);
  CHECK(count(finished.out, ", limit 5 %") == 1);
  CHECK(count(finished.out, "known miss of published_kernels: ag_dma_1k ") == 1);
}
