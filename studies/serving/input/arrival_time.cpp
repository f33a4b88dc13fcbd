// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/input/arrival_time.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>

#include "model/base/decimal.h"
#include "model/base/error.h"

namespace tahoma::runtime::serving {

namespace {

[[noreturn]] void refuse_time(std::string_view text, const char* expected) {
  throw base::UserError("E-SRV-003", "", fmt::format("expected {}, got '{}'", expected, text));
}

// Takes exactly `digits` digits from the front.
std::optional<unsigned> take_number(std::string_view& rest, std::size_t digits) {
  if (rest.size() < digits) return std::nullopt;
  unsigned value = 0;
  const char* const end = rest.data() + digits;
  const auto [stop, error] = std::from_chars(rest.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  rest.remove_prefix(digits);
  return value;
}

bool take_one_of(std::string_view& rest, std::string_view letters) {
  if (rest.empty() || letters.find(rest.front()) == std::string_view::npos) return false;
  rest.remove_prefix(1);
  return true;
}

// Returns the digits behind the point, as nanoseconds.
std::optional<std::int64_t> take_fraction(std::string_view& rest) {
  constexpr std::size_t kDigits = 9;
  if (!take_one_of(rest, ".")) return 0;
  const std::size_t length = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (length == 0 || length > kDigits) return std::nullopt;
  std::string_view digits = rest.substr(0, length);
  rest.remove_prefix(length);
  std::int64_t value = *take_number(digits, length);
  for (std::size_t n = length; n < kDigits; ++n) value *= 10;
  return value;
}

std::optional<Nanoseconds> timestamp(std::string_view rest) {
  using namespace std::chrono;
  const auto years = take_number(rest, 4);
  if (!years || !take_one_of(rest, "-")) return std::nullopt;
  const auto months = take_number(rest, 2);
  if (!months || !take_one_of(rest, "-")) return std::nullopt;
  const auto in_month = take_number(rest, 2);
  if (!in_month || !take_one_of(rest, " T")) return std::nullopt;
  const auto in_day = take_number(rest, 2);
  if (!in_day || !take_one_of(rest, ":")) return std::nullopt;
  const auto in_hour = take_number(rest, 2);
  if (!in_hour || !take_one_of(rest, ":")) return std::nullopt;
  const auto in_minute = take_number(rest, 2);
  const auto fraction = in_minute ? take_fraction(rest) : std::nullopt;
  if (!fraction || (!rest.empty() && rest != "Z" && rest != "+00:00")) return std::nullopt;
  const year_month_day date{year(static_cast<int>(*years)), month(*months), day(*in_month)};
  constexpr int kFirstYear = 1970, kLastYear = 2199;  // 64 bits of nanoseconds reach to 2262
  const bool legal = date.ok() && date.year() >= year(kFirstYear) && date.year() <= year(kLastYear) &&
                     *in_day < 24 && *in_hour < 60 && *in_minute < 60;
  if (!legal) return std::nullopt;
  const seconds time =
      sys_days(date).time_since_epoch() + hours(*in_day) + minutes(*in_hour) + seconds(*in_minute);
  return Nanoseconds{time.count() * kNanosecondsPerSecond + *fraction};
}

}  // namespace

Nanoseconds parse_seconds(std::string_view text) {
  constexpr const char* kExpected = "seconds such as '12.5', from 0 to 1e9";
  const auto decimal = base::scan_decimal(text);
  if (!decimal || decimal->length != text.size() || decimal->too_long || decimal->leading_zero)
    refuse_time(text, kExpected);
  if (decimal->negative && decimal->digits != 0) refuse_time(text, kExpected);
  const auto count =
      base::scale(*decimal, kNanosecondsPerSecond, std::uint64_t{kMostSeconds} * kNanosecondsPerSecond);
  if (!count) refuse_time(text, kExpected);
  return {static_cast<std::int64_t>(*count)};
}

Nanoseconds parse_timestamp(std::string_view text) {
  if (const auto time = timestamp(text)) return *time;
  refuse_time(text, "a time such as '2023-11-16 18:15:46.6805900' or '2024-05-10 00:00:00.009930+00:00'");
}

}  // namespace tahoma::runtime::serving
