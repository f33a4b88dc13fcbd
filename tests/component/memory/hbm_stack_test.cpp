// SPDX-License-Identifier: Apache-2.0
// An isolated stack with DRAM: its answers follow from its requests, not from the order of their
// announcement.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/support/bench/machine_fixture.h"
#include "tests/support/bench/stack_bench.h"
#include "tests/support/in_child.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::Duration, base::Time;

namespace {

// Reads and a few writes of 16 engines of 4 cores, many of them at the same instant, but never two of one
// engine. Writes that find the queue full are answered in the order of their announcement; there are too few
// writes for that.
std::vector<StackRequest> random_requests(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<StackRequest> requests;
  const std::int64_t instants = seed % 2 == 0 ? 40 : 2000;
  for (std::uint32_t core = 0; core < 4; ++core)
    for (std::uint32_t engine = 0; engine < 16; ++engine)
      for (std::int64_t n = 0; n < instants; n += 1 + static_cast<std::int64_t>(random() % 40)) {
        const bool write = random() % 16 == 0;
        const auto bytes = static_cast<std::uint32_t>(32 << random() % (write ? 2 : 8));
        const std::uint64_t offset = random() % (1 << 14) * 4096;
        requests.push_back({write, offset, bytes, core, engine, Time{n * 10'000'000}});
      }
  return requests;
}

std::string answers(const std::vector<StackRequest>& requests) {
  return in_child([&] {
    std::vector<std::string> lines;
    StackBench bench(default_machine().chip.hbm, [&](const StackAnswer& a) {
      const StackRequest& r = a.request;
      lines.push_back(fmt::format("{} {} {}: {} {} {}\n", r.start.fs, r.core, r.engine, a.first.fs, a.last.fs,
                                  a.held.fs));
      return std::nullopt;
    });
    bench.run(requests);
    std::sort(lines.begin(), lines.end());
    return fmt::format("{}", fmt::join(lines, ""));
  });
}

}  // namespace

TEST_CASE("HBM stack: the order in which requests of one instant are announced changes nothing", "[hbm]") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    std::vector<StackRequest> requests = random_requests(seed);
    const std::string first = answers(requests);
    REQUIRE(first.size() > 10 * requests.size());
    std::mt19937_64 random(seed);
    for (int n = 0; n < 3; ++n) {
      std::shuffle(requests.begin(), requests.end(), random);
      CHECK(answers(requests) == first);
    }
  }
}

// An activate, a read and its burst, from the next edge of the command clock and in slots of two cycles.
TEST_CASE("HBM stack: an unloaded access takes tRCDRD + CL + a burst", "[hbm]") {
  const model::HbmParams hbm = default_machine().chip.hbm;
  const double slot = 32.0 * 32 / (static_cast<double>(hbm.bandwidth.bytes_per_second) / 1e9);
  const double cycle = slot / 2;
  const auto cycles = [&](Duration d) { return std::ceil(d.ns() / cycle) * cycle; };
  const double expected = cycles(hbm.dram.timing.rcd_read) + cycles(hbm.dram.timing.cl) + slot;
  std::vector<StackRequest> far_apart;
  for (std::uint32_t n = 0; n < 100; ++n)
    far_apart.push_back({false, n * 200'000'032ULL / 32 * 32, 32, 0, 0, Time{n * 1'234'567'890'123}});
  unsigned late = 0;
  StackBench bench(hbm, [&](const StackAnswer& a) {
    const double took = (a.last - a.request.start).ns();
    CHECK(took >= expected - 1e-3);
    if (took > expected + slot + cycle) ++late;
    return std::nullopt;
  });
  bench.run(far_apart);
  // Accesses that a refresh of their bank delays: binomial, within four standard deviations.
  const model::DramTimingParams& t = hbm.dram.timing;
  const double refreshed = (t.rp + t.rfc_bank).ns() / t.refi.ns() * 100;
  CHECK(late <= refreshed + 4 * std::sqrt(refreshed));
}
