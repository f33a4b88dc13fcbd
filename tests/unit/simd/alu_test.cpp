// SPDX-License-Identifier: Apache-2.0
// Compares ALU operations on rows with the definition in double; powers and roots with long double, within
// the stated error.
#include "isa/simd/alu.h"

#include "isa/simd/row_loop.h"
#include "tests/support/bench/tile_forms.h"

namespace {

using namespace tahoma;
using isa::AluOp;
using namespace tahoma::test;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::bit_cast<float>(0xFFC12345U);

// Distance from the true value in units of the last place of an fp32 result, subnormal results included.
long double ulps(float got, long double exact) {
  const bool beyond = std::fabs(exact) >= 0x1.ffffffp127L;
  if (beyond || std::isinf(got)) {
    return beyond && got == std::copysign(kInfinity, static_cast<float>(exact)) ? 0 : 1e9L;
  }
  const int exponent = exact == 0 ? -200 : std::ilogb(exact);
  return std::fabs(got - exact) / std::ldexp(1.0L, std::max(exponent - 23, -149));
}

// A base, and an exponent such that the result has any size, including beyond both ends of fp32.
std::pair<float, float> arguments_of_power(Numbers& numbers, unsigned n) {
  float base = std::fabs(std::bit_cast<float>(numbers.word()));
  if (n % 4 == 0) base = 1.0F + static_cast<float>(static_cast<int>(numbers.below(20001)) - 10000) * 1e-7F;
  if (!(base > 0) || std::isinf(base) || base == 1) base = 2.5F;
  const long double wanted = -155.0L + 290.0L * numbers.word() / 0x1p32L;
  float exponent = static_cast<float>(wanted / std::log2(static_cast<long double>(base)));
  if (n % 5 == 0) exponent = static_cast<float>(static_cast<int>(numbers.below(41)) - 20);
  return {base, std::isfinite(exponent) ? exponent : 0.5F};
}

template <class Power>
long double worst_error(unsigned seed, unsigned cases, Power power) {
  Numbers numbers(seed);
  long double worst = 0;
  for (unsigned n = 0; n < cases; ++n) {
    const auto [base, exponent] = arguments_of_power(numbers, n);
    const long double exact = std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
    worst = std::max(worst, ulps(power(base, exponent), exact));
  }
  return worst;
}

}  // namespace

TEST_CASE("alu rows: every operation is its definition, for every kind of number and SIMD target", "[isa]") {
  std::vector<AluOp> ops(std::begin(kBinaryOps), std::end(kBinaryOps));
  ops.insert(ops.end(), std::begin(kUnaryOps), std::end(kUnaryOps));
  ops.insert(ops.end(), std::begin(kMagnitudeOps), std::end(kMagnitudeOps));
  Numbers numbers(71);
  std::vector<float> a, b;
  for (const float x : {0.0F, -0.0F, 1.0F, -1.0F, kInfinity, -kInfinity, kNan, 0x1p-149F, 3.5F}) {
    for (const float y : {0.0F, -0.0F, 1.0F, -1.0F, kInfinity, -kInfinity, kNan, 0x1p-149F, 3.5F, 2.0F}) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  while (a.size() < 1013) {
    a.push_back(numbers.any());
    b.push_back(numbers.below(4) == 0 ? a.back() : numbers.any());
  }
  on_every_simd_target([&] {
    for (const AluOp op : ops) {
      std::size_t other = 0, alone = 0, nans = 0;
      for (std::size_t at = 0, n = 1; at < a.size(); at += n, n = n % 23 + 1) {
        const std::size_t length = std::min(n, a.size() - at);
        std::vector<float> out(length);
        isa::alu_row(op, isa::dense_row(&a[at]), isa::dense_row(&b[at]), out.data(), length);
        for (std::size_t i = 0; i < length; ++i) {
          other += !same_number(out[i], apply(op, a[at + i], b[at + i]));
          alone += !same_bits(out[i], isa::alu(op, a[at + i], b[at + i]));
          nans += std::isnan(out[i]) && std::bit_cast<std::uint32_t>(out[i]) != 0x7FC00000U;
        }
      }
      CAPTURE(int(op));
      CHECK(other == 0);                           // the definition
      CHECK(alone == 0);                           // the operation on single numbers, bit by bit
      CHECK((nans == 0 || op == AluOp::kBypass));  // one NaN for all
    }
  });
}

TEST_CASE("comparisons: a NaN differs from everything and is true", "[isa]") {
  for (const float x : {kNan, 0.0F, 1.0F, kInfinity}) {
    for (const AluOp op : {AluOp::kIsEqual, AluOp::kIsGe, AluOp::kIsGt, AluOp::kIsLe, AluOp::kIsLt}) {
      CHECK(same_bits(isa::alu(op, kNan, x), 0.0F));
      CHECK(same_bits(isa::alu(op, x, kNan), 0.0F));
    }
    CHECK(isa::alu(AluOp::kIsNotEqual, kNan, x) == 1.0F);
    CHECK(isa::alu(AluOp::kLogicalOr, kNan, x) == 1.0F);
    CHECK(isa::alu(AluOp::kLogicalAnd, kNan, x) == (x == 0 ? 0.0F : 1.0F));
    CHECK(isa::alu(AluOp::kLogicalXor, kNan, x) == (x == 0 ? 1.0F : 0.0F));
  }
}

TEST_CASE("power: within 0.5001 ulp of the true value, subnormal results included", "[isa]") {
  CHECK(worst_error(72, 300000, isa::power) <= 0.5001L);
}

TEST_CASE("power: the judge finds one that is off by a 2^-22nd part", "[isa]") {
  const auto off = [](float x, float y) { return isa::power(x, y) * (1 + 0x1p-22F); };
  CHECK(worst_error(72, 20000, off) > 0.5001L);
  const auto through_fp32 = [](float x, float y) { return std::exp2(y * std::log2(x)); };
  CHECK(worst_error(72, 20000, through_fp32) > 0.5001L);
}

TEST_CASE("power: small whole exponents and exact powers are exact", "[isa]") {
  for (int e = -149; e < 128; ++e) CHECK(isa::power(2.0F, static_cast<float>(e)) == std::ldexp(1.0F, e));
  for (int n = -4096; n <= 4096; ++n) {
    const auto x = static_cast<float>(n);
    CHECK(isa::power(x, 1.0F) == x);
    CHECK(isa::power(x, 2.0F) == x * x);
    CHECK(isa::power(x * x, 0.5F) == std::fabs(x));
  }
  CHECK(isa::power(-3.0F, 3.0F) == -27.0F);
}

TEST_CASE("power: special cases are those of C's pow", "[isa]") {
  const float values[] = {0.0F, -0.0F, 1.0F,    -1.0F,       2.0F,         -2.0F,     0.5F,      -0.5F,
                          3.0F, -3.0F, 2.5F,    -2.5F,       4.0F,         -4.0F,     kInfinity, -kInfinity,
                          kNan, 1e30F, 0x1p24F, 16777215.0F, -16777215.0F, 0x1p-149F, -0x1p-149F};
  for (const float x : values) {
    for (const float y : values) {
      CAPTURE(x, y);
      const auto want = static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
      CHECK(same_number(isa::power(x, y), want));
      if (std::isnan(want)) CHECK(std::bit_cast<std::uint32_t>(isa::power(x, y)) == 0x7FC00000U);
    }
  }
}

TEST_CASE("rsqrt: correctly rounded in both binades of the root, and at its ends", "[isa]") {
  for (std::uint32_t bits = 0x3F800001U; bits < 0x40800000U; bits += 7) {
    const float x = std::bit_cast<float>(bits), r = isa::reciprocal_root(x);
    const long double error = std::fabs(r - 1 / std::sqrt(static_cast<long double>(x)));
    if (error > 0x1p-25L) FAIL_CHECK("more than half a last place: rsqrt of " << x);
  }
  CHECK(isa::reciprocal_root(0.0F) == kInfinity);
  CHECK(isa::reciprocal_root(-0.0F) == -kInfinity);
  CHECK(same_bits(isa::reciprocal_root(kInfinity), 0.0F));
  CHECK(isa::reciprocal_root(0x1p-148F) == 0x1p74F);
  CHECK(std::bit_cast<std::uint32_t>(isa::reciprocal_root(-1.0F)) == 0x7FC00000U);
}
