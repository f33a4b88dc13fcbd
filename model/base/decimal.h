// SPDX-License-Identifier: Apache-2.0
// A decimal number as written, kept exact until it is scaled once into an integer. Quantities and the steps
// of sweeps are parsed with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/base/units.h"

namespace tahoma::base {

// value = +-digits * 10^exponent
struct Decimal {
  bool negative = false;
  Uint128 digits = 0;  // at most 20 significant digits, so that the product with any unit's multiplier fits
  int exponent = 0;
  bool leading_zero = false;  // "010": octal in other notations, rejected here
  bool too_long = false;      // more than 20 significant digits
  std::size_t length = 0;     // characters that belong to the number
  bool digits_only = false;   // no sign, point or exponent
};

// Parses the number at the start of `text`: -?digits[.digits][(e|E)[+-]digits]. Returns nothing if `text`
// does not start with a number.
std::optional<Decimal> scan_decimal(std::string_view text);

// Returns digits * 10^exponent * multiplier rounded to the nearest integer (halves up), or nothing if it
// exceeds `limit`. multiplier <= 10^15.
std::optional<std::uint64_t> scale(const Decimal& decimal, std::uint64_t multiplier, std::uint64_t limit);

// Formats value / multiplier as exact decimal text. The multiplier is a product of twos and fives, so the
// text is finite.
std::string decimal_text(std::uint64_t value, std::uint64_t multiplier);

}  // namespace tahoma::base
