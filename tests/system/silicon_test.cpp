// SPDX-License-Identifier: Apache-2.0
// The accuracy page of the repository itself.
#include <catch2/catch.hpp>

#include "tests/support/subprocess.h"

using namespace tahoma::tests;

TEST_CASE("silicon: every family of figures is within its limits", "[accuracy][slow]") {
  // From the checkout's folder, where its cases name their programs from.
  const Finished finished = tahoma_in(TAHOMA_SOURCE_DIR, {"check", "workloads/micro/silicon.yaml"});
  INFO(finished.out << finished.err);
  CHECK(finished.status == 0);
}
