// SPDX-License-Identifier: Apache-2.0
// Catch2 version 3 under the names of version 2, with which the tests are written. tests/CMakeLists.txt puts this folder on
// the include path if version 3 is installed.
#pragma once

#include <catch2/catch_approx.hpp>
#include <catch2/catch_message.hpp>
#include <catch2/catch_session.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_version_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
#include <string>

namespace Catch {

inline Matchers::StringContainsMatcher Contains(const std::string& part) {
  return Matchers::ContainsSubstring(part);
}

using Matchers::EndsWith;
using Matchers::Equals;
using Matchers::StartsWith;
using Matchers::VectorContains;

}  // namespace Catch

using Catch::Approx;
