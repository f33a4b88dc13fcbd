// SPDX-License-Identifier: Apache-2.0
// Compares stochastic rounding with its definition: the result is one of the two neighbours, the upper one
// with a probability that is the value's relative distance from the lower. Also tests the streams of random
// words.
#include "isa/core/rounding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/support/bench/tile_memory.h"
#include "tests/support/reference/float_formats.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Rounding;
using test::FloatFormat, test::kFloatFormats;

constexpr std::uint32_t kSeed = 20260101;
constexpr unsigned kDraws = 100000;

std::uint32_t rounded(const FloatFormat& format, float value, Rounding& rounding) {
  std::array<std::byte, 4> bytes{};
  isa::store_rounded(bytes.data(), format.dtype, value, &rounding);
  return format.pattern_of(bytes);
}

// The largest magnitude that does not exceed a finite one below 2^(emax + 1), by bisection.
std::uint32_t lower_neighbour(const FloatFormat& format, double magnitude) {
  std::uint32_t low = 0, high = format.infinity();
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (format.extended(middle) <= magnitude ? low : high) = middle;
  }
  return low;
}

// Distance of a frequency from a probability, in standard deviations.
double deviations(unsigned hits, unsigned draws, double probability) {
  const double expected = draws * probability, variance = draws * probability * (1 - probability);
  return std::fabs(hits - expected) / std::sqrt(std::max(variance, 1e-9));
}

// Over kDraws roundings of `value`, the deviation of the share that is rounded up from the value's position
// between its neighbours.
template <class Round>
double bias(const FloatFormat& format, float value, Round round) {
  const std::uint32_t low = lower_neighbour(format, std::fabs(value));
  const double below = format.extended(low), step = format.extended(low + 1) - below;
  unsigned up = 0;
  for (unsigned n = 0; n < kDraws; ++n) up += (round(value) & (format.sign() - 1)) == low + 1;
  return deviations(up, kDraws, (std::fabs(value) - below) / step);
}

}  // namespace

TEST_CASE("rounding: a stream's words depend on its key and the position alone", "[isa]") {
  Rounding a{kSeed, 0}, b{kSeed, 0}, later{kSeed, 50}, other{kSeed + 1, 0};
  unsigned same = 0;
  for (unsigned n = 0; n < 1000; ++n) {
    const std::uint32_t word = a.next();
    CHECK(word == b.next());
    same += word == other.next();
  }
  CHECK(a.position == 1000);
  Rounding again{kSeed, 0};
  for (unsigned n = 0; n < 50; ++n) again.next();
  CHECK(again.next() == later.next());
  CHECK(same == 0);  // of 1000 words of 32 bits
}

TEST_CASE(
    "rounding: every bit of a word is as often set as not, and changes with every bit of key and position",
    "[isa]") {
  std::mt19937 engine(kSeed);
  CAPTURE(kSeed);
  std::array<unsigned, 32> set{};
  std::array<std::array<unsigned, 32>, 64> flips{};
  constexpr unsigned samples = 20000;
  const auto word = [](std::uint32_t key, std::uint32_t position) { return Rounding{key, position}.next(); };
  for (unsigned n = 0; n < samples; ++n) {
    const std::uint32_t in_order = word(kSeed, n);
    for (unsigned bit = 0; bit < 32; ++bit) set[bit] += in_order >> bit & 1U;
    const auto key = static_cast<std::uint32_t>(engine()), position = static_cast<std::uint32_t>(engine());
    for (unsigned in = 0; in < 64; ++in) {
      const std::uint32_t other =
          in < 32 ? word(key ^ (1U << in), position) : word(key, position ^ (1U << (in - 32)));
      for (unsigned bit = 0; bit < 32; ++bit) flips[in][bit] += (word(key, position) ^ other) >> bit & 1U;
    }
  }
  double worst_set = 0, furthest_flip = 0;
  for (const unsigned count : set) worst_set = std::max(worst_set, deviations(count, samples, 0.5));
  for (const auto& row : flips) {
    for (const unsigned count : row) {
      furthest_flip = std::max(furthest_flip, std::fabs(count / double{samples} - 0.5));
    }
  }
  CHECK(worst_set < 5);
  CHECK(furthest_flip < 0.05);  // a 32-bit mix is not perfect: 45 to 55 in 100
}

TEST_CASE("rounding: exact values never change", "[isa]") {
  Rounding rounding{kSeed, 0};
  for (const FloatFormat& format : kFloatFormats) {
    CAPTURE(isa::name_of(format.dtype));
    unsigned wrong = 0;
    for (std::uint32_t pattern = 0; pattern < 2 * format.sign(); ++pattern) {
      if (format.is_nan(pattern)) continue;
      const auto value = static_cast<float>(format.value(pattern));
      wrong += rounded(format, value, rounding) != pattern || rounded(format, value, rounding) != pattern;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("rounding: the result is one of the two neighbours, with the value's sign", "[isa]") {
  std::mt19937 engine(kSeed);
  CAPTURE(kSeed);
  Rounding rounding{kSeed, 0};
  for (const FloatFormat& format : kFloatFormats) {
    CAPTURE(isa::name_of(format.dtype));
    const auto beyond = static_cast<double>(format.extended(format.infinity()));
    unsigned wrong = 0, ups = 0, overflows = 0;
    for (unsigned n = 0; n < 200000; ++n) {
      // Any bits, and numbers with exponents around the format's own.
      float value = std::bit_cast<float>(static_cast<std::uint32_t>(engine()));
      if (n % 2 == 0 && std::isfinite(value) && value != 0) {
        const int span = std::ilogb(beyond) + static_cast<int>(2 * format.mantissa_bits) + 12;
        const int exponent =
            std::ilogb(beyond) - static_cast<int>(engine() % static_cast<unsigned>(span + 1));
        value = std::ldexp(value, exponent - std::ilogb(value));
      }
      if (!std::isfinite(value)) continue;
      const std::uint32_t got = rounded(format, value, rounding);
      const std::uint32_t sign = std::signbit(value) ? format.sign() : 0;
      const double magnitude = std::fabs(double{value});
      if (magnitude >= beyond) {
        wrong += got != (sign | format.infinity());
        ++overflows;
        continue;
      }
      const std::uint32_t low = lower_neighbour(format, magnitude);
      const bool up = got == (sign | (low + 1));
      wrong += got != (sign | low) && !(up && magnitude != format.extended(low));
      ups += up;
    }
    CHECK(wrong == 0);
    CHECK(ups > 1000);
    CHECK((overflows > 100 || format.exponent_bits == 8));  // fp32 has no number beyond theirs
  }
}

TEST_CASE("rounding: values round up as often as they are close to the upper neighbour", "[isa]") {
  CAPTURE(kSeed);
  Rounding rounding{kSeed, 0};
  for (const FloatFormat& format : kFloatFormats) {
    CAPTURE(isa::name_of(format.dtype));
    const auto one = static_cast<std::uint32_t>(lower_neighbour(format, 1.0));
    // A normal number, the largest subnormal, the smallest one, zero, and the last step before infinity.
    for (const std::uint32_t low : {one, (1U << format.mantissa_bits) - 1, 1U, 0U, format.largest()}) {
      for (const double fraction : {1.0 / 64, 0.25, 0.3, 0.5, 0.875}) {
        const double below = format.extended(low), step = format.extended(low + 1) - below;
        const auto value = static_cast<float>(below + fraction * step);
        CAPTURE(value);
        const auto round = [&](float x) { return rounded(format, x, rounding); };
        CHECK(bias(format, value, round) < 5);
        CHECK(bias(format, -value, round) < 5);
      }
    }
  }
}

TEST_CASE("rounding: the check of frequencies notices rounding to nearest and a slight preference", "[isa]") {
  Rounding rounding{kSeed, 0};
  const FloatFormat& bf16 = kFloatFormats[0];
  const float value = 1.0F + 0.3F * 0x1p-7F;
  CHECK(bias(bf16, value, [&](float x) { return bf16.store(x); }) > 5);
  const float nudged = value + 0.02F * 0x1p-7F;
  CHECK(bias(bf16, value, [&](float) { return rounded(bf16, nudged, rounding); }) > 5);
}

TEST_CASE("rounding: a sum of rounded numbers has no drift", "[isa]") {
  std::mt19937 engine(kSeed);
  CAPTURE(kSeed);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  Rounding rounding{kSeed, 0};
  for (const FloatFormat& format : kFloatFormats) {
    CAPTURE(isa::name_of(format.dtype));
    double error = 0, variance = 0;
    for (unsigned n = 0; n < kDraws; ++n) {
      const float value = uniform(engine);
      const std::uint32_t low = lower_neighbour(format, std::fabs(value));
      const double below = format.extended(low), step = format.extended(low + 1) - below;
      const double fraction = (std::fabs(double{value}) - below) / step;
      variance += fraction * (1 - fraction) * step * step;
      error += format.value(rounded(format, value, rounding)) - value;
    }
    CHECK(std::fabs(error) < 5 * std::sqrt(variance));
  }
}

TEST_CASE("rounding: NaNs and infinities are stored as without it, and still take a word", "[isa]") {
  for (const FloatFormat& format : kFloatFormats) {
    CAPTURE(isa::name_of(format.dtype));
    Rounding rounding{kSeed, 0};
    std::uint32_t count = 0;
    for (const std::uint32_t bits :
         {0x7F800000U, 0xFF800000U, 0x7F800001U, 0xFF801FFFU, 0x7FFFFFFFU, 0xFFC12345U}) {
      const auto value = std::bit_cast<float>(bits);
      for (unsigned n = 0; n < 100; ++n, ++count)
        CHECK(rounded(format, value, rounding) == format.store(value));
    }
    CHECK(rounding.position == count);
  }
}

TEST_CASE("rounding: values below 2^-31 of a subnormal step become zero, values above may become the step",
          "[isa]") {
  Rounding rounding{kSeed, 0};
  for (const FloatFormat& format : kFloatFormats) {
    if (format.exponent_bits == 8) continue;  // fp32 reaches only 2^-16 or 2^-13 of their steps
    CAPTURE(isa::name_of(format.dtype));
    const auto step = static_cast<float>(format.extended(1));
    for (unsigned n = 0; n < 10000; ++n) {
      CHECK(rounded(format, std::nextafter(step * 0x1p-31F, 0.0F), rounding) == 0);
      CHECK(rounded(format, -0x1p-149F, rounding) == format.sign());
    }
  }
}

TEST_CASE("rounding: fp32 and integers round as without it and take no words", "[isa]") {
  test::Numbers numbers(kSeed);
  Rounding rounding{kSeed, 3};
  for (const DType dtype : {DType::kFp32, DType::kInt32, DType::kUint32, DType::kUint8, DType::kInt8,
                            DType::kInt16, DType::kUint16}) {
    CHECK_FALSE(isa::rounds_stochastically(dtype));
    for (unsigned n = 0; n < 1000; ++n) {
      const float value = numbers.any();
      std::array<std::byte, 4> got{}, want{};
      isa::store_rounded(got.data(), dtype, value, &rounding);
      isa::store_from_fp32(want.data(), dtype, value);
      CHECK(got == want);
    }
  }
  CHECK(rounding.position == 3);
}
