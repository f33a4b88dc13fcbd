// SPDX-License-Identifier: Apache-2.0
#include "model/base/module.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

using namespace tahoma;

namespace {

std::string joined(std::unique_ptr<int> number, const std::string& text) {
  return std::to_string(*number) + text;
}

template <class... Arguments>
base::Part<std::string, Arguments...> absent(std::string (*)(Arguments...)) {
  return {"studies", nullptr};
}

}  // namespace

TEST_CASE("Part: a function of a built module gets its arguments as they are given", "[base]") {
  const base::Part part("studies", joined);
  CHECK(part.built());
  CHECK(part(std::make_unique<int>(7), " cores") == "7 cores");
}

TEST_CASE("Part: a call of a module that is not built says how to build it", "[base]") {
  const auto part = absent(joined);
  CHECK_FALSE(part.built());
  try {
    part(std::make_unique<int>(7), "");
    FAIL("called a function that does not exist");
  } catch (const base::MissingModule& missing) {
    CHECK(missing.code == "E-MOD-001");
    CHECK(missing.module == "studies");
    CHECK(missing.message.find("scripts/modules studies") != std::string::npos);
  }
}
