// SPDX-License-Identifier: Apache-2.0
#include "model/engine/throttle.h"

#include <catch2/catch.hpp>

using namespace tahoma;
using namespace tahoma::base::literals;
using base::Duration, base::Time;
using model::Throttle;

namespace {

// Keeps the array busy from `start`; returns when full rate is first granted.
Duration release_delay(Duration phase, Time start) {
  Throttle t(true, 3.2_us, phase);
  Time now = start;
  while (t.throttled(now)) {
    t.busy(now, now + 100_ns);
    now += 100_ns;
  }
  return now - start;
}

}  // namespace

TEST_CASE("throttle: under continuous work the release comes between one and two windows, whatever the phase",
          "[timing]") {
  for (std::int64_t phase = 0; phase < 32; ++phase) {
    const Duration delay = release_delay(Duration{phase * 100'000'000}, 50_us);
    CHECK(delay >=
          (3.2_us - 1.6_us));  // a window already half over when work starts cannot be more than half busy
    CHECK(delay <= (3.2_us * 2) + 100_ns);
  }
}

TEST_CASE("throttle: a window exactly half busy stays throttled, one more than half busy does not",
          "[timing]") {
  Throttle half(true, 2_us, 0_ns), more(true, 2_us, 0_ns);
  half.busy(0_ns, 1_us);
  more.busy(0_ns, 1_us + 1_ns);
  CHECK(half.throttled(2_us));
  CHECK_FALSE(more.throttled(2_us));
}

TEST_CASE("throttle: it returns after an idle window", "[timing]") {
  Throttle t(true, 2_us, 0_ns);
  t.busy(0_ns, 2_us);
  CHECK_FALSE(t.throttled(3_us));
  CHECK(t.throttled(4_us));
}

TEST_CASE("throttle: work across a boundary counts in both windows", "[timing]") {
  Throttle t(true, 2_us, 0_ns);
  t.busy(0.5_us, 3.2_us);
  CHECK_FALSE(t.throttled(3.2_us));
  CHECK_FALSE(t.throttled(4_us));
}

TEST_CASE("throttle: switched off it never throttles", "[timing]") {
  Throttle t(false, 2_us, 0_ns);
  CHECK_FALSE(t.throttled(0_ns));
}
