// SPDX-License-Identifier: Apache-2.0
// Bandwidth servers and their windowed series.
#include <catch2/catch.hpp>

#include "model/sim/bandwidth_server.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using base::Bandwidth, base::Bytes, base::Duration, base::Time;

TEST_CASE("bandwidth server: back-to-back requests take bytes over rate", "[sim]") {
  sim::BandwidthServer s(100_GBps);
  Time end{0};
  for (int n = 0; n < 1000; ++n) end = s.reserve({0}, 4_KiB).end;
  CHECK(end == (100_GBps).time_for({4096 * 1000}));
  CHECK(s.busy() == end);
}

TEST_CASE("bandwidth server: it idles only when nothing has arrived", "[sim]") {
  sim::BandwidthServer s(1_GBps);
  CHECK(s.reserve(0_ns, 10_B).end == 10_ns);
  CHECK(s.reserve(5_ns, 10_B).start == 10_ns);
  CHECK(s.reserve(100_ns, 10_B).start == 100_ns);
  CHECK(s.busy() == 30_ns);
}

TEST_CASE("bandwidth server: an ideal one costs nothing", "[sim]") {
  sim::BandwidthServer s(Bandwidth{1, true});
  CHECK(s.reserve(7_ns, 1_GiB).end == 7_ns);
}

TEST_CASE("busy series: the windows add up to the busy time, at any length of run", "[sim]") {
  sim::BusySeries series;
  Duration total{0};
  for (std::int64_t n = 0; n < 100'000; ++n) {
    const Time start{n * 977'000'000};  // 0.977 us apart: 98 ms in all
    series.add(start, start + 333_ns);
    total += 333_ns;
  }
  const auto s = series.series();
  Duration sum{0};
  for (const Duration d : s.busy) {
    CHECK(d <= s.window);
    sum += d;
  }
  CHECK(sum == total);
  CHECK(s.busy.size() <= 256);
  CHECK(s.window.fs * 256 >= 97'000'000'000'000);
  CHECK(s.window.fs * 128 < 98'000'000'000'000);  // no longer than needed
}

TEST_CASE("busy series: a short run keeps windows of 10 us", "[sim]") {
  sim::BusySeries series;
  series.add(5_us, 15_us);
  const auto s = series.series();
  REQUIRE(s.window == 10_us);
  REQUIRE(s.busy.size() == 2);
  CHECK(s.busy[0] == 5_us);
  CHECK(s.busy[1] == 5_us);
}
