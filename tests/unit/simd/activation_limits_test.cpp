// SPDX-License-Identifier: Apache-2.0
// The scalar engine's functions at infinities, zeros and the ends of fp32, and the symmetries of each.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "isa/simd/activation_loop.h"
#include "isa/table/table_names.h"
#include "tests/support/bench/tile_memory.h"
#include "tests/support/reference/activation_reference.h"

namespace {

using namespace tahoma;
using isa::ActFn;
using test::same_bits;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
const float kNaN = std::bit_cast<float>(0x7FC00000U);

float one(ActFn fn, float x, float alpha = 0.0F) {
  float out = 0;
  isa::activation_row(fn, &x, &out, 1, alpha);
  return out;
}

// Values at -inf, -largest, -0, +0, largest and +inf.
struct Limits {
  ActFn fn;
  float minus_inf, minus_largest, minus_zero, plus_zero, plus_largest, plus_inf;
};

const Limits kLimits[] = {
    {ActFn::kCopy, -kInf, -kLargest, -0.0F, 0, kLargest, kInf},
    {ActFn::kSquare, kInf, kInf, 0, 0, kInf, kInf},
    {ActFn::kRelu, 0, 0, 0, 0, kLargest, kInf},
    {ActFn::kAbs, kInf, kLargest, 0, 0, kLargest, kInf},
    {ActFn::kSign, -1, -1, -0.0F, 0, 1, 1},
    {ActFn::kExp, 0, 0, 1, 1, kInf, kInf},
    {ActFn::kReciprocal, -0.0F, -0x1p-128F, -kInf, kInf, 0x1p-128F, 0},
    {ActFn::kSqrt, kNaN, kNaN, -0.0F, 0, 0x1.fffffep63F, kInf},
    {ActFn::kSigmoid, 0, 0, 0.5F, 0.5F, 1, 1},
    {ActFn::kPrelu, -kInf, -kLargest / 4, -0.0F, 0, kLargest, kInf},
    {ActFn::kGelu, -0.0F, -0.0F, -0.0F, 0, kLargest, kInf},
    {ActFn::kGeluDx, -0.0F, -0.0F, 0.5F, 0.5F, 1, 1},
    {ActFn::kGeluTanh, -0.0F, -0.0F, -0.0F, 0, kLargest, kInf},
    {ActFn::kGeluSigmoid, -0.0F, -0.0F, -0.0F, 0, kLargest, kInf},
    {ActFn::kGeluSigmoidDx, -0.0F, -0.0F, 0.5F, 0.5F, 1, 1},
    {ActFn::kSilu, -0.0F, -0.0F, -0.0F, 0, kLargest, kInf},
    {ActFn::kSiluDx, -0.0F, -0.0F, 0.5F, 0.5F, 1, 1},
    {ActFn::kTanh, -1, -1, -0.0F, 0, 1, 1},
    {ActFn::kSoftplus, 0, 0, 0x1.62e43p-1F, 0x1.62e43p-1F, kLargest, kInf},
    {ActFn::kMish, -0.0F, -0.0F, -0.0F, 0, kLargest, kInf},
    {ActFn::kErf, -1, -1, -0.0F, 0, 1, 1},
    {ActFn::kErfDx, 0, 0, 0x1.20dd76p0F, 0x1.20dd76p0F, 0, 0},
    {ActFn::kLog, kNaN, kNaN, -kInf, -kInf, 0x1.62e43p6F, kInf},
    {ActFn::kSin, kNaN, kNaN, -0.0F, 0, kNaN, kNaN},
    {ActFn::kArctan, -0x1.921fb6p0F, -0x1.921fb6p0F, -0.0F, 0, 0x1.921fb6p0F, 0x1.921fb6p0F},
    {ActFn::kRsqrt, kNaN, kNaN, -kInf, kInf, 1 / 0x1.fffffep63F, 0},
};

}  // namespace

TEST_CASE("activation limits: exact at infinities, zeros and the largest numbers", "[isa]") {
  REQUIRE(std::size(kLimits) == test::all_activations().size());
  test::on_every_simd_target([] {
    for (const Limits& row : kLimits) {
      CAPTURE(isa::name_of(row.fn));
      CHECK(same_bits(one(row.fn, -kInf, 0.25F), row.minus_inf));
      CHECK(same_bits(one(row.fn, -kLargest, 0.25F), row.minus_largest));
      CHECK(same_bits(one(row.fn, -0.0F, 0.25F), row.minus_zero));
      CHECK(same_bits(one(row.fn, 0.0F, 0.25F), row.plus_zero));
      CHECK(same_bits(one(row.fn, kLargest, 0.25F), row.plus_largest));
      CHECK(same_bits(one(row.fn, kInf, 0.25F), row.plus_inf));
    }
  });
}

TEST_CASE("activation limits: every NaN, and every argument without a value, gives one NaN", "[isa]") {
  test::on_every_simd_target([] {
    for (const ActFn fn : test::all_activations()) {
      CAPTURE(isa::name_of(fn));
      for (const std::uint32_t bits : {0x7F800001U, 0x7FC12345U, 0xFF812345U, 0xFFFFFFFFU})
        CHECK(same_bits(one(fn, std::bit_cast<float>(bits), 0.5F), kNaN));
    }
    for (const ActFn fn : {ActFn::kSqrt, ActFn::kRsqrt, ActFn::kLog}) {
      CHECK(same_bits(one(fn, -1.0F), kNaN));
      CHECK(same_bits(one(fn, -0x1p-149F), kNaN));
    }
    CHECK(same_bits(one(ActFn::kPrelu, -kInf, 0.0F), kNaN));
    CHECK(same_bits(one(ActFn::kPrelu, -1.0F, -kNaN), kNaN));
  });
}

TEST_CASE("activation limits: odd functions are odd and even ones even, to the bit", "[isa]") {
  const auto inputs = test::sampled_fp32();
  const auto exceptions = [&](ActFn fn, bool odd) {
    return std::count_if(inputs.begin(), inputs.end(), [&](float x) {
      const float mirrored = odd ? -one(fn, x) : one(fn, x);
      return !test::same_number(one(fn, -x), mirrored);
    });
  };
  for (const ActFn fn : {ActFn::kTanh, ActFn::kErf, ActFn::kSin, ActFn::kArctan, ActFn::kReciprocal}) {
    CAPTURE(isa::name_of(fn));
    CHECK(exceptions(fn, true) == 0);
  }
  for (const ActFn fn : {ActFn::kErfDx, ActFn::kSquare, ActFn::kAbs}) {
    CAPTURE(isa::name_of(fn));
    CHECK(exceptions(fn, false) == 0);
  }
  CHECK(exceptions(ActFn::kSilu, true) > 0);
}

TEST_CASE("activation limits: subnormal results of the tails keep every bit that fp32 has", "[isa]") {
  const auto near = [](ActFn fn, float x, double exact) {
    CAPTURE(isa::name_of(fn), x);
    CHECK(std::abs(one(fn, x) - exact) <= 5 * 0x1p-149);
  };
  near(ActFn::kSilu, -100.0F, -100.0 * std::exp(-100.0));
  near(ActFn::kMish, -100.0F, -100.0 * std::exp(-100.0));
  near(ActFn::kSigmoid, -100.0F, std::exp(-100.0));
  near(ActFn::kSoftplus, -100.0F, std::exp(-100.0));
  near(ActFn::kGelu, -14.0F, -7.0 * std::erfc(14.0 / std::sqrt(2.0)));
  near(ActFn::kErfDx, -9.8F, 2 / std::sqrt(std::acos(-1.0)) * std::exp(-double{9.8F} * 9.8F));
  CHECK(one(ActFn::kSilu, -100.0F) < 0);
  CHECK(one(ActFn::kGelu, -14.0F) < 0);
}

TEST_CASE("prelu: the argument itself, or alpha times a negative one with one rounding", "[isa]") {
  test::Numbers numbers(71);
  INFO("seed 71");
  for (int round = 0; round < 5000; ++round) {
    const float x = numbers.any(), alpha = numbers.ordinary();
    const float want = x < 0 ? alpha * x : x, got = one(ActFn::kPrelu, x, alpha);
    CAPTURE(round, x, alpha, got, want);
    REQUIRE(test::same_number(got, want));
  }
}

TEST_CASE("sin: correct next to multiples of pi, where the reduction decides, and NaN beyond 2^15", "[isa]") {
  CHECK(one(ActFn::kSin, 0x1.921fb6p1F) == -0x1.777a5cp-24F);  // pi in fp32: the sine is the remainder of pi
  CHECK(one(ActFn::kSin, -0x1.921fb6p1F) == 0x1.777a5cp-24F);
  CHECK(std::abs(one(ActFn::kSin, 32768.0F) - std::sin(32768.0)) < 1e-7);
  CHECK(same_bits(one(ActFn::kSin, std::nextafter(32768.0F, 1e9F)), kNaN));
  CHECK(same_bits(one(ActFn::kSin, -40000.0F), kNaN));
}
