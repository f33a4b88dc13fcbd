// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "model/base/error.h"

using tahoma::base::nearest_name;

TEST_CASE("nearest name: a misspelt one first, and else the shortest that has the name as a word", "[base]") {
  const std::vector<std::string> names{"mfu_estimated_percent", "hbm.rows.hit_percent",
                                       "machine.link.topology", "machine.chip.hbm.stacks", "mbu"};
  CHECK(nearest_name("mfu", names) == "mbu");  // one letter
  CHECK(nearest_name("mfu", {names.begin(), names.end() - 1}) == "mfu_estimated_percent");
  CHECK(nearest_name("topology", names) == "machine.link.topology");
  CHECK(nearest_name("stacks", names) == "machine.chip.hbm.stacks");
  CHECK(nearest_name("hbm", {names[1], names[3]}) == "hbm.rows.hit_percent");
  CHECK(nearest_name("polo", names).empty());  // a part of a word is none
  CHECK(nearest_name("it", names).empty());
}
