// SPDX-License-Identifier: Apache-2.0
#include "studies/model/layout/stage_division.h"

#include <fmt/format.h>

#include <algorithm>

namespace tahoma::runtime {

std::vector<std::uint64_t> stage_division(std::uint64_t layers, std::uint64_t stages) {
  std::vector<std::uint64_t> division(stages, layers / stages);
  const std::uint64_t more = layers % stages, middle = std::min(more, stages > 2 ? stages - 2 : 0);
  for (std::uint64_t s = 1; s <= middle; ++s) ++division[s];
  if (more > middle) ++division[0];
  return division;
}

bool equally_many(const std::vector<std::uint64_t>& division) {
  return std::all_of(division.begin(), division.end(),
                     [&](std::uint64_t layers) { return layers == division.front(); });
}

std::string division_text(const std::vector<std::uint64_t>& division) {
  std::string text;
  for (auto at = division.begin(); at != division.end();) {
    const auto end = std::find_if(at, division.end(), [&](std::uint64_t layers) { return layers != *at; });
    text += text.empty() ? "" : "-";
    if (end - at > 1) text += fmt::format("{}x", end - at);
    text += std::to_string(*at);
    at = end;
  }
  return text;
}

}  // namespace tahoma::runtime
