// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/stage_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <numeric>

#include "model/base/error.h"

namespace tahoma::workloads {

namespace {

// One number for each stage, as equal as possible.
std::vector<std::uint64_t> example_of(std::uint64_t layers, std::uint64_t stages) {
  std::vector<std::uint64_t> counts(stages, layers / stages);
  for (std::uint64_t s = 0; s < layers % stages; ++s) ++counts[s];
  return counts;
}

[[noreturn]] void refuse_division(const std::string& text, std::uint64_t layers, std::uint64_t stages) {
  throw base::UserError(
      "E-MDL-001", "workload.stages",
      layers < stages
          ? fmt::format("expected a layer or more for each of {} stages; there are {} layers", stages, layers)
          : fmt::format("expected the layers of each of {} stages, {} altogether, such as {}; got '{}'",
                        stages, layers, fmt::join(example_of(layers, stages), ","), text));
}

}  // namespace

std::vector<std::uint64_t> layers_of_stages(const std::string& text, std::uint64_t layers,
                                            std::uint64_t stages) {
  if (text.empty()) return std::vector<std::uint64_t>(stages, layers / stages);
  std::vector<std::uint64_t> counts;
  for (const char *at = text.data(), *end = at + text.size();;) {
    std::uint64_t count = 0;
    const auto [rest, error] = std::from_chars(at, end, count);
    if (error != std::errc() || count == 0 || count > layers) refuse_division(text, layers, stages);
    counts.push_back(count);
    if (rest == end) break;
    if (*rest != ',' || counts.size() == stages) refuse_division(text, layers, stages);
    at = rest + 1;
  }
  if (counts.size() != stages || std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) != layers)
    refuse_division(text, layers, stages);
  return counts;
}

}  // namespace tahoma::workloads
