// SPDX-License-Identifier: Apache-2.0
#include "model/sim/semaphores.h"

#include <catch2/catch.hpp>

#include "model/base/error.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using base::StallReason;
using sim::Change, sim::Compare;

namespace {

struct Counting : sim::Watcher {
  int calls = 0;
  void semaphore_changed() override { ++calls; }
};

}  // namespace

TEST_CASE("semaphores: a condition holds at the time of the change that makes it true, in order of time",
          "[sim]") {
  sim::SemaphoreFile s("s");
  CHECK_FALSE(s.when({3, Compare::kGe, 1}));
  s.post(3, Change::kAdd, 1, 500_ns, StallReason::kWaitDma);
  CHECK(s.when({3, Compare::kGe, 1})->when == 500_ns);
  s.post(3, Change::kAdd, 1, 300_ns, StallReason::kWaitVector);  // posted later, visible earlier
  CHECK(s.when({3, Compare::kGe, 1})->when == 300_ns);
  CHECK(s.when({3, Compare::kGe, 1})->raiser == StallReason::kWaitVector);
  CHECK(s.when({3, Compare::kGe, 2})->when == 500_ns);
  CHECK_FALSE(s.when({3, Compare::kGe, 3}));
}

TEST_CASE("semaphores: decrement and set take effect in order of time", "[sim]") {
  sim::SemaphoreFile s("s");
  s.post(0, Change::kAdd, 5, 10_ns, StallReason::kWaitDma);
  s.post(0, Change::kSubtract, 3, 20_ns, StallReason::kWaitDma);
  s.post(0, Change::kSet, 7, 30_ns, StallReason::kWaitDma);
  CHECK(s.when({0, Compare::kEq, 2})->when == 20_ns);
  CHECK(s.when({0, Compare::kGe, 6})->when == 30_ns);
}

TEST_CASE("semaphores: a waiter that is ready later sees changes that undo its condition", "[sim]") {
  sim::SemaphoreFile s("s");
  s.post(0, Change::kAdd, 16, 10_ns, StallReason::kWaitDma);
  s.post(0, Change::kSubtract, 16, 20_ns, StallReason::kWaitVector);
  CHECK(s.when({0, Compare::kGe, 16})->when == 10_ns);
  CHECK(s.when({0, Compare::kGe, 16}, 15_ns)->when == 10_ns);
  CHECK_FALSE(s.when({0, Compare::kGe, 16}, 20_ns));
  s.post(0, Change::kAdd, 16, 40_ns, StallReason::kWaitDma);
  CHECK(s.when({0, Compare::kGe, 16}, 30_ns)->when == 40_ns);
  CHECK(s.when({0, Compare::kGe, 16}, 50_ns)->when == 40_ns);
}

TEST_CASE("semaphores: watchers receive every change until they leave", "[sim]") {
  sim::SemaphoreFile s("s");
  Counting watcher;
  s.watch(9, &watcher);
  s.post(9, Change::kAdd, 1, 1_ns, StallReason::kWaitDma);
  s.post(8, Change::kAdd, 1, 1_ns, StallReason::kWaitDma);
  CHECK(watcher.calls == 1);
  s.unwatch(9, &watcher);
  s.post(9, Change::kAdd, 1, 1_ns, StallReason::kWaitDma);
  CHECK(watcher.calls == 1);
}

TEST_CASE("semaphores: changes posted together equal those posted one by one, with one notification",
          "[sim]") {
  sim::SemaphoreFile together("together"), alone("alone");
  Counting watcher, other;
  together.watch(9, &watcher);
  together.watch(4, &other);
  const std::vector<sim::Posting> all{{9, Change::kAdd, 1, 30_ns, StallReason::kWaitDma, 1},
                                      {4, Change::kSet, 5, 10_ns, StallReason::kWaitDma, 2},
                                      {9, Change::kAdd, 1, 20_ns, StallReason::kWaitVector, 3}};
  together.post(all);
  for (const sim::Posting& p : all) alone.post(p.semaphore, p.change, p.value, p.visible, p.raiser, p.cause);
  CHECK(watcher.calls == 1);
  CHECK(other.calls == 1);
  for (const sim::Condition& c : {sim::Condition{9, Compare::kGe, 1}, sim::Condition{9, Compare::kGe, 2},
                                  sim::Condition{4, Compare::kEq, 5}}) {
    REQUIRE(together.when(c));
    CHECK(together.when(c)->when == alone.when(c)->when);
    CHECK(together.when(c)->cause == alone.when(c)->cause);
  }
}

TEST_CASE("semaphores: a late waiter learns when its condition came true", "[sim]") {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  sim::SemaphoreFile s("s");
  for (int n = 1; n <= 4; ++n)
    s.post(1, Change::kAdd, 1, base::Duration{n * 10'000'000}, StallReason::kWaitScalar);
  sc_core::sc_start(sim::to_systemc(100_ns));
  CHECK(s.value(1) == 4);
  CHECK(s.when({1, Compare::kGe, 2})->when == 20_ns);
}

TEST_CASE("semaphores: a change posted into the past is an internal error", "[sim]") {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  sim::SemaphoreFile s("s");
  sc_core::sc_start(sim::to_systemc(100_ns));
  CHECK_THROWS_AS(s.post(1, Change::kAdd, 1, 99_ns, StallReason::kWaitDma), base::InvariantError);
}
