// SPDX-License-Identifier: Apache-2.0
#include "cli/options/whole_numbers.h"

#include <fmt/format.h>

#include <charconv>

namespace tahoma::runtime {

std::function<std::string(const std::string&)> whole_numbers(std::uint64_t least, std::uint64_t most) {
  return [least, most](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    // The library takes a leading zero as the mark of an octal number.
    const bool octal = text.size() > 1 && text.front() == '0';
    if (error == std::errc() && stop == end && !octal && value >= least && value <= most) return "";
    return fmt::format("expected a whole number from {} to {}, got '{:.40}'", least, most, text);
  };
}

}  // namespace tahoma::runtime
