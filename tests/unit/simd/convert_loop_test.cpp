// SPDX-License-Identifier: Apache-2.0
// Compares row conversions with those of single elements, on every SIMD target of the host. dtype_test.cpp
// and rounding_test.cpp define the conversions of single elements.
#include "isa/simd/convert_loop.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "tests/support/bench/tile_memory.h"
#include "tests/support/reference/float_formats.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Rounding;

std::vector<DType> converted() {
  std::vector<DType> list;
  for (std::size_t i = 0; i < isa::kDTypeCount; ++i) {
    if (isa::has_row_conversion(static_cast<DType>(i))) list.push_back(static_cast<DType>(i));
  }
  return list;
}

// Every 8- or 16-bit pattern; for 32 bits, every upper half over changing lower ones.
std::vector<std::byte> all_elements(DType dtype) {
  const std::size_t size = isa::size_of(dtype), count = size == 1 ? 0x100 : 0x10000;
  std::mt19937 engine(3);
  std::vector<std::byte> bytes(2 * count * size);
  for (std::size_t i = 0; i < 2 * count; ++i) {
    const auto lower = i < count ? 0U : static_cast<std::uint32_t>(engine()) & 0xFFFFU;
    const auto word = size == 4 ? static_cast<std::uint32_t>(i) << 16 | lower : static_cast<std::uint32_t>(i);
    std::memcpy(bytes.data() + i * size, &word, size);
  }
  return bytes;
}

// Inputs at which narrowing changes: values, midpoints and limits of every format with their fp32 neighbours,
// small integers and halves; then random bits.
std::vector<float> inputs(std::size_t random) {
  std::vector<float> list;
  const auto around = [&](double value) {
    const auto x = static_cast<float>(value);
    for (const float side : {x, -x}) {
      list.push_back(side);
      list.push_back(std::nextafter(side, 1e38F));
      list.push_back(std::nextafter(side, -1e38F));
    }
  };
  for (const test::FloatFormat& format : test::kFloatFormats) {
    const std::uint32_t stride = format.infinity() > 0x1000 ? 61 : 1;
    for (std::uint32_t low = 0; low < format.infinity(); low += stride) {
      around(format.extended(low));
      around((format.extended(low) + format.extended(low + 1)) / 2);
    }
    around((format.extended(format.largest()) + format.extended(format.infinity())) / 2);
  }
  for (const int middle : {0, 128, 256, 32768, 65536}) {
    for (int k = -8; k <= 8; ++k) around(middle + k / 2.0);
  }
  for (const std::uint32_t bits : {0x7F800000U, 0xFF800000U, 0x7F800001U, 0xFF801FFFU, 0x7FC00000U,
                                   0xFFFFFFFFU, 0x7F7FFFFFU, 0x00000001U, 0x80000001U}) {
    list.push_back(std::bit_cast<float>(bits));
  }
  std::mt19937 engine(17);
  for (std::size_t i = 0; i < random; ++i)
    list.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(engine())));
  return list;
}

std::vector<std::byte> one_by_one(DType dtype, const std::vector<float>& in, Rounding* rounding) {
  const std::size_t size = isa::size_of(dtype);
  std::vector<std::byte> out(in.size() * size);
  for (std::size_t i = 0; i < in.size(); ++i)
    isa::store_rounded(out.data() + i * size, dtype, in[i], rounding);
  return out;
}

}  // namespace

TEST_CASE("convert kernel: every type but fp32 and the 32-bit integers has row conversions", "[isa]") {
  CHECK(converted().size() == isa::kDTypeCount - 3);
  for (const DType dtype : {DType::kFp32, DType::kInt32, DType::kUint32})
    CHECK_FALSE(isa::has_row_conversion(dtype));
}

TEST_CASE("convert kernel: every pattern widens as a single element does", "[isa]") {
  for (const DType dtype : converted()) {
    CAPTURE(isa::name_of(dtype));
    const std::vector<std::byte> in = all_elements(dtype);
    const std::size_t size = isa::size_of(dtype);
    test::on_every_simd_target([&] {
      std::vector<float> out(in.size() / size);
      isa::widen_row(dtype, in.data(), out.data(), out.size());
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < out.size(); ++i) {
        wrong += !test::same_bits(out[i], isa::load_as_fp32(in.data() + i * size, dtype));
      }
      CHECK(wrong == 0);
    });
  }
}

TEST_CASE("convert kernel: boundaries and a million random numbers narrow as single elements do", "[isa]") {
  const std::vector<float> in = inputs(1000000);
  for (const DType dtype : converted()) {
    CAPTURE(isa::name_of(dtype));
    const std::vector<std::byte> want = one_by_one(dtype, in, nullptr);
    test::on_every_simd_target([&] {
      std::vector<std::byte> out(want.size());
      isa::narrow_row(dtype, in.data(), out.data(), in.size());
      CHECK((out == want));
    });
  }
}

TEST_CASE("convert kernel: rows round stochastically as single elements do, and move on as far", "[isa]") {
  const std::vector<float> in = inputs(100000);
  for (const DType dtype : converted()) {
    CAPTURE(isa::name_of(dtype));
    // The second start makes the position wrap inside the row.
    for (const Rounding start : {Rounding{1, 0}, Rounding{0xFEDCBA98U, 0xFFFFFF00U}}) {
      Rounding single = start;
      const std::vector<std::byte> want = one_by_one(dtype, in, &single);
      test::on_every_simd_target([&] {
        Rounding row = start;
        std::vector<std::byte> out(want.size());
        isa::narrow_row(dtype, in.data(), out.data(), in.size(), &row);
        CHECK((out == want));
        CHECK(row.position == single.position);
      });
    }
  }
}

TEST_CASE("convert kernel: rows of every length touch nothing beyond their end", "[isa]") {
  test::Numbers numbers(11);
  test::on_every_simd_target([&] {
    for (std::size_t n = 0; n < 40; ++n) {
      std::vector<float> in(n);
      for (float& x : in) x = numbers.any();
      for (const DType dtype : converted()) {
        const std::size_t size = isa::size_of(dtype);
        for (const bool stochastic : {false, true}) {
          Rounding single{7, 5}, row{7, 5};
          std::vector<std::byte> want = one_by_one(dtype, in, stochastic ? &single : nullptr);
          want.resize((n + 1) * size, std::byte{0xA5});
          std::vector<std::byte> out(want.size(), std::byte{0xA5});
          isa::narrow_row(dtype, in.data(), out.data(), n, stochastic ? &row : nullptr);
          CHECK((out == want));
          std::vector<float> wide(n + 1, 42.0F);
          isa::widen_row(dtype, out.data(), wide.data(), n);
          CHECK(wide[n] == 42.0F);
        }
      }
    }
  });
}
