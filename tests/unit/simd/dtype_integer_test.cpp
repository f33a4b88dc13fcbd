// SPDX-License-Identifier: Apache-2.0
// Compares conversions of single integers with the nearest integer by distance, and two's complement.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/core/dtype.h"

namespace {

using namespace tahoma;
using isa::DType;

constexpr float kInf = std::numeric_limits<float>::infinity();

std::int64_t stored_integer(DType dtype, float value) {
  std::array<std::byte, 4> bytes{};
  isa::store_from_fp32(bytes.data(), dtype, value);
  const auto as = [&](auto integer) {
    std::memcpy(&integer, bytes.data(), sizeof integer);
    return static_cast<std::int64_t>(integer);
  };
  switch (dtype) {
    case DType::kInt8:
      return as(std::int8_t{});
    case DType::kUint8:
      return as(std::uint8_t{});
    case DType::kInt16:
      return as(std::int16_t{});
    case DType::kUint16:
      return as(std::uint16_t{});
    case DType::kInt32:
      return as(std::int32_t{});
    default:
      return as(std::uint32_t{});
  }
}

struct IntegerType {
  DType dtype;
  std::int64_t low, high;
};
constexpr IntegerType kIntegers[] = {{DType::kInt8, -128, 127},
                                     {DType::kUint8, 0, 255},
                                     {DType::kInt16, -32768, 32767},
                                     {DType::kUint16, 0, 65535},
                                     {DType::kInt32, -2147483648, 2147483647},
                                     {DType::kUint32, 0, 4294967295}};

// Nearest integer, ties to even, by comparing distances; then the limits.
std::int64_t nearest(double value, const IntegerType& type) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(type.low)) return type.low;
  if (value >= static_cast<double>(type.high)) return type.high;
  const auto below = static_cast<std::int64_t>(std::floor(value));
  const double distance = value - static_cast<double>(below);
  if (distance != 0.5) return distance < 0.5 ? below : below + 1;
  return below % 2 == 0 ? below : below + 1;
}

}  // namespace

TEST_CASE("dtype: 8- and 16-bit integers load exactly, and all come back", "[isa]") {
  for (const IntegerType& type : kIntegers) {
    if (isa::size_of(type.dtype) == 4) continue;
    CAPTURE(isa::name_of(type.dtype));
    unsigned wrong = 0;
    for (std::int64_t value = type.low; value <= type.high; ++value) {
      std::array<std::byte, 4> bytes{};
      std::memcpy(bytes.data(), &value, isa::size_of(type.dtype));  // two's complement, little-endian
      wrong += isa::load_as_fp32(bytes.data(), type.dtype) != static_cast<float>(value);
      wrong += stored_integer(type.dtype, static_cast<float>(value)) != value;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("dtype: integers round to nearest even, saturate, and take NaN as 0", "[isa]") {
  for (const IntegerType& type : kIntegers) {
    CAPTURE(isa::name_of(type.dtype));
    CHECK_FALSE(isa::is_float(type.dtype));
    const auto low = static_cast<float>(type.low), high = static_cast<float>(type.high);
    for (const float edge : {low, high, 0.0F, 127.0F, 128.0F, 255.0F, 32767.0F, 65535.0F, 0x1p24F, 0x1p30F}) {
      for (int k = -16; k <= 16; ++k) {
        for (const float around : {-0.5F, 0.0F, 0.5F}) {
          const float value = edge + static_cast<float>(k) + around;
          for (const float x : {value, std::nextafter(value, kInf), std::nextafter(value, -kInf), -value}) {
            CAPTURE(x);
            CHECK(stored_integer(type.dtype, x) == nearest(x, type));
          }
        }
      }
    }
    CHECK(stored_integer(type.dtype, kInf) == type.high);
    CHECK(stored_integer(type.dtype, -kInf) == type.low);
    CHECK(stored_integer(type.dtype, 1e30F) == type.high);
    CHECK(stored_integer(type.dtype, -1e30F) == type.low);
    CHECK(stored_integer(type.dtype, std::numeric_limits<float>::quiet_NaN()) == 0);
    CHECK(stored_integer(type.dtype, -std::numeric_limits<float>::quiet_NaN()) == 0);
    CHECK(stored_integer(type.dtype, -0.0F) == 0);
    CHECK(stored_integer(type.dtype, std::numeric_limits<float>::denorm_min()) == 0);
  }
}

TEST_CASE("dtype: 32-bit integers beyond 2^24 load as the nearest fp32, ties to even", "[isa]") {
  const auto loaded = [](DType dtype, std::uint32_t bits) {
    std::array<std::byte, 4> bytes;
    std::memcpy(bytes.data(), &bits, 4);
    return isa::load_as_fp32(bytes.data(), dtype);
  };
  CHECK(loaded(DType::kInt32, 16777216) == 16777216.0F);
  CHECK(loaded(DType::kInt32, 16777217) == 16777216.0F);  // a tie
  CHECK(loaded(DType::kInt32, 16777219) == 16777220.0F);  // a tie
  CHECK(loaded(DType::kInt32, 0xFEFFFFFF) == -16777216.0F);
  CHECK(loaded(DType::kInt32, 0x7FFFFFFF) == 0x1p31F);
  CHECK(loaded(DType::kInt32, 0x80000000) == -0x1p31F);
  CHECK(loaded(DType::kUint32, 0xFFFFFFFF) == 0x1p32F);
  CHECK(loaded(DType::kUint32, 0xFFFFFF7F) == 0x1.FFFFFEp31F);
}
