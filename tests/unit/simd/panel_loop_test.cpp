// SPDX-License-Identifier: Apache-2.0
// Compares floats that are copied into panels with the element types' own conversions, and halves of fp32
// with their definition.
#include "isa/simd/panel_loop.h"

#include <catch2/catch.hpp>
#include <vector>

#include "isa/simd/matmul_loop.h"
#include "tests/support/bench/tile_memory.h"
#include "tests/support/reference/reference_matmul.h"

namespace {

using namespace tahoma;
using isa::DType;

// Every pattern of an 8- or 16-bit type; of a wider one random ones and the edges of NaN and infinity.
std::vector<std::byte> patterns(DType dtype) {
  const std::size_t size = isa::size_of(dtype);
  test::Numbers numbers(61);
  std::vector<std::uint32_t> bits;
  if (size < 4) {
    for (std::uint32_t b = 0; b < 1U << (8 * size); ++b) bits.push_back(b);
  } else {
    bits = {0x7F800001, 0xFF800001, 0x7F801FFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x00001FFF, 0x80000001};
    while (bits.size() < 4096) bits.push_back(std::bit_cast<std::uint32_t>(numbers.any()));
  }
  std::vector<std::byte> bytes(bits.size() * size);
  for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(bytes.data() + i * size, &bits[i], size);
  return bytes;
}

}  // namespace

TEST_CASE("panels: every float widens as its dtype does, on every SIMD target", "[isa]") {
  test::on_every_simd_target([] {
    for (const DType dtype : {DType::kFp32, DType::kTf32, DType::kBf16, DType::kFp16, DType::kFp8E4M3,
                              DType::kFp8E5M2, DType::kFp8E3M4, DType::kFp8E4M3Fn}) {
      const std::vector<std::byte> bytes = patterns(dtype);
      const std::size_t size = isa::size_of(dtype), n = bytes.size() / size, stride = isa::kMovingPanel + 3;
      std::vector<float> panels(n / isa::kMovingPanel * stride);
      isa::widen_into_panels(dtype, bytes.data(), n, panels.data(), stride);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i)
        wrong += !test::same_number(panels[i / isa::kMovingPanel * stride + i % isa::kMovingPanel],
                                    isa::load_as_fp32(bytes.data() + i * size, dtype));
      CAPTURE(isa::name_of(dtype));
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("halves: twelve bits each, exact together, on every SIMD target", "[isa]") {
  test::on_every_simd_target([] {
    test::Numbers numbers(62);
    std::vector<float> values{0x1p-137F, -0x1.fffp-138F, 0x1p-149F, 0x1.fffffep-126F, 0x1.fffffep127F, -0.0F};
    while (values.size() < 5003) {
      const float v = numbers.any();
      if (std::isfinite(v)) values.push_back(v);
    }
    std::vector<float> high = values, low(values.size(), 9.0F);
    CHECK(isa::split_halves(high.data(), low.data(), high.size()));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const test::HalfPair want = test::halves_of(values[i]);
      wrong += !test::same_bits(high[i], want.high) || low[i] != want.low;
      wrong += high[i] + low[i] != values[i];
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("halves: infinities and NaNs stay whole and are reported, at any position", "[isa]") {
  test::on_every_simd_target([] {
    for (const float v : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()})
      for (std::size_t at = 0; at < 19; ++at) {
        std::vector<float> high(19, 1.0F), low(19, 9.0F);
        CHECK(isa::all_finite(high.data(), high.size()));
        high[at] = v;
        CHECK_FALSE(isa::all_finite(high.data(), high.size()));
        CHECK_FALSE(isa::split_halves(high.data(), low.data(), high.size()));
        CHECK(test::same_number(high[at], v));
        CHECK(test::same_bits(low[at], 0.0F));
      }
  });
}
