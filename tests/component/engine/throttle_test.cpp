// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/throttle.h"

#include <catch2/catch.hpp>

#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using base::Cycles;
using model::Throttle;

namespace {

constexpr Cycles kWindow{8192};  // 4096 cycles of the 1.2 GHz clock
constexpr Throttle::Rows kAll{0, 128};

// Columns stream without a gap from `start` on; returns the cycles until full rate is granted.
std::int64_t release_delay(Cycles phase, Cycles start, std::uint64_t share) {
  Throttle t(true, kWindow, phase, share, kAll.count, kAll.count);
  Cycles now = start;
  while (t.throttled(now)) now = t.stream(now, {1}, kAll);
  return (now - start).count;
}

}  // namespace

TEST_CASE("throttle: the defaults release after continuous work as late and as early as silicon did",
          "[timing]") {
  const auto& p = tests::default_machine().chip.core.tensor;
  const base::Clock clock(p.clock);
  CHECK(clock.nearest(p.throttle_window) == kWindow);
  std::int64_t earliest = 100'000, latest = 0;
  for (std::int64_t phase = 0; phase < kWindow.count; phase += 64) {
    const std::int64_t delay = release_delay({phase}, {120'000}, p.throttle_share);
    earliest = std::min(earliest, delay);
    latest = std::max(latest, delay);
  }
  // Work that begins with 86 % of a window left (43 % at half rate) is just enough, or just not enough.
  CHECK(earliest == Approx(0.86 * 8192).margin(64));
  CHECK(latest == Approx(1.86 * 8192).margin(64));
  // Delays of 13 bursts in the trn2 device profiles, in microseconds.
  for (const double us : {3.30, 3.48, 3.5, 3.39, 4.42, 4.45, 4.49, 4.80, 5.22, 5.43, 5.58, 5.9, 6.27}) {
    CHECK(us * 2400 >= static_cast<double>(earliest));
    CHECK(us * 2400 <= static_cast<double>(latest));
  }
}

TEST_CASE("throttle: windows of the device profiles are followed by the rate that silicon had", "[timing]") {
  const auto share = tests::default_machine().chip.core.tensor.throttle_share;
  // Percent of a window in which columns streamed, counted at full rate, and whether the next window was
  // throttled. The first four rows are from the convolutions v1 and v3, the others from v4.
  for (const auto& [per_mille, throttled] : {std::pair{266, true},
                                             {355, true},
                                             {448, false},
                                             {474, false},
                                             {369, true},
                                             {458, false},
                                             {460, false}}) {
    CAPTURE(per_mille);
    Throttle t(true, kWindow, {0}, share, kAll.count, kAll.count);
    t.stream({0}, {kWindow.count * per_mille / 1000}, kAll);
    CHECK(t.throttled(kWindow) == throttled);
  }
}

TEST_CASE("throttle: a window exactly at the share stays throttled, one column more does not", "[timing]") {
  Throttle at(true, {1000}, {0}, 40, kAll.count, kAll.count),
      above(true, {1000}, {0}, 40, kAll.count, kAll.count);
  at.stream({0}, {400}, kAll);
  above.stream({0}, {401}, kAll);
  CHECK(at.throttled({1000}));
  CHECK_FALSE(above.throttled({1000}));
}

TEST_CASE("throttle: columns take two cycles until the window ends that ends the throttle", "[timing]") {
  Throttle t(true, {1000}, {0}, 40, kAll.count, kAll.count);
  CHECK(t.stream({100}, {420}, kAll) == Cycles{940});
  // 30 columns up to the boundary; 420 + 30 are above the share, and the other 70 stream at full rate.
  CHECK(t.stream({940}, {100}, kAll) == Cycles{1070});
  CHECK_FALSE(t.throttled({1999}));
}

TEST_CASE("throttle: it returns after a window with too little work, and after idle windows", "[timing]") {
  Throttle t(true, {1000}, {0}, 40, kAll.count, kAll.count);
  t.stream({0}, {500}, kAll);
  CHECK_FALSE(t.throttled({1000}));
  t.stream({1000}, {400}, kAll);
  CHECK(t.throttled({2000}));
  Throttle idle(true, {1000}, {0}, 40, kAll.count, kAll.count);
  idle.stream({0}, {500}, kAll);
  CHECK(idle.throttled({2000}));
}

TEST_CASE("throttle: windows start at minus the phase", "[timing]") {
  Throttle t(true, {1000}, {300}, 40, kAll.count, kAll.count);
  t.stream({0}, {350}, kAll);  // 700 cycles, to the end of the first window
  CHECK(t.throttled({700}));
  t.stream({700}, {500}, kAll);
  CHECK_FALSE(t.throttled({1700}));
}

TEST_CASE("throttle: concurrent work of the array's tiles counts once", "[timing]") {
  Throttle t(true, {1000}, {0}, 40, kAll.count, kAll.count);
  for (int tile = 0; tile < 4; ++tile) t.stream({0}, {300}, kAll);
  CHECK(t.throttled({1000}));
}

TEST_CASE("throttle: concurrent work on other rows adds up", "[timing]") {
  Throttle t(true, {1000}, {0}, 40, kAll.count, kAll.count);
  for (const unsigned first : {0U, 32U, 64U, 96U}) t.stream({0}, {401}, {first, 32});
  CHECK_FALSE(t.throttled({1000}));
}

TEST_CASE("throttle: half of the rows keep the full rate, and never reach it", "[timing]") {
  const Throttle::Rows half{0, 64};
  Throttle cold(true, {1000}, {0}, 40, kAll.count, kAll.count), warm = cold;
  Cycles now{0};
  for (int window = 0; window < 10; ++window) now = cold.stream(now, {500}, half);
  CHECK(now == Cycles{10'000});
  warm.stream({0}, {500}, kAll);
  now = {1000};
  for (int window = 0; window < 10; ++window) now = warm.stream(now, {1000}, half);
  CHECK(now == Cycles{11'000});
  CHECK(warm.throttled(warm.stream(now + Cycles{300}, {700}, half)));  // 350 of 1000
}

TEST_CASE("throttle: a larger array is no slower for work on as many rows as the measured one has",
          "[timing]") {
  for (const unsigned rows : {128U, 256U, 300U, 512U}) {
    Throttle small(true, {1000}, {0}, 40, kAll.count, kAll.count),
        large(true, {1000}, {0}, 40, rows, kAll.count);
    Cycles at_small{0}, at_large{0};
    for (const std::int64_t work : {500, 300, 40, 2000, 130, 900}) {
      at_small = small.stream(at_small + Cycles{work / 3}, {work}, kAll);
      at_large = large.stream(at_large + Cycles{work / 3}, {work}, kAll);
      CHECK(at_small == at_large);
    }
  }
  // Tiles of a larger array that work side by side count once for each of their rows.
  Throttle t(true, {1000}, {0}, 40, 512, kAll.count);
  for (unsigned first = 0; first < 512; first += 32) t.stream({0}, {50}, {first, 32});
  CHECK(t.throttled({1000}));  // 512 rows for 50 cycles are 128 rows for 200
  for (unsigned first = 0; first < 512; first += 32) t.stream({1000}, {110}, {first, 32});
  CHECK_FALSE(t.throttled({2000}));
}

TEST_CASE("throttle: switched off, columns pass at full rate", "[timing]") {
  Throttle t(false, {1000}, {0}, 40, kAll.count, kAll.count);
  CHECK_FALSE(t.throttled({0}));
  CHECK(t.stream({10}, {420}, kAll) == Cycles{430});
}
