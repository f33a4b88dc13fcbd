// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/spec/word_comparison.h"

#include <fmt/format.h>

#include <cctype>
#include <regex>

namespace tahoma::runtime {

namespace {

// Return whether `text` may precede or follow a whole operand of && and ||.
bool may_precede(const std::string& text) {
  const std::size_t last = text.find_last_not_of(" \t\n");
  return last == std::string::npos || std::string("(&|?:,").find(text[last]) != std::string::npos;
}

bool may_follow(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  return first == std::string::npos || std::string(")&|?:,").find(text[first]) != std::string::npos;
}

}  // namespace

std::vector<WordComparison> take_word_comparisons(std::string& expression) {
  static const std::regex kPattern(
      R"re(([A-Za-z_][\w.]*)\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)"|([A-Za-z_][\w.]*)))re");
  std::vector<WordComparison> found;
  std::string rest = expression, made;
  for (std::smatch match; std::regex_search(rest, match, kPattern);) {
    const auto begin = static_cast<std::size_t>(match.position(0)),
               size = static_cast<std::size_t>(match.length(0));
    const std::string before = rest.substr(0, begin);
    const bool inside_name =
        !before.empty() && (std::isalnum(static_cast<unsigned char>(before.back())) != 0 ||
                            before.back() == '_' || before.back() == '.');
    const std::string name = fmt::format("_{}", found.size());
    if (!inside_name && name.size() <= size && may_precede(made + before) &&
        may_follow(rest.substr(begin + size))) {
      const std::size_t group = match[3].matched ? 3 : match[4].matched ? 4 : 5;
      const std::size_t at = made.size() + begin;
      found.push_back({match[1], match[group], match[2] == "==", group != 5, at + 1,
                       at + static_cast<std::size_t>(match.position(group)) - begin + 1, name});
      made += before + name + std::string(size - name.size(), ' ');
    } else {
      made += before + match.str(0);
    }
    rest.erase(0, begin + size);
  }
  expression = made + rest;
  return found;
}

}  // namespace tahoma::runtime
