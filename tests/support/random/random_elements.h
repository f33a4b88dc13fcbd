// SPDX-License-Identifier: Apache-2.0
// Random elements of the array's formats, with the patterns that break floating point, and their values by
// the table of isa/core/dtype.h.
#pragma once

#include <array>
#include <cstdint>
#include <random>

#include "model/rtl/array/array_gates.h"

namespace tahoma::tests {

struct FormatBits {
  unsigned exponent, mantissa, bias;
};
inline constexpr std::array<FormatBits, 6> kFormatBits{
    {{8, 7, 127}, {5, 10, 15}, {4, 3, 7}, {5, 2, 15}, {3, 4, 3}, {8, 23, 127}}};
inline const FormatBits& bits_of(rtl::Format format) { return kFormatBits[static_cast<std::size_t>(format)]; }
inline bool is_fp8(rtl::Format f) { return f >= rtl::Format::kFp8E4M3 && f <= rtl::Format::kFp8E3M4; }

// significand * 2^exponent, unless it is not a number or is zero.
struct Number {
  bool nan = false, infinite = false, negative = false;
  std::uint32_t significand = 0;
  int exponent = 0;
};
inline Number number_of(const FormatBits& f, std::uint32_t bits) {
  const std::uint32_t mantissa = bits & ((1U << f.mantissa) - 1), top = (1U << f.exponent) - 1;
  const std::uint32_t field = bits >> f.mantissa & top;
  Number n;
  n.negative = (bits >> (f.mantissa + f.exponent) & 1) != 0;
  n.nan = field == top && mantissa != 0;
  n.infinite = field == top && mantissa == 0;
  n.significand = field == 0 ? mantissa : mantissa | 1U << f.mantissa;
  n.exponent = static_cast<int>(field == 0 ? 1 : field) - static_cast<int>(f.bias + f.mantissa);
  return n;
}

enum class Pattern { kAny, kOrdinary, kTiny, kHuge, kSpecial, kCancelling };
inline constexpr std::size_t kPatterns = 6;

class RandomElements {
 public:
  explicit RandomElements(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }
  rtl::Format format() { return static_cast<rtl::Format>(below(kFormatBits.size())); }
  Pattern pattern() { return static_cast<Pattern>(below(kPatterns)); }

  // Mixed patterns occasionally have a neighbour of another kind.
  std::uint32_t element(rtl::Format format, Pattern pattern) {
    const std::uint32_t bits = element_of(bits_of(format), one_in(16) ? this->pattern() : pattern);
    return format == rtl::Format::kFp32Half ? halved(bits) : bits;
  }
  std::uint32_t element_of(const FormatBits& f, Pattern pattern) {
    const std::uint32_t mantissa = word() & ((1U << f.mantissa) - 1), top = (1U << f.exponent) - 1;
    const auto with = [&](std::uint32_t field, std::uint32_t m) {
      return (below(2) << (f.exponent + f.mantissa)) | field << f.mantissa | m;
    };
    switch (pattern) {
      case Pattern::kOrdinary:
        return with(f.bias - 2 + below(4), mantissa);
      case Pattern::kTiny:
        return with(below(3), one_in(4) ? mantissa & 3U : mantissa);
      case Pattern::kHuge:
        return with(top - 1 - below(2), mantissa);
      case Pattern::kSpecial:
        return with(one_in(2) ? top : 0, one_in(2) ? 0 : mantissa);
      case Pattern::kCancelling:
        return with(f.bias + below(2), one_in(4) ? 1U : 0U);
      default:
        return with(word() & top, mantissa);
    }
  }

 private:
  // Keeps at most 12 significant bits: the low ones of a subnormal number, otherwise the high ones. NaNs are
  // unchanged.
  static std::uint32_t halved(std::uint32_t bits) {
    if ((bits & 0x7F800000U) == 0) return bits & 0x80000FFFU;
    return (bits & 0x7F800000U) == 0x7F800000U ? bits : bits & 0xFFFFF000U;
  }
  std::mt19937 random_;
};

}  // namespace tahoma::tests
