// SPDX-License-Identifier: Apache-2.0
#include "model/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tahoma::base {
namespace {

// Levenshtein distance: insertions, deletions and substitutions, computed one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitution, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// The shortest candidate that has the name as one of its words: "mfu_estimated_percent" for "mfu".
std::string shortest_with_word(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLeastWord = 3;
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::string found;
  for (const std::string& candidate : candidates) {
    const std::size_t at = name.size() < kLeastWord ? std::string::npos : candidate.find(name);
    if (at == std::string::npos || (at > 0 && is_letter(candidate[at - 1]))) continue;
    if (at + name.size() < candidate.size() && is_letter(candidate[at + name.size()])) continue;
    if (found.empty() || candidate.size() < found.size()) found = candidate;
  }
  return found;
}

// Returns `file` relative to the root of the source tree, so that the message does not depend on the
// build location.
std::string_view within_sources(std::string_view file) {
  constexpr std::string_view kThis = __FILE__;
  constexpr std::string_view kName = "model/base/error.cpp";
  const std::string_view root = kThis.substr(0, kThis.size() - kName.size());
  return file.starts_with(root) ? file.substr(root.size()) : file;
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t shorter = std::min(name.size(), candidate.size());
    if (longer - shorter >= best)
      continue;  // the distance is at least that; also bounds the work on long names
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest.empty() ? shortest_with_word(name, candidates) : nearest;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
}

void fail_invariant(const char* condition, const char* file, int line, const std::string& detail) {
  throw InvariantError(
      fmt::format("{}:{}: invariant '{}' does not hold: {}", within_sources(file), line, condition, detail));
}

}  // namespace tahoma::base
