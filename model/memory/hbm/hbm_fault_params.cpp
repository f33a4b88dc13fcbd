// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/hbm_fault_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "model/base/error.h"
#include "model/memory/dram/refresh.h"
#include "model/memory/hbm/dram_access.h"

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

// Commands slow down with the pins, refresh intervals do not: a bank must have been refreshed before it is
// due again, and one bank before the turn of the next.
bool keeps_up(const HbmParams& stack, double rate) {
  const auto design = design_of(stack, rate);
  const dram::Timing& t = design->timing;
  const dram::Refresh kind = design->policy.refresh;
  if (kind == dram::Refresh::kNone) return true;
  if (dram::refresh_settles(design->organisation, t, kind) > t.refi) return false;
  return kind == dram::Refresh::kAllBank ||
         t.rp + std::max(t.rfc_bank, t.rrefd) <= t.refi / design->organisation.banks_per_stack_id();
}

}  // namespace

void StackFaults::check_slow_refresh(const HbmParams& stack, const std::string& path) const {
  if (keeps_up(stack, rate)) return;
  double least = 1;
  while (least > rate && keeps_up(stack, least / 1.1)) least /= 1.1;
  throw base::UserError(
      "E-CFG-020", path + ".rate",
      fmt::format(
          "at {} of its rate the stack may not have refreshed a bank before it is due again: expected at "
          "least about {:.2g}",
          rate, least));
}

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
  if (rate < 1 && stack.has_dram()) check_slow_refresh(stack, path);
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
