// SPDX-License-Identifier: Apache-2.0
// Exact sums of numbers with any exponent between 2^-320 and 2^384, and their nearest fp32 by the definition
// of rounding, with nothing but long integers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace tahoma::tests {

class ExactSum {
 public:
  // Adds (-1)^negative * significand * 2^exponent.
  void add(bool negative, std::uint64_t significand, int exponent) {
    Words term{};
    const auto at = static_cast<unsigned>(exponent + kUnit);
    for (unsigned bit = 0; bit < 64; ++bit)
      if ((significand >> bit & 1) != 0) term[(at + bit) / 32] |= 1U << (at + bit) % 32;
    if (significand == 0) return;
    if (negative == negative_) {
      magnitude_ = plus(magnitude_, term);
    } else if (less(magnitude_, term)) {
      magnitude_ = minus(term, magnitude_);
      negative_ = negative;
    } else {
      magnitude_ = minus(magnitude_, term);
    }
  }
  bool is_zero() const { return magnitude_ == Words{}; }

  // Rounds to nearest, ties to even. Not for zero, whose sign is a convention.
  std::uint32_t nearest_fp32() const {
    int top = kWords * 32 - 1;
    while (!bit(top)) --top;
    constexpr int kFraction = 23, kSmallest = -149, kBias = 127, kLargest = 127;
    const int last = std::max(top - kFraction, kSmallest + kUnit);  // the last bit that is kept
    std::uint32_t kept = 0;
    for (int i = top; i >= last; --i) kept = kept << 1 | static_cast<std::uint32_t>(bit(i));
    bool below = false;
    for (int i = 0; i < last - 1; ++i) below = below || bit(i);
    if (bit(last - 1) && (below || (kept & 1) != 0)) ++kept;
    // The fields of fp32 carry over: a significand that overflows increments the exponent.
    const int exponent = last - kUnit + kFraction;
    const std::uint32_t sign = negative_ ? 0x80000000U : 0;
    if (exponent > kLargest) return sign | 0x7F800000U;
    const std::uint32_t fields = kept + (static_cast<std::uint32_t>(exponent + kBias - 1) << kFraction);
    return sign | fields;
  }

 private:
  static constexpr int kWords = 24, kUnit = 320;
  using Words = std::array<std::uint32_t, kWords>;
  bool bit(int i) const { return (magnitude_[static_cast<unsigned>(i) / 32] >> i % 32 & 1) != 0; }
  static bool less(const Words& a, const Words& b) {
    for (int w = kWords - 1; w >= 0; --w)
      if (a[w] != b[w]) return a[w] < b[w];
    return false;
  }
  static Words plus(const Words& a, const Words& b) {
    Words sum{};
    std::uint64_t carry = 0;
    for (int w = 0; w < kWords; ++w) {
      carry += std::uint64_t{a[w]} + b[w];
      sum[w] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return sum;
  }
  static Words minus(const Words& a, const Words& b) {
    Words difference{};
    std::int64_t borrow = 0;
    for (int w = 0; w < kWords; ++w) {
      const std::int64_t d = std::int64_t{a[w]} - b[w] + borrow;
      difference[w] = static_cast<std::uint32_t>(d);
      borrow = d < 0 ? -1 : 0;
    }
    return difference;
  }
  Words magnitude_{};
  bool negative_ = false;
};

}  // namespace tahoma::tests
