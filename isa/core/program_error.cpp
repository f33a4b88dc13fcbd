// SPDX-License-Identifier: Apache-2.0
#include "isa/core/program_error.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tahoma::isa {
namespace {

// Counts edits: insertions, deletions, replacements and swaps of two adjacent characters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  std::size_t nearest = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= nearest) continue;
    nearest = distance;
    best = candidate;
  }
  return best.empty() ? "" : " (did you mean '" + std::string(best) + "'?)";
}

}  // namespace tahoma::isa
