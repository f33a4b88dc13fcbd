// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/spec/exact.h"

#include <fmt/format.h>

#include <algorithm>

namespace tahoma::runtime {
namespace {

using base::Int128;

constexpr int kMostZeros = 38;  // largest power of ten that fits in 128 bits

int sign(Int128 value) { return value < 0 ? -1 : static_cast<int>(value > 0); }

// value * 10^zeros
std::optional<Int128> widened(Int128 value, int zeros) {
  if (value == 0) return value;
  if (zeros > kMostZeros) return std::nullopt;
  for (int i = 0; i < zeros; ++i)
    if (__builtin_mul_overflow(value, Int128{10}, &value)) return std::nullopt;
  return value;
}

int magnitude(const Exact& value) {
  int digits = 0;
  for (Int128 rest = value.digits; rest != 0; rest /= 10) ++digits;
  return digits + value.exponent;
}

}  // namespace

Exact exact(Int128 digits, int exponent) {
  if (digits == 0) return {};
  for (; digits % 10 == 0; digits /= 10) ++exponent;
  return {digits, exponent};
}

Exact exact(const base::Decimal& decimal) {
  const auto digits = static_cast<Int128>(decimal.digits);
  return exact(decimal.negative ? -digits : digits, decimal.exponent);
}

std::optional<Aligned> aligned(const Exact& a, const Exact& b) {
  const int exponent = std::min(a.exponent, b.exponent);
  const auto wide_a = widened(a.digits, a.exponent - exponent);
  const auto wide_b = widened(b.digits, b.exponent - exponent);
  if (!wide_a || !wide_b) return std::nullopt;
  return Aligned{*wide_a, *wide_b, exponent};
}

std::optional<Exact> sum(const Exact& a, const Exact& b) {
  const auto both = aligned(a, b);
  Int128 digits = 0;
  if (!both || __builtin_add_overflow(both->a, both->b, &digits)) return std::nullopt;
  return exact(digits, both->exponent);
}

std::optional<Exact> product(const Exact& a, const Exact& b) {
  Int128 digits = 0;
  if (__builtin_mul_overflow(a.digits, b.digits, &digits)) return std::nullopt;
  return exact(digits, a.exponent + b.exponent);
}

int compare(const Exact& a, const Exact& b) {
  if (sign(a.digits) != sign(b.digits)) return sign(a.digits) < sign(b.digits) ? -1 : 1;
  if (const auto both = aligned(a, b)) return both->a < both->b ? -1 : static_cast<int>(both->a > both->b);
  return magnitude(a) < magnitude(b) ? -sign(a.digits) : sign(a.digits);
}

std::string text_of(const Exact& value) {
  const bool negative = value.digits < 0;
  auto rest = negative ? -static_cast<base::Uint128>(value.digits) : static_cast<base::Uint128>(value.digits);
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  return fmt::format("{}{}{}", negative ? "-" : "", digits,
                     value.exponent == 0 ? "" : fmt::format("e{}", value.exponent));
}

}  // namespace tahoma::runtime
