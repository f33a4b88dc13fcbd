// SPDX-License-Identifier: Apache-2.0
#include "workloads/collective/sizes.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "runtime/run/inputs.h"

namespace tahoma::workloads {

namespace {

constexpr const char* kSizes =
    "expected sizes such as 1 MiB, lists such as '8 KiB, 1 MiB', or a range '8 KiB .. 1 GiB'";

// Returns the parts without the blanks around them.
std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> parts = base::split(text, by);
  for (std::string_view& part : parts) part = base::trimmed(part);
  return parts;
}

std::uint64_t size_of(std::string_view text) {
  std::uint64_t bytes = 0;
  try {
    bytes = base::parse_bytes(std::string(text)).count;
  } catch (const base::UserError&) {  // the message below says more
    throw base::UserError("E-COL-030", "workload.bytes", fmt::format("'{}' is not a size; {}", text, kSizes));
  }
  if (bytes == 0)
    throw base::UserError("E-COL-030", "workload.bytes", fmt::format("the size must not be 0; {}", kSizes));
  return bytes;
}

}  // namespace

std::vector<std::uint64_t> sizes_of(const std::string& text) {
  const auto ends = split(text, "..");
  std::vector<std::uint64_t> sizes;
  if (ends.size() == 2) {
    const std::uint64_t last = size_of(ends[1]);
    for (std::uint64_t bytes = size_of(ends[0]); bytes <= last; bytes *= 2) sizes.push_back(bytes);
    if (!sizes.empty()) return sizes;
  }
  if (ends.size() != 1)
    throw base::UserError("E-COL-030", "workload.bytes", fmt::format("'{}'; {}", text, kSizes));
  for (const std::string_view part : split(text, ",")) sizes.push_back(size_of(part));
  return sizes;
}

std::vector<std::uint64_t> counts_of(const std::string& text, std::uint32_t ranks, std::uint64_t mean,
                                     std::uint64_t seed) {
  const std::uint64_t pairs = std::uint64_t{ranks} * ranks;
  std::vector<std::uint64_t> counts;
  if (text == "random") {
    const runtime::GeneratedValues drawn(seed, "counts");
    for (std::uint64_t i = 0; i < pairs; ++i)
      counts.push_back(static_cast<std::uint64_t>(std::llround((drawn[i] + 1) * static_cast<double>(mean))));
    return counts;
  }
  for (const std::string_view row : split(text, ";"))
    for (const std::string_view number : split(row, ",")) {
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
      if (error != std::errc() || end != number.data() + number.size())
        throw base::UserError("E-COL-031", "workload.counts",
                              fmt::format("'{}' is not a number of elements", number));
      counts.push_back(value);
    }
  if (counts.size() != pairs)
    throw base::UserError(
        "E-COL-031", "workload.counts",
        fmt::format("{} numbers; expected {} rows of {}, by ';' and ','", counts.size(), ranks, ranks));
  return counts;
}

}  // namespace tahoma::workloads
