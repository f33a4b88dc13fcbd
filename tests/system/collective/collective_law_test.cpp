// SPDX-License-Identifier: Apache-2.0
// The time of collectives between chips against closed forms: bytes over the most loaded links.
#include <catch2/catch.hpp>

#include "tests/support/program/collective_time.h"

using namespace tahoma;
using tests::flat_torus, tests::Settings;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

// 1 GiB over the whole machine unless the settings differ.
double seconds_of(const model::MachineParams& params, Settings settings) {
  settings.insert(settings.begin(), {"bytes", "1 GiB"});
  return tests::collective_time(params, std::move(settings)).seconds();
}

// Seconds that a direction of a link takes for that many bytes of data.
double on_link(const model::MachineParams& m, double bytes) {
  const double packet = static_cast<double>(m.link.packet.count);
  const double headers = static_cast<double>(m.link.header.count) / packet;
  return bytes * (1 + headers) / static_cast<double>(m.link.x.bytes_per_second);
}

}  // namespace

TEST_CASE("collective laws: on a ring of four chips each direction carries half of each rank's data",
          "[collective]") {
  const auto m = flat_torus(4);
  for (const auto& [operation, times] :
       {std::pair("all_reduce", 2), {"all_gather", 1}, {"reduce_scatter", 1}}) {
    INFO(operation);
    const double bound = on_link(m, times * 3.0 / 4 * kGiB / 2);
    CHECK(seconds_of(m, {{"operation", operation}, {"algorithm", "ring"}}) == Approx(bound).epsilon(0.01));
  }
}

// The torus of two axes splits into two cycles of 16 chips, each with two directions: every link of every
// chip forwards a quarter. Filling and emptying the pipeline takes a constant time, so the size is large.
TEST_CASE("collective laws: on a torus four rings at once carry a quarter of each rank's data each",
          "[collective][slow]") {
  const auto m = flat_torus(4, 4);
  for (const auto& [operation, times] :
       {std::pair("all_reduce", 2), {"all_gather", 1}, {"reduce_scatter", 1}}) {
    INFO(operation);
    const double bound = on_link(m, times * 15.0 / 16 * 4 * kGiB / 4);
    CHECK(seconds_of(m, {{"operation", operation}, {"algorithm", "ring"}, {"bytes", "4 GiB"}}) ==
          Approx(bound).epsilon(0.01));
  }
}

TEST_CASE("collective laws: no other algorithm beats the best one by 5 percent, on any fabric",
          "[collective][slow]") {
  for (const base::FabricKind topology :
       {base::fabric_named("torus"), base::fabric_named("mesh"), base::fabric_named("switched")})
    for (const char* bytes : {"64 KiB", "4 MiB"})
      for (const auto& [operation, algorithms] :
           {std::pair("all_reduce", std::vector{"ring", "kangaring", "mesh", "mesh_one_step", "recursive",
                                                "hierarchical", "tree"}),
            {"all_gather", {"ring", "kangaring", "mesh", "recursive", "hierarchical", "dissemination"}},
            {"broadcast", {"ring", "mesh", "tree"}}}) {
        auto m = flat_torus(4, 4);
        m.link.topology = topology;
        const Settings asked{{"operation", operation}, {"bytes", bytes}};
        const auto seconds = [&](const char* algorithm) {
          Settings settings = asked;
          settings.push_back({"algorithm", algorithm});
          return seconds_of(m, settings);
        };
        const double best = seconds("best");
        for (const char* algorithm : algorithms) {
          INFO(name_of(topology) << ", " << operation << " of " << bytes << " by " << algorithm);
          CHECK(best < 1.05 * seconds(algorithm));
        }
      }
}

TEST_CASE("collective laws: a transfer to a neighbour takes its bytes over one link", "[collective]") {
  const auto m = flat_torus(4);
  CHECK(seconds_of(m, {{"operation", "send_recv"}, {"algorithm", "direct"}, {"over", "0-1"}}) ==
        Approx(on_link(m, kGiB)).epsilon(0.01));
}

TEST_CASE("collective laws: half the rate of links takes twice the time, and a higher rate is never slower",
          "[collective]") {
  double before = 0;
  for (const std::uint64_t rate : {32, 64, 128}) {
    auto m = flat_torus(4);
    m.link.x = {rate * 1'000'000'000, false};
    const double now = seconds_of(m, {{"operation", "all_reduce"}, {"algorithm", "ring"}});
    if (before > 0) CHECK(before / now == Approx(2).epsilon(0.01));
    before = now;
  }
  auto faster = flat_torus(4);
  faster.link.x = {1'000'000'000'000, false};
  CHECK(seconds_of(faster, {{"operation", "all_reduce"}, {"algorithm", "ring"}}) < before);
}

TEST_CASE(
    "collective laws: 1 GiB over 64 chips takes at most 4.40 ms by the best algorithm, and no less than 3.30",
    "[collective][slow]") {
  const double seconds =
      seconds_of(flat_torus(4, 4, 4), {{"operation", "all_reduce"}, {"algorithm", "best"}});
  CHECK(seconds < 4.40e-3);
  CHECK(seconds > 2 * 63.0 / 64 * kGiB / 640e9);
}
