// SPDX-License-Identifier: Apache-2.0
// The adder and the multiplier in RTL compared with exact integers.
#include <Vnumbers.h>

#include <catch2/catch.hpp>

#include "tests/support/random/random_elements.h"
#include "tests/support/reference/exact_sum.h"

namespace {

using namespace tahoma;
using tests::Number, tests::number_of;

constexpr tests::FormatBits kFp32{8, 23, 127};
constexpr std::uint32_t kNaN = 0x7FC00000U;

bool is_zero(const Number& n) { return !n.nan && !n.infinite && n.significand == 0; }

Number product_of(const Number& a, const Number& b) {
  Number p;
  p.nan = a.nan || b.nan || (a.infinite && is_zero(b)) || (b.infinite && is_zero(a));
  p.infinite = !p.nan && (a.infinite || b.infinite);
  p.negative = a.negative != b.negative;
  p.significand = 0;
  return p;
}

std::uint32_t sum_by_definition(const Number& a, const Number& b, std::uint32_t addend) {
  const Number p = product_of(a, b), c = number_of(kFp32, addend);
  if (p.nan || c.nan || (p.infinite && c.infinite && p.negative != c.negative)) return kNaN;
  const auto infinity = [](bool negative) { return (negative ? 0x80000000U : 0U) | 0x7F800000U; };
  if (p.infinite || c.infinite) return infinity(p.infinite ? p.negative : c.negative);
  tests::ExactSum sum;
  sum.add(p.negative, std::uint64_t{a.significand} * b.significand, a.exponent + b.exponent);
  sum.add(c.negative, c.significand, c.exponent);
  const bool both_are_zero = (is_zero(a) || is_zero(b)) && is_zero(c);
  if (sum.is_zero()) return both_are_zero && p.negative && c.negative ? 0x80000000U : 0;
  return sum.nearest_fp32();
}

// significand * 2^exponent, both in the form of the RTL.
bool is_exact(const Number& a, const Number& b, const Vnumbers& gates) {
  const auto raw = static_cast<int>(gates.product_exponent);
  const int exponent = (raw >= 512 ? raw - 1024 : raw) - 23;
  tests::ExactSum difference;
  difference.add(false, std::uint64_t{a.significand} * b.significand, a.exponent + b.exponent);
  if (gates.product_significand == 0) return difference.is_zero();
  difference.add(true, gates.product_significand, exponent);
  return difference.is_zero() && gates.product_significand >> 23 == 1;
}

// An addend of similar magnitude to the product, so that their bits overlap, or any.
std::uint32_t addend_for(tests::RandomElements& random, std::uint32_t product) {
  if (random.one_in(3)) return random.element_of(kFp32, random.pattern());
  const std::uint32_t near = product + (random.below(56) << 23) - (28U << 23);
  return (random.one_in(4) ? near & 0xFFFFF000U : near) ^ (random.below(2) << 31) ^ random.below(4);
}

}  // namespace

TEST_CASE("numbers in RTL: products are exact and sums round once, to nearest even", "[rtl]") {
  Vnumbers gates;
  tests::RandomElements random(41);
  std::size_t wrong = 0, subnormal = 0, infinite = 0, nan = 0, cancelled = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const rtl::Format fa = random.format(), fb = random.format();
    const tests::Pattern pattern = random.pattern();
    gates.a_format = static_cast<std::uint8_t>(fa);
    gates.b_format = static_cast<std::uint8_t>(fb);
    gates.a_bits = random.element(fa, pattern);
    gates.b_bits = random.element(fb, random.one_in(4) ? random.pattern() : pattern);
    const Number a = number_of(tests::bits_of(fa), gates.a_bits),
                 b = number_of(tests::bits_of(fb), gates.b_bits);
    gates.addend_bits = addend_for(random, sum_by_definition(a, b, 0));
    gates.eval();
    const Number p = product_of(a, b);
    const std::uint32_t expected = sum_by_definition(a, b, gates.addend_bits),
                        magnitude = expected & 0x7FFFFFFFU;
    const bool product_right =
        gates.product_nan == p.nan && (p.nan || gates.product_infinite == p.infinite) &&
        (p.nan || gates.product_sign == p.negative) && (p.nan || p.infinite || is_exact(a, b, gates));
    if ((!product_right || gates.sum != expected) && ++wrong < 4) {
      UNSCOPED_INFO(std::hex << "formats " << int{gates.a_format} << " " << int{gates.b_format} << ": "
                             << gates.a_bits << " * " << gates.b_bits << " + " << gates.addend_bits << " = "
                             << gates.sum << ", expected " << expected
                             << "; product right: " << product_right);
    }
    subnormal += magnitude != 0 && magnitude < 0x800000U;
    infinite += magnitude == 0x7F800000U;
    nan += magnitude > 0x7F800000U;
    cancelled += expected == 0 && !is_zero(a) && !is_zero(b);
  }
  CHECK(wrong == 0);
  // The hard cases have occurred.
  CHECK(subnormal > 5'000);
  CHECK(infinite > 10'000);
  CHECK(nan > 10'000);
  CHECK(cancelled > 1'000);
}
