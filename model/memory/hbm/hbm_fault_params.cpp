// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/hbm_fault_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "model/base/error.h"

namespace tahoma::model {
namespace {

// Parses the numbers of "3,7", with optional blanks around them; calls `refuse` for text that
// is not a number.
template <class Refuse>
std::vector<std::uint32_t> numbers_in(const std::string& list, Refuse&& refuse) {
  std::vector<std::uint32_t> numbers;
  if (list.find_first_not_of(' ') == std::string::npos) return numbers;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const char* first = list.data() + begin;
    const char* last = list.data() + end;
    while (first != last && *first == ' ') ++first;
    while (last != first && last[-1] == ' ') --last;
    std::uint32_t number = 0;
    const auto [stop, error] = std::from_chars(first, last, number);
    if (error != std::errc() || stop != last) refuse(std::string(first, last));
    numbers.push_back(number);
    begin = end + 1;
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

void StackFaults::declare(base::ParamTree& t) {
  t.add("rate", rate, 1.0, {0.001, 1.0}, "fraction of its bandwidth that remains to the stack",
        base::chosen());
  t.add("failed_channels", failed_channels, std::string(), {},
        "channels that have failed, such as \"3,7\"; their share of capacity and bandwidth is lost",
        base::chosen());
  t.add("correctable_errors", correctable_errors, 0.0, {0.0, 0.1},
        "probability that an access meets an error that the controller corrects", base::chosen());
}

std::vector<std::uint32_t> StackFaults::failed() const {
  return numbers_in(failed_channels, [](const std::string& text) {
    TAHOMA_INVARIANT(false, "failed channel '" + text + "'");
  });
}

base::Bytes StackFaults::capacity(const HbmParams& stack) const {
  return {stack.capacity.count / stack.dram.channels * (stack.dram.channels - failed().size())};
}

base::Bandwidth StackFaults::bandwidth(const HbmParams& stack) const {
  const double left = static_cast<double>(stack.dram.channels - failed().size()) /
                      static_cast<double>(stack.dram.channels) * rate;
  const double bytes_per_second = static_cast<double>(stack.bandwidth.bytes_per_second) * left;
  return {std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes_per_second)), stack.bandwidth.ideal};
}

void StackFaults::check(const HbmParams& stack, const std::string& path) const {
  const std::uint64_t channels = stack.dram.channels;
  const auto refuse = [&](const std::string& text) {
    throw base::UserError("E-CFG-020", path + ".failed_channels", text);
  };
  const auto numbers = numbers_in(failed_channels, [&](const std::string& text) {
    refuse(
        fmt::format("'{}' is not a channel: expected numbers from 0 to {}, such as 3,7", text, channels - 1));
  });
  if (std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end())
    refuse(fmt::format("channel {} appears twice", *std::adjacent_find(numbers.begin(), numbers.end())));
  if (!numbers.empty() && numbers.back() >= channels)
    refuse(fmt::format("channel {} does not exist: the stack has {}, 0 to {}", numbers.back(), channels,
                       channels - 1));
  if (numbers.size() >= channels) refuse("all channels of the stack have failed: one must be left");
}

}  // namespace tahoma::model
