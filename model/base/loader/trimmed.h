// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tahoma::base {

// Removes the `blanks` at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " ") {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace tahoma::base
