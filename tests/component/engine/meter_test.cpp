// SPDX-License-Identifier: Apache-2.0
#include "model/sim/meter.h"

#include <catch2/catch.hpp>

#include "model/base/error.h"

using namespace tahoma;

TEST_CASE("meter: an invariant that fails in a process comes out with the time and the last activations",
          "[sim]") {
  sim::Meter meter;
  meter.guard("quiet", [] {});
  meter.guard("culprit", [] { TAHOMA_INVARIANT(1 + 1 == 3, "arithmetic holds"); });
  try {
    meter.rethrow();
    FAIL("the invariant was lost");
  } catch (const base::InvariantError& e) {
    const std::string text = e.what();
    CHECK(text.find("arithmetic holds") != std::string::npos);
    CHECK(text.find("ns quiet") < text.find("ns culprit"));
  }
}

TEST_CASE("meter: the first error is the one that is reported", "[sim]") {
  sim::Meter meter;
  meter.guard("a", [] { throw base::UserError("E-A", "", "first"); });
  meter.guard("b", [] { throw base::UserError("E-B", "", "second"); });
  CHECK_THROWS_WITH(meter.rethrow(), Catch::Contains("first"));
}

TEST_CASE("meter: without an error nothing is thrown", "[sim]") {
  sim::Meter meter;
  meter.guard("a", [] {});
  CHECK_NOTHROW(meter.rethrow());
}
