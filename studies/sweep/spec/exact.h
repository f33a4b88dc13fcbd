// SPDX-License-Identifier: Apache-2.0
// Decimal numbers with exact sums and products: three times 0.1 is 0.3. Results that do not fit into 38
// digits are unset. This stays our own code: the libraries that the program uses have no decimal numbers, and
// another library for two operations would cost every user a package.
#pragma once

#include <optional>
#include <string>

#include "model/base/decimal.h"

namespace tahoma::runtime {

// digits * 10^exponent, without trailing zeros: equal numbers have equal members.
struct Exact {
  base::Int128 digits = 0;
  int exponent = 0;
  bool operator==(const Exact&) const = default;
};

Exact exact(base::Int128 digits, int exponent = 0);
Exact exact(const base::Decimal& decimal);

std::optional<Exact> sum(const Exact& a, const Exact& b);
std::optional<Exact> product(const Exact& a, const Exact& b);

// Two numbers as whole multiples of one power of ten.
struct Aligned {
  base::Int128 a = 0, b = 0;
  int exponent = 0;
};
std::optional<Aligned> aligned(const Exact& a, const Exact& b);

// Returns -1, 0 or 1, the sign of a - b. Numbers too far apart for `aligned` are compared by magnitude.
int compare(const Exact& a, const Exact& b);

// "-25e-2", in the syntax of base::parse_number.
std::string text_of(const Exact& value);

}  // namespace tahoma::runtime
