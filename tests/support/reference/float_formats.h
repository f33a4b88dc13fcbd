// SPDX-License-Identifier: Apache-2.0
// Values of the bits of floating-point formats, from the definition of sign, exponent and mantissa, in
// double.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "isa/core/dtype.h"

namespace tahoma::test {

struct FloatFormat {
  isa::DType dtype;
  unsigned exponent_bits, mantissa_bits;
  unsigned unused_bits;  // below the pattern in memory: tf32's

  // Patterns are the bits in use; magnitudes are patterns without a sign, in ascending order of value.
  std::uint32_t sign() const { return 1U << (exponent_bits + mantissa_bits); }
  std::uint32_t infinity() const { return ((1U << exponent_bits) - 1) << mantissa_bits; }
  std::uint32_t quiet() const { return 1U << (mantissa_bits - 1); }
  std::uint32_t largest() const { return infinity() - 1; }
  bool is_nan(std::uint32_t pattern) const { return (pattern & (sign() - 1)) > infinity(); }

  double value(std::uint32_t pattern) const {
    if (is_nan(pattern)) return std::numeric_limits<double>::quiet_NaN();
    const double number = (pattern & (sign() - 1)) == infinity() ? std::numeric_limits<double>::infinity()
                                                                 : extended(pattern & (sign() - 1));
    return (pattern & sign()) != 0 ? -number : number;
  }
  // A magnitude up to that of infinity, which represents the number that would follow the largest.
  double extended(std::uint32_t magnitude) const {
    const std::uint32_t fraction = magnitude & ((1U << mantissa_bits) - 1);
    const int exponent = static_cast<int>(magnitude >> mantissa_bits);
    const int bias = (1 << (exponent_bits - 1)) - 1, places = static_cast<int>(mantissa_bits);
    const double significand = fraction + (exponent == 0 ? 0.0 : std::ldexp(1, places));
    return std::ldexp(significand, (exponent == 0 ? 1 : exponent) - bias - places);
  }

  float load(std::uint32_t pattern) const { return load_word(pattern << unused_bits); }
  float load_word(std::uint32_t word) const {
    std::array<std::byte, 4> bytes;
    std::memcpy(bytes.data(), &word, 4);
    return isa::load_as_fp32(bytes.data(), dtype);
  }
  // The word that store_from_fp32 writes, as a pattern; ~0 if it writes elsewhere or too much.
  std::uint32_t store(float value) const {
    std::array<std::byte, 4> bytes{};
    isa::store_from_fp32(bytes.data(), dtype, value);
    return pattern_of(bytes);
  }
  std::uint32_t pattern_of(const std::array<std::byte, 4>& bytes) const {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data(), 4);
    const bool outside = (word & ((1U << unused_bits) - 1)) != 0 || (word >> unused_bits) >= 2 * sign();
    return outside ? ~0U : word >> unused_bits;
  }
};

inline constexpr std::array<FloatFormat, 6> kFloatFormats{{{isa::DType::kBf16, 8, 7, 0},
                                                           {isa::DType::kFp16, 5, 10, 0},
                                                           {isa::DType::kTf32, 8, 10, 13},
                                                           {isa::DType::kFp8E4M3, 4, 3, 0},
                                                           {isa::DType::kFp8E5M2, 5, 2, 0},
                                                           {isa::DType::kFp8E3M4, 3, 4, 0}}};

}  // namespace tahoma::test
