// SPDX-License-Identifier: Apache-2.0
#include "isa/simd/power.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "isa/simd/alu.h"

namespace tahoma::isa {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// log2 x = e + 2 / ln 2 * atanh(s) with x = 2^e m, m in [1/sqrt 2, sqrt 2) and s = (m - 1) / (m + 1), so |s|
// < 0.1716: truncating the series after s^19 costs less than 2^-54 of its value. m - 1 is exact, so the
// logarithm has a relative error of 2^-50 however close x is to 1.
double log2_of(float x) {
  constexpr double kRootHalf = 0x1.6a09e667f3bcdp-1, kTwoByLn2 = 0x1.71547652b82fep+1;
  const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(x));  // normal, even if x is subnormal
  auto e = static_cast<std::int64_t>(bits >> 52) - 1022;
  double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFU) | 0x3FE0000000000000U);  // [1/2, 1)
  if (m < kRootHalf) {
    m *= 2;
    --e;
  }
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double series = 0;
  for (int k = 19; k >= 1; k -= 2) series = series * s2 + 1.0 / k;
  return static_cast<double>(e) + kTwoByLn2 * (s * series);
}

// 2^t = 2^n e^(r ln 2) with n the integer nearest to t, so |r ln 2| < 0.347: truncating the series after the
// 13th power costs less than 2^-55. A double covers every fp32 exponent, so the conversion of the product
// rounds once, even to subnormals.
float exp2_of(double t) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  constexpr double kOverflow = 129, kUnderflow = -160;
  if (t > kOverflow) return kInfinity;
  if (t < kUnderflow) return 0;
  const double n = std::nearbyint(t), x = (t - n) * kLn2;
  double series = 1;
  for (int k = 13; k >= 1; --k) series = 1 + series * x / k;
  const auto scale = static_cast<std::uint64_t>(1023 + static_cast<std::int64_t>(n)) << 52;
  return static_cast<float>(series * std::bit_cast<double>(scale));
}

bool is_integer(float y) { return std::floor(y) == y; }
bool is_odd(float y) {  // y is an integer; from 2^24 on all are even
  return std::fabs(y) < 0x1p24F && (static_cast<std::int32_t>(y) & 1) != 0;
}

// Handles powers of 0 and of infinity, and exponents that are infinite. `negative` is the result's sign.
float limit(float size, float y, bool negative) {
  if (std::isinf(y) && size == 1) return 1;
  const bool large = std::isinf(y) ? (size > 1) == (y > 0) : std::isinf(size) == (y > 0);
  return std::copysign(large ? kInfinity : 0.0F, negative ? -1.0F : 1.0F);
}

}  // namespace

float power(float base, float exponent) {
  if (exponent == 0 || base == 1) return 1;
  if (std::isnan(base) || std::isnan(exponent)) return one_nan(base + exponent);
  const bool whole = is_integer(exponent) && !std::isinf(exponent);
  const bool negative = std::signbit(base) && whole && is_odd(exponent);
  const float size = std::fabs(base);
  if (size == 0 || std::isinf(size) || std::isinf(exponent)) return limit(size, exponent, negative);
  if (std::signbit(base) && !whole) return std::bit_cast<float>(kOneNan);
  const float result = exp2_of(static_cast<double>(exponent) * log2_of(size));
  return negative ? -result : result;
}

float reciprocal_root(float value) {
  return one_nan(static_cast<float>(1.0 / std::sqrt(static_cast<double>(value))));
}

}  // namespace tahoma::isa
