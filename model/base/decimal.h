// SPDX-License-Identifier: Apache-2.0
// A decimal number as it is written, kept exact until it is scaled once into an integer: what quantities
// and the steps of sweeps are read with.
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
  Uint128 digits = 0;  // at most 20 significant ones, so that any unit's multiplier fits beside them
  int exponent = 0;
  bool leading_zero = false;  // "010": octal elsewhere, refused here
  bool too_long = false;      // more than 20 significant digits
  std::size_t length = 0;     // characters that belong to the number
  bool digits_only = false;   // no sign, point or exponent
};

// The number that `text` begins with: -?digits[.digits][(e|E)[+-]digits]; nothing if it does not begin with
// one.
std::optional<Decimal> scan_decimal(std::string_view text);

// digits * 10^exponent * multiplier to the nearest integer (halves up), or nothing beyond `limit`. multiplier
// <= 10^15.
std::optional<std::uint64_t> scale(const Decimal& decimal, std::uint64_t multiplier, std::uint64_t limit);

// value / multiplier as exact decimal text. The multiplier is a product of twos and fives, so that it is
// finite.
std::string decimal_text(std::uint64_t value, std::uint64_t multiplier);

}  // namespace tahoma::base
