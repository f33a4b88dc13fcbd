// SPDX-License-Identifier: Apache-2.0
// Conversions against the definition of the formats: sign, exponent, fraction, and the nearest neighbour in
// double.
#include "isa/dtype.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/row_kernel.h"
#include "tests/support/tile_memory.h"

namespace {

using namespace tahoma;
using isa::DType;

// What the bits of a small floating-point format mean.
struct Format {
  int exponent_bits, fraction_bits;
  double value(unsigned bits) const {
    const unsigned fraction = bits & ((1U << fraction_bits) - 1);
    const int exponent = static_cast<int>((bits >> fraction_bits) & ((1U << exponent_bits) - 1));
    const double sign = (bits >> (exponent_bits + fraction_bits)) != 0 ? -1 : 1;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    if (exponent == (1 << exponent_bits) - 1) {
      return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                           : std::numeric_limits<double>::quiet_NaN();
    }
    const double significand = fraction + (exponent == 0 ? 0.0 : std::ldexp(1, fraction_bits));
    return sign * std::ldexp(significand, (exponent == 0 ? 1 : exponent) - bias - fraction_bits);
  }
  bool is_nan(unsigned bits) const { return std::isnan(value(bits)); }
  unsigned quiet_bit() const { return 1U << (fraction_bits - 1); }
  unsigned infinity() const { return ((1U << exponent_bits) - 1) << fraction_bits; }
};

constexpr Format kHalf{5, 10}, kBrain{8, 7};

template <class Widen, class Narrow>
void check_round_trip(const Format& format, Widen widen, Narrow narrow) {
  unsigned wrong = 0;
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const float wide = widen(static_cast<std::uint16_t>(bits));
    if (format.is_nan(bits)) {
      wrong += !std::isnan(wide) || narrow(wide) != (bits | format.quiet_bit());
    } else {
      const double expected = format.value(bits);
      wrong += wide != expected || std::signbit(wide) != std::signbit(expected) || narrow(wide) != bits;
    }
  }
  CHECK(wrong == 0);
}

// Between two neighbours the midpoint goes to the even one and everything else to the nearer. With the order
// of the formats' bits, this fixes every finite input.
template <class Narrow>
void check_rounding(const Format& format, Narrow narrow) {
  unsigned wrong = 0;
  for (unsigned low = 0; low + 1 <= format.infinity(); ++low) {
    const unsigned high = low + 1;  // the step after the largest number is where infinity would be a number
    const double above =
        high == format.infinity() ? 2 * format.value(low) - format.value(low - 1) : format.value(high);
    const auto middle = static_cast<float>((format.value(low) + above) / 2);
    const unsigned even = low % 2 == 0 ? low : high;
    for (const unsigned sign : {0U, 0x8000U}) {
      const float side = sign != 0 ? -1.0F : 1.0F;
      wrong += narrow(side * middle) != (even | sign);
      wrong += narrow(side * std::nextafter(middle, 0.0F)) != (low | sign);
      wrong += narrow(side * std::nextafter(middle, std::numeric_limits<float>::infinity())) != (high | sign);
    }
  }
  CHECK(wrong == 0);
  CHECK(narrow(std::numeric_limits<float>::infinity()) == format.infinity());
  CHECK(narrow(-std::numeric_limits<float>::infinity()) == (format.infinity() | 0x8000U));
  CHECK(narrow(std::numeric_limits<float>::denorm_min()) == 0);
  CHECK(narrow(-std::numeric_limits<float>::denorm_min()) == 0x8000U);
}

std::uint16_t narrow_bits(DType dtype, float value) {
  std::uint16_t out = 0;
  std::array<std::byte, 2> bytes;
  isa::narrow_row(dtype, &value, bytes.data(), 1);
  std::memcpy(&out, bytes.data(), 2);
  return out;
}

float round_trip(DType dtype, float value) {
  std::array<std::byte, 4> bytes{};
  isa::store_from_fp32(bytes.data(), dtype, value);
  return isa::load_as_fp32(bytes.data(), dtype);
}

}  // namespace

TEST_CASE("dtype: all fp16 and bf16 patterns widen exactly and come back", "[isa]") {
  check_round_trip(kHalf, isa::fp32_from_fp16, isa::fp16_from_fp32);
  check_round_trip(kBrain, isa::fp32_from_bf16, isa::bf16_from_fp32);
}

TEST_CASE("dtype: narrowing rounds to nearest, ties to even, over the whole range", "[isa]") {
  check_rounding(kHalf, isa::fp16_from_fp32);
  check_rounding(kBrain, isa::bf16_from_fp32);
}

TEST_CASE("dtype: a NaN stays a quiet NaN with its sign and upper payload", "[isa]") {
  for (const std::uint32_t bits :
       {0x7F800001U, 0xFF800001U, 0x7FC00000U, 0xFFFFFFFFU, 0x7FABE123U, 0xFFBFFFFFU}) {
    const auto value = std::bit_cast<float>(bits);
    const unsigned sign = (bits >> 16) & 0x8000U;
    CHECK(isa::bf16_from_fp32(value) == (sign | 0x7FC0U | ((bits >> 16) & 0x3FU)));
    CHECK(isa::fp16_from_fp32(value) == (sign | 0x7E00U | ((bits >> 13) & 0x1FFU)));
  }
}

TEST_CASE("dtype: row conversions equal the single ones on every SIMD target", "[isa]") {
  std::vector<std::uint16_t> half(0x10000);
  for (unsigned i = 0; i < half.size(); ++i) half[i] = static_cast<std::uint16_t>(i);
  test::on_every_simd_target([&] {
    for (const DType dtype : {DType::kBf16, DType::kFp16}) {
      const Format& format = dtype == DType::kBf16 ? kBrain : kHalf;
      std::vector<float> wide(half.size());
      std::vector<std::uint16_t> back(half.size());
      isa::widen_row(dtype, reinterpret_cast<const std::byte*>(half.data()), wide.data(), wide.size());
      isa::narrow_row(dtype, wide.data(), reinterpret_cast<std::byte*>(back.data()), wide.size());
      unsigned wrong = 0;
      for (unsigned i = 0; i < half.size(); ++i) {
        const auto bits = reinterpret_cast<const std::byte*>(&half[i]);
        wrong += !test::same_number(wide[i], isa::load_as_fp32(bits, dtype));
        wrong += back[i] != (format.is_nan(i) ? i | format.quiet_bit() : i);
      }
      CHECK(wrong == 0);
      check_rounding(format, [dtype](float value) { return narrow_bits(dtype, value); });
    }
  });
}

TEST_CASE("dtype: rows of every length narrow like single numbers, NaNs and extremes included", "[isa]") {
  test::Numbers numbers(11);
  test::on_every_simd_target([&] {
    for (std::size_t n = 0; n < 40; ++n) {
      std::vector<float> in(n);
      for (float& x : in) x = numbers.any();
      for (const DType dtype : {DType::kBf16, DType::kFp16}) {
        std::vector<std::uint16_t> out(n + 1, 0xABCD);
        isa::narrow_row(dtype, in.data(), reinterpret_cast<std::byte*>(out.data()), n);
        for (std::size_t i = 0; i < n; ++i) {
          CHECK(out[i] == (dtype == DType::kBf16 ? isa::bf16_from_fp32(in[i]) : isa::fp16_from_fp32(in[i])));
        }
        CHECK(out[n] == 0xABCD);  // nothing beyond the row is touched
      }
    }
  });
}

TEST_CASE("dtype: integers round to nearest even, saturate, and take NaN as 0", "[isa]") {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  CHECK(round_trip(DType::kInt32, 2.5F) == 2);
  CHECK(round_trip(DType::kInt32, 3.5F) == 4);
  CHECK(round_trip(DType::kInt32, -2.5F) == -2);
  CHECK(round_trip(DType::kInt32, nan) == 0);
  CHECK(round_trip(DType::kInt32, 1e20F) == 2147483648.0F);  // 2^31 - 1, read back in fp32
  CHECK(round_trip(DType::kInt32, -infinity) == -2147483648.0F);
  CHECK(round_trip(DType::kUint32, -1.0F) == 0);
  CHECK(round_trip(DType::kUint32, infinity) == 4294967296.0F);
  CHECK(round_trip(DType::kUint32, 3e9F) == 3e9F);
  CHECK(round_trip(DType::kUint8, 254.5F) == 254);
  CHECK(round_trip(DType::kUint8, 300.0F) == 255);
  CHECK(round_trip(DType::kUint8, -0.4F) == 0);
  CHECK(round_trip(DType::kUint8, nan) == 0);
  std::array<std::byte, 4> bytes{};
  std::int32_t largest = 0;
  isa::store_from_fp32(bytes.data(), DType::kInt32, infinity);
  std::memcpy(&largest, bytes.data(), 4);
  CHECK(largest == std::numeric_limits<std::int32_t>::max());
}

TEST_CASE("dtype: names are unique and lead back to their type", "[isa]") {
  for (std::size_t i = 0; i < isa::kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    CHECK(isa::dtype_from_name(isa::name_of(dtype)) == dtype);
    CHECK((isa::size_of(dtype) == 1 || isa::size_of(dtype) == 2 || isa::size_of(dtype) == 4));
  }
  CHECK_FALSE(isa::dtype_from_name("FP32").has_value());
  CHECK_FALSE(isa::dtype_from_name("").has_value());
  CHECK(isa::is_float(DType::kFp16));
  CHECK_FALSE(isa::is_float(DType::kUint8));
}
