// SPDX-License-Identifier: Apache-2.0
// Programs that do not terminate reach the time limit.
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using namespace tahoma::tests;
using model::Mode;

TEST_CASE("time limit: it ends a loop that does not end", "[system]") {
  auto m = machine_of(1, 1, 1);
  m.time_limit = {1'000'000'000'000};  // 1 ms
  model::System system(m, Mode::kTiming);
  system.load(0, text_program(".program p\nsync:\nagain:\n  jump target=again\n"), tensor_arguments());
  try {
    system.run();
    FAIL("an endless loop ended");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RUN-054");
    CHECK(e.status == base::ExitStatus::kNoProgress);
  }
}

TEST_CASE("time limit: a run that ends within its limit is the same run", "[system]") {
  auto m = machine_of(1, 1, 1);
  m.time_limit = {1'000'000'000'000};
  model::System system(m, Mode::kTiming);
  system.load(0, text_program(".program p\nsync:\n  nop\n"), tensor_arguments());
  const auto& q = m.chip.core.sequencer;
  CHECK(system.run().elapsed == base::Clock(q.clock).length(q.sync.step));
}
