// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/results/failure_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tahoma::runtime {

namespace {

// "got 96, expected a multiple of 64.5" becomes "got #, expected a multiple of #".
std::string without_numbers(const std::string& reason) {
  std::string text;
  for (const char c : reason) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    const bool inside = !text.empty() && text.back() == '#';
    if (digit && !inside) text += '#';
    if (!digit && !(inside && (c == '.' || c == ','))) text += c;
  }
  return text;
}

struct Group {
  std::string kind, example;
  std::uint64_t first = 0, points = 0;
};

}  // namespace

std::string reasons_text(const std::string& verb,
                         const std::vector<std::pair<std::uint64_t, std::string>>& points) {
  std::vector<Group> groups;
  for (const auto& [number, reason] : points) {
    const std::string kind = without_numbers(reason);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.kind == kind; });
    if (group == groups.end()) group = groups.insert(groups.end(), {kind, reason, number, 0});
    ++group->points;
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.points > b.points; });
  std::string text;
  for (const Group& group : groups)
    text += fmt::format("  {}: {} point{}, the first is {}: {}\n", verb, group.points,
                        group.points == 1 ? "" : "s", group.first, group.example);
  return text;
}

}  // namespace tahoma::runtime
