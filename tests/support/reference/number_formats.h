// SPDX-License-Identifier: Apache-2.0
// The element types by their definition: sign, exponent and mantissa in double arithmetic, integers in 64
// bits. Shares no code with isa/dtype, which tests compare with it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "isa/core/dtype.h"

namespace tahoma::test {

struct NumberFormat {
  bool is_float;
  bool is_signed;
  int exponent;  // bits
  int mantissa;  // bits stored; the width of an integer
  int size;      // bytes
};

inline NumberFormat format_of(isa::DType dtype) {
  switch (dtype) {
    case isa::DType::kFp32:
      return {true, true, 8, 23, 4};
    case isa::DType::kTf32:
      return {true, true, 8, 10, 4};
    case isa::DType::kBf16:
      return {true, true, 8, 7, 2};
    case isa::DType::kFp16:
      return {true, true, 5, 10, 2};
    case isa::DType::kFp8E4M3:
    case isa::DType::kFp8E4M3Fn:  // without infinities: the functions below
      return {true, true, 4, 3, 1};
    case isa::DType::kFp8E5M2:
      return {true, true, 5, 2, 1};
    case isa::DType::kFp8E3M4:
      return {true, true, 3, 4, 1};
    case isa::DType::kInt8:
      return {false, true, 0, 8, 1};
    case isa::DType::kInt16:
      return {false, true, 0, 16, 2};
    case isa::DType::kInt32:
      return {false, true, 0, 32, 4};
    case isa::DType::kUint8:
      return {false, false, 0, 8, 1};
    case isa::DType::kUint16:
      return {false, false, 0, 16, 2};
    case isa::DType::kUint32:
      return {false, false, 0, 32, 4};
  }
  return {};
}

// The value of an element's bits. tf32: the low 13 bits only decide whether it is a NaN.
inline double number_of(isa::DType dtype, std::uint32_t bits) {
  const NumberFormat f = format_of(dtype);
  if (!f.is_float) {
    const double value = bits;
    return f.is_signed && (bits >> (f.mantissa - 1) & 1U) != 0 ? value - std::ldexp(1.0, f.mantissa) : value;
  }
  const int ignored = 8 * f.size - 1 - f.exponent - f.mantissa;
  const bool rest = (bits & ((1U << ignored) - 1)) != 0;
  bits >>= ignored;
  const double sign = (bits >> (f.exponent + f.mantissa) & 1U) != 0 ? -1.0 : 1.0;
  const int top = (1 << f.exponent) - 1, e = static_cast<int>(bits >> f.mantissa) & top;
  const std::uint32_t m = bits & ((1U << f.mantissa) - 1);
  const int bias = top / 2;
  if (dtype == isa::DType::kFp8E4M3Fn && e == top && m != (1U << f.mantissa) - 1)
    return sign * std::ldexp(m + std::ldexp(1.0, f.mantissa), e - bias - f.mantissa);
  if (e == top) {
    return m != 0 || rest ? std::numeric_limits<double>::quiet_NaN()
                          : sign * std::numeric_limits<double>::infinity();
  }
  const double significand = e == 0 ? m : m + std::ldexp(1.0, f.mantissa);
  return sign * std::ldexp(significand, (e == 0 ? 1 : e) - bias - f.mantissa);
}

// The number of that type nearest to a value, ties to even: the result of storing it.
inline double nearest(isa::DType dtype, double value) {
  const NumberFormat f = format_of(dtype);
  if (!f.is_float) {
    if (std::isnan(value)) return 0;
    const double low = f.is_signed ? -std::ldexp(1.0, f.mantissa - 1) : 0;
    const double high = std::ldexp(1.0, f.is_signed ? f.mantissa - 1 : f.mantissa) - 1;
    return std::fmin(std::fmax(std::nearbyint(value), low), high) + 0.0;
  }
  if (dtype == isa::DType::kFp8E4M3Fn && std::isinf(value)) return std::numeric_limits<double>::quiet_NaN();
  if (value == 0 || std::isnan(value) || std::isinf(value)) return value;
  const int bias = (1 << f.exponent) / 2 - 1, least = 1 - bias;
  const double step = std::ldexp(1.0, std::max(std::ilogb(value), least) - f.mantissa);
  const double rounded = std::nearbyint(value / step) * step;
  if (dtype == isa::DType::kFp8E4M3Fn)
    return std::fabs(rounded) > 448 ? std::numeric_limits<double>::quiet_NaN() : rounded;
  const double most = std::ldexp(2 - std::ldexp(1.0, -f.mantissa), bias);
  return std::fabs(rounded) > most ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

}  // namespace tahoma::test
