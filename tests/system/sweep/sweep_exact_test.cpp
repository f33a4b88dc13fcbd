// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "studies/sweep/spec/exact.h"

TEST_CASE("sweep exact: numbers add, multiply and compare exactly", "[sweep]") {
  using namespace tahoma;
  using runtime::exact, runtime::Exact;
  CHECK(exact(2500, -3) == exact(25, -1));
  CHECK(*runtime::sum(exact(1, -1), exact(2, -1)) == exact(3, -1));
  CHECK(*runtime::product(exact(15, -1), exact(4)) == exact(6));
  CHECK(runtime::compare(exact(3, -1), exact(30, -2)) == 0);
  CHECK(runtime::compare(exact(-2), exact(-1)) == -1);
  CHECK(runtime::compare(exact(1, 300), exact(1, -300)) == 1);
  CHECK(runtime::compare(exact(-1, 300), exact(-1, -300)) == -1);
  CHECK(runtime::compare(Exact{}, exact(1, -300)) == -1);
  CHECK(runtime::text_of(exact(-25, -2)) == "-25e-2");
  CHECK_FALSE(runtime::sum(exact(1, 50), exact(1, -50)));
  CHECK_FALSE(runtime::product(exact(base::Int128{1} << 100), exact((base::Int128{1} << 100) + 1)));
}
