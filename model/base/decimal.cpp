// SPDX-License-Identifier: Apache-2.0
#include "model/base/decimal.h"

#include <algorithm>

namespace tahoma::base {
namespace {

constexpr int kMostDigits = 20;
constexpr int kMostExponent = 9999;  // far beyond every type; larger ones are clamped to it

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - from;
}

// Appends digits; trailing zeros are deferred until a later digit makes them significant.
struct Accumulator {
  Uint128 digits = 0;
  int significant = 0, pending_zeros = 0;
  void append(std::string_view run) {
    for (const char c : run) {
      if (c == '0') {
        ++pending_zeros;
        continue;
      }
      const int places = digits == 0 ? 1 : pending_zeros + 1;
      significant += places;
      if (significant <= kMostDigits) {
        for (int i = 0; i < places; ++i) digits *= 10;
        digits += static_cast<unsigned>(c - '0');
      }
      pending_zeros = 0;
    }
  }
};

// Returns the number of exponent characters at `from`, 0 if there is none; `exponent` receives the value.
std::size_t scan_exponent(std::string_view text, std::size_t from, int& exponent) {
  if (from >= text.size() || (text[from] != 'e' && text[from] != 'E')) return 0;
  std::size_t at = from + 1;
  const bool negative = at < text.size() && text[at] == '-';
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  const std::size_t count = digits_at(text, at);
  if (count == 0) return 0;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) value = std::min(kMostExponent, value * 10 + (text[i] - '0'));
  exponent = negative ? -value : value;
  return at + count - from;
}

}  // namespace

std::optional<Decimal> scan_decimal(std::string_view text) {
  Decimal result;
  result.negative = !text.empty() && text[0] == '-';
  std::size_t at = result.negative ? 1 : 0;
  const std::size_t whole = digits_at(text, at);
  if (whole == 0) return std::nullopt;
  result.leading_zero = whole > 1 && text[at] == '0';

  Accumulator number;
  number.append(text.substr(at, whole));
  at += whole;
  std::size_t fraction = 0;
  if (at + 1 < text.size() && text[at] == '.') fraction = digits_at(text, at + 1);
  if (fraction > 0) {
    number.append(text.substr(at + 1, fraction));
    at += 1 + fraction;
  }
  int exponent = 0;
  const std::size_t exponent_length = scan_exponent(text, at, exponent);
  at += exponent_length;

  result.digits = number.digits;
  result.too_long = number.significant > kMostDigits;
  // Lengths are below the loader's 1 MiB, so they fit an int.
  result.exponent = exponent - static_cast<int>(fraction) + number.pending_zeros;
  result.length = at;
  result.digits_only = !result.negative && fraction == 0 && exponent_length == 0;
  return result;
}

std::optional<std::uint64_t> scale(const Decimal& decimal, std::uint64_t multiplier, std::uint64_t limit) {
  Uint128 value = decimal.digits * multiplier;  // below 10^35
  if (value == 0) return 0;
  if (decimal.exponent >= 0) {
    for (int i = 0; i < decimal.exponent; ++i) {
      if (value > limit) return std::nullopt;
      value *= 10;
    }
  } else {
    if (decimal.exponent < -36) return 0;  // below one half
    Uint128 divisor = 1;
    for (int i = 0; i < -decimal.exponent; ++i) divisor *= 10;
    value = (value + divisor / 2) / divisor;
  }
  if (value > limit) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

std::string decimal_text(std::uint64_t value, std::uint64_t multiplier) {
  std::string text = std::to_string(value / multiplier);
  Uint128 rest = value % multiplier;
  if (rest != 0) text += '.';
  while (rest != 0) {  // terminates: the multiplier has no prime factors but 2 and 5
    rest *= 10;
    text += static_cast<char>('0' + static_cast<int>(rest / multiplier));
    rest %= multiplier;
  }
  return text;
}

}  // namespace tahoma::base
