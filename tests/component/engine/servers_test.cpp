// SPDX-License-Identifier: Apache-2.0
// Bandwidth servers and their windowed series, and the queue that components share.
#include <catch2/catch.hpp>
#include <random>

#include "model/sim/bandwidth_server.h"
#include "model/sim/booked_server.h"
#include "model/sim/fifo.h"

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
  base::BusySeries series;
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
  CHECK(s.window.fs * 128 < 98'000'000'000'000);  // no longer than necessary
}

TEST_CASE("busy series: a short run keeps windows of 10/32 us", "[sim]") {
  base::BusySeries series;
  series.add(250_ns, 750_ns);
  const auto s = series.series();
  REQUIRE(s.window == 312.5_ns);
  REQUIRE(s.busy.size() == 3);
  CHECK(s.busy[0] == 62.5_ns);
  CHECK(s.busy[1] == 312.5_ns);
  CHECK(s.busy[2] == 125_ns);
}

TEST_CASE("booked server: with requests in order of arrival it is a bandwidth server", "[sim]") {
  std::mt19937 random(3);
  sim::BandwidthServer plain(10_GBps);
  sim::BookedServer booked(10_GBps);
  Time t{0};
  for (int n = 0; n < 5000; ++n) {
    t += Duration{static_cast<std::int64_t>(random() % 200'000'000)};
    const Bytes bytes{random() % 2000};
    const auto expected = plain.reserve(t, bytes);
    const auto slot = booked.reserve(t, bytes, t);
    CHECK(slot.start == expected.start);
    CHECK(slot.end == expected.end);
    CHECK(slot.held == expected.start - t);
  }
  CHECK(booked.busy() == plain.busy());
}

TEST_CASE("booked server: a late request takes the earlier free time, piece by piece", "[sim]") {
  sim::BookedServer s(1_GBps);
  CHECK(s.reserve(100_ns, 50_B, 0_ns).end == 150_ns);
  CHECK(s.reserve(200_ns, 50_B, 0_ns).end == 250_ns);
  CHECK(s.reserve(10_ns, 40_B, 0_ns).end == 50_ns);
  const auto pieces = s.reserve(80_ns, 100_B, 0_ns);  // 80..100, 150..200, 250..280
  CHECK(pieces.start == 80_ns);
  CHECK(pieces.end == 280_ns);
  CHECK(pieces.held == 100_ns);
  CHECK(s.reserve(60_ns, 20_B, 0_ns).end == 80_ns);
  CHECK(s.reserve(60_ns, 1_B, 0_ns).start == 280_ns);
  CHECK(s.reserve(0_ns, 20_B, 0_ns).end == 60_ns);  // 0..10, 50..60
  CHECK(s.busy() == 281_ns);
}

TEST_CASE("booked server: a request for settled time is served after it and takes no time from others",
          "[sim]") {
  sim::BookedServer s(1_GBps);
  CHECK(s.reserve(100_ns, 50_B, 0_ns).end == 150_ns);
  CHECK(s.reserve(300_ns, 10_B, 200_ns).end == 310_ns);  // the first reservation is forgotten
  const auto late = s.reserve(110_ns, 20_B, 150_ns);
  CHECK(late.start == 200_ns);
  CHECK(late.end == 220_ns);
  CHECK(late.held == 90_ns);
}

TEST_CASE("booked server: it never works faster than its rate nor idles while something waits", "[sim]") {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    sim::BookedServer s(1_GBps);
    std::vector<bool> taken(20'000, false);  // by nanosecond
    Time now{0};
    for (int n = 0; n < 200; ++n) {
      now += Duration{static_cast<std::int64_t>(random() % 40) * 1'000'000};
      const Time arrival = now + Duration{static_cast<std::int64_t>(random() % 500) * 1'000'000};
      const std::uint64_t bytes = 1 + random() % 60;
      const auto slot = s.reserve(arrival, {bytes}, now);
      auto at = static_cast<std::size_t>(arrival.fs / 1'000'000);
      std::size_t first = 0, last = 0;
      for (std::uint64_t left = bytes; left > 0; ++at) {
        if (taken[at]) continue;
        if (left == bytes) first = at;
        taken[at] = true;
        last = at + 1;
        --left;
      }
      CHECK(slot.start == Duration{static_cast<std::int64_t>(first) * 1'000'000});
      CHECK(slot.end == Duration{static_cast<std::int64_t>(last) * 1'000'000});
    }
  }
}

TEST_CASE("booked server: an ideal one costs nothing", "[sim]") {
  sim::BookedServer s(Bandwidth{1, true});
  CHECK(s.reserve(9_ns, 1_GiB, 0_ns).end == 9_ns);
  CHECK(s.reserve(7_ns, 1_GiB, 0_ns).end == 7_ns);
}

TEST_CASE("fifo: it grows, wraps around and keeps its order", "[sim]") {
  sim::Fifo<int> fifo;
  int in = 0, out = 0;
  for (int round = 1; round < 40; ++round) {
    for (int n = 0; n < round; ++n) fifo.push(in++);
    for (std::size_t n = 0; n < fifo.size(); ++n) CHECK(fifo[n] == out + static_cast<int>(n));
    for (int n = 0; n < round - 1; ++n) {
      CHECK(fifo.front() == out++);
      fifo.pop();
    }
  }
  CHECK(fifo.size() == 39);
  CHECK(fifo.back() == in - 1);
}
