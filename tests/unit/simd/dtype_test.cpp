// SPDX-License-Identifier: Apache-2.0
// Compares conversions of single elements with the definition of the formats: sign, exponent, mantissa, and
// the nearest neighbour in double.
#include "isa/core/dtype.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "tests/support/reference/float_formats.h"

namespace {

using namespace tahoma;
using isa::DType;
using test::FloatFormat, test::kFloatFormats;

constexpr float kInf = std::numeric_limits<float>::infinity();

bool same(float got, double want) { return got == want && std::signbit(got) == std::signbit(want); }

// Between two neighbours the midpoint is rounded to the even one and everything else to the nearer; the
// values themselves are unchanged. With the order of the patterns, this defines the result for every finite
// input. Returns how often `store` violates it.
template <class Store>
unsigned wrong_roundings(const FloatFormat& format, Store store) {
  unsigned wrong = 0;
  for (std::uint32_t low = 0; low < format.infinity(); ++low) {
    const std::uint32_t high = low + 1, even = low % 2 == 0 ? low : high;
    const auto value = static_cast<float>(format.extended(low));
    const auto middle = static_cast<float>((format.extended(low) + format.extended(high)) / 2);
    for (const std::uint32_t sign : {0U, format.sign()}) {
      const float side = sign != 0 ? -1.0F : 1.0F;
      wrong += store(side * value) != (low | sign);
      wrong += store(side * std::nextafter(value, kInf)) != (low | sign);
      wrong += low > 0 && store(side * std::nextafter(value, 0.0F)) != (low | sign);
      wrong += store(side * middle) != (even | sign);
      wrong += store(side * std::nextafter(middle, 0.0F)) != (low | sign);
      wrong += store(side * std::nextafter(middle, kInf)) != (high | sign);
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("dtype: every pattern of every float loads by its definition and is restored", "[isa]") {
  for (const FloatFormat& format : kFloatFormats) {
    CAPTURE(isa::name_of(format.dtype));
    unsigned wrong = 0;
    for (std::uint32_t pattern = 0; pattern < 2 * format.sign(); ++pattern) {
      const float wide = format.load(pattern);
      if (format.is_nan(pattern)) {
        wrong += !std::isnan(wide) || format.store(wide) != (pattern | format.quiet());
      } else {
        wrong += !same(wide, format.value(pattern)) || format.store(wide) != pattern;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("dtype: the formats have the largest numbers and the steps that are documented", "[isa]") {
  const auto limits = [](DType dtype) {
    for (const FloatFormat& f : kFloatFormats) {
      if (f.dtype == dtype) return std::array<float, 2>{f.load(f.largest()), f.load(1)};
    }
    return std::array<float, 2>{};
  };
  using Pair = std::array<float, 2>;
  CHECK(limits(DType::kFp8E4M3) == Pair{240, 0x1p-9F});
  CHECK(limits(DType::kFp8E5M2) == Pair{57344, 0x1p-16F});
  CHECK(limits(DType::kFp8E3M4) == Pair{15.5F, 0x1p-6F});
  CHECK(limits(DType::kFp16) == Pair{65504, 0x1p-24F});
  CHECK(limits(DType::kBf16) == Pair{0x1.FEp127F, 0x1p-133F});
  CHECK(limits(DType::kTf32) == Pair{0x1.FFCp127F, 0x1p-136F});
}

TEST_CASE("dtype: narrowing rounds to nearest, ties to even, over the whole range", "[isa]") {
  for (const FloatFormat& format : kFloatFormats) {
    CAPTURE(isa::name_of(format.dtype));
    CHECK(wrong_roundings(format, [&](float value) { return format.store(value); }) == 0);
  }
}

TEST_CASE("dtype: the check of rounding notices truncation and ties away from even", "[isa]") {
  const FloatFormat& bf16 = kFloatFormats[0];
  REQUIRE(bf16.dtype == DType::kBf16);
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  CHECK(wrong_roundings(bf16, [&](float value) { return bits(value) >> 16; }) > 0);
  CHECK(wrong_roundings(bf16, [&](float value) { return (bits(value) + 0x8000U) >> 16; }) > 0);
}

TEST_CASE("dtype: overflow, infinities and underflow keep their sign", "[isa]") {
  for (const FloatFormat& format : kFloatFormats) {
    CAPTURE(isa::name_of(format.dtype));
    const std::uint32_t negative = format.sign();
    const double largest = format.extended(format.largest()), beyond = format.extended(format.infinity());
    const auto threshold = static_cast<float>((largest + beyond) / 2);  // a tie; infinity is the even one
    CHECK(format.store(threshold) == format.infinity());
    CHECK(format.store(std::nextafter(threshold, 0.0F)) == format.largest());
    CHECK(format.store(-threshold) == (format.infinity() | negative));
    CHECK(format.store(std::numeric_limits<float>::max()) == format.infinity());
    CHECK(format.store(kInf) == format.infinity());
    CHECK(format.store(-kInf) == (format.infinity() | negative));
    CHECK(format.store(0.0F) == 0);
    CHECK(format.store(-0.0F) == negative);
    CHECK(format.store(std::numeric_limits<float>::denorm_min()) == 0);
    CHECK(format.store(-std::numeric_limits<float>::denorm_min()) == negative);
  }
}

TEST_CASE("dtype: a NaN stays a quiet NaN with its sign and upper payload", "[isa]") {
  std::mt19937 engine(5);
  for (const FloatFormat& format : kFloatFormats) {
    CAPTURE(isa::name_of(format.dtype));
    unsigned wrong = 0;
    for (unsigned n = 0; n < 100000; ++n) {
      // The first ones are the smallest payload, quiet and signalling, of either sign.
      const std::uint32_t payload = n < 2 ? 1U : static_cast<std::uint32_t>(engine()) & 0x7FFFFFU;
      const std::uint32_t bits = (n % 2 == 0 ? 0x7F800000U : 0xFF800000U) | (payload == 0 ? 1U : payload);
      const std::uint32_t upper = (bits & 0x7FFFFFU) >> (23 - format.mantissa_bits);
      const std::uint32_t sign = n % 2 == 0 ? 0 : format.sign();
      wrong +=
          format.store(std::bit_cast<float>(bits)) != (sign | format.infinity() | format.quiet() | upper);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("dtype: tf32 ignores the low 13 bits of a load, but never takes a NaN for infinity", "[isa]") {
  const FloatFormat& tf32 = kFloatFormats[2];
  REQUIRE(tf32.dtype == DType::kTf32);
  std::mt19937 engine(6);
  unsigned wrong = 0;
  for (std::uint32_t pattern = 0; pattern < 2 * tf32.sign(); ++pattern) {
    const auto ignored = static_cast<std::uint32_t>(engine()) & 0x1FFFU;
    const float wide = tf32.load_word(pattern << 13 | ignored);
    const bool infinite = (pattern & (tf32.sign() - 1)) == tf32.infinity();
    if (tf32.is_nan(pattern) || (infinite && ignored != 0)) {
      wrong += std::bit_cast<std::uint32_t>(wide) != (pattern << 13 | 0x00400000U);
    } else {
      wrong += !same(wide, tf32.value(pattern));
    }
  }
  CHECK(wrong == 0);
  CHECK(std::bit_cast<std::uint32_t>(tf32.load_word(0x7F800001U)) == 0x7FC00000U);
  CHECK(std::bit_cast<std::uint32_t>(tf32.load_word(0xFF801FFFU)) == 0xFFC00000U);
}

TEST_CASE("dtype: names are unique and lead back to their type", "[isa]") {
  const std::string names =
      "fp32 bf16 fp16 int32 uint32 uint8 tf32 fp8_e4m3 fp8_e5m2 fp8_e3m4 int8 int16 uint16 "
      "fp8_e4m3fn";
  std::string listed;
  for (std::size_t i = 0; i < isa::kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    listed += std::string(i == 0 ? "" : " ") + std::string(isa::name_of(dtype));
    CHECK(isa::dtype_from_name(isa::name_of(dtype)) == dtype);
    CHECK((isa::size_of(dtype) == 1 || isa::size_of(dtype) == 2 || isa::size_of(dtype) == 4));
  }
  CHECK(listed == names);
  CHECK_FALSE(isa::dtype_from_name("FP32").has_value());
  CHECK_FALSE(isa::dtype_from_name("fp8").has_value());
  CHECK_FALSE(isa::dtype_from_name("").has_value());
  for (const FloatFormat& format : kFloatFormats) CHECK(isa::is_float(format.dtype));
  CHECK(isa::is_float(DType::kFp32));
}
