// SPDX-License-Identifier: Apache-2.0
// The tensor engine's transpose: it moves bits, regardless of their meaning.
#include <catch2/catch.hpp>
#include <initializer_list>

#include "isa/semantics/arithmetic/array_tiles.h"
#include "tests/support/bench/tile_memory.h"
#include "tests/support/program/tensor_programs.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Instruction, isa::Space, isa::Tile;
using test::load_weights, test::transpose, test::TileMemory;

constexpr std::uint32_t kRowStride = 4096;

std::vector<DType> all_dtypes() {
  std::vector<DType> all;
  for (std::size_t d = 0; d < isa::kDTypeCount; ++d) all.push_back(static_cast<DType>(d));
  return all;
}

// A dtype of the width class that such weights require.
DType identity_dtype(DType weights) { return isa::size_of(weights) == 4 ? DType::kFp32 : DType::kBf16; }

struct Turned {
  Tile src, identity, dst;
  unsigned rows = 96, columns = 77;
};

// Random bits, transposed by an identity. `step`: between elements of the destination.
Turned turn(TileMemory& memory, DType weights, DType dst, unsigned seed, std::int16_t step = 1) {
  test::Numbers numbers(seed);
  Turned t{{Space::kSbuf, weights, 0, 0, {0, 0, 0, 1}},
           {Space::kSbuf, identity_dtype(weights), 0, kRowStride, {0, 0, 0, 1}},
           {Space::kPsum, dst, 0, 128, {0, 0, 0, step}}};
  test::for_each_element(test::row_shape(t.rows, t.columns), [&](unsigned p, const auto& i) {
    const std::uint32_t bits = numbers.below(0xFFFFFFFFU);
    std::memcpy(memory.at(t.src, p, i), &bits, isa::size_of(weights));
  });
  for (unsigned k = 0; k < t.rows; ++k) memory.set(t.identity, k, {0, 0, 0, k}, 1.0F);
  isa::execute(load_weights(t.src, test::row_shape(t.rows, t.columns)), memory.view());
  isa::execute(transpose(t.dst, t.identity, test::row_shape(t.rows, t.rows), t.columns), memory.view());
  return t;
}

}  // namespace

TEST_CASE("transpose: every dtype arrives bit by bit, bytes as 16 bits with a high byte of zero", "[isa]") {
  for (const DType dtype : all_dtypes()) {
    CAPTURE(isa::name_of(dtype));
    TileMemory memory;
    std::fill(memory.psum.begin(), memory.psum.end(), std::byte{0xAB});
    const DType dst = isa::size_of(dtype) == 1 ? DType::kUint16 : dtype;
    const Turned t = turn(memory, dtype, dst, 35);
    std::size_t wrong = 0;
    test::for_each_element(test::row_shape(t.rows, t.columns), [&](unsigned p, const auto& i) {
      wrong += memory.bits(t.dst, i[3], {0, 0, 0, p}) != memory.bits(t.src, p, i);
    });
    CHECK(wrong == 0);
    // Nothing is written after a row: 16-bit elements take 16 bits of PSUM.
    CHECK(*memory.at(t.dst, 0, {0, 0, 0, t.rows}) == std::byte{0xAB});
    CHECK(*memory.at(t.dst, t.columns, {0, 0, 0, 0}) == std::byte{0xAB});
  }
}

TEST_CASE("transpose: bytes may stay bytes, with a step of two elements", "[isa]") {
  for (const DType dtype : all_dtypes()) {
    if (isa::size_of(dtype) > 1) continue;
    CAPTURE(isa::name_of(dtype));
    TileMemory memory;
    const Turned t = turn(memory, dtype, dtype, 37, 2);
    std::size_t wrong = 0;
    test::for_each_element(test::row_shape(t.rows, t.columns), [&](unsigned p, const auto& i) {
      wrong += memory.bits(t.dst, i[3], {0, 0, 0, p}) != memory.bits(t.src, p, i);
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("transpose: NaNs with payloads, infinities and subnormals keep their bits", "[isa]") {
  const auto check = [](DType dtype, std::initializer_list<std::uint32_t> patterns) {
    for (const std::uint32_t bits : patterns) {
      CAPTURE(isa::name_of(dtype), bits);
      TileMemory memory;
      const Tile src{Space::kSbuf, dtype, 0, 0, {0, 0, 0, 1}},
          one{Space::kSbuf, identity_dtype(dtype), 0, kRowStride, {0, 0, 0, 1}},
          dst{Space::kPsum, isa::size_of(dtype) == 1 ? DType::kUint16 : dtype, 0, 0, {0, 0, 0, 1}};
      std::memcpy(memory.at(src, 0, {}), &bits, isa::size_of(dtype));
      memory.set(one, 0, {}, 1.0F);
      isa::execute(load_weights(src, test::row_shape(1, 1)), memory.view());
      isa::execute(transpose(dst, one, test::row_shape(1, 1), 1), memory.view());
      CHECK(memory.bits(dst, 0, {}) == bits);
    }
  };
  check(DType::kFp32, {0x7F800001, 0xFFC12345, 0x7F800000, 0xFF800000, 0x80000000, 0x00000001});
  check(DType::kTf32, {0x7F800001, 0xFFC12345, 0x3F801FFF});  // ignored bits are moved, too
  check(DType::kBf16, {0x7F81, 0xFFC1, 0x7F80, 0xFF80, 0x8000, 0x0001});
  check(DType::kFp16, {0x7C01, 0xFE01, 0x7C00, 0xFC00, 0x8000, 0x0001});
  check(DType::kFp8E4M3, {0x79, 0xFF, 0x78, 0xF8, 0x80, 0x01});
  check(DType::kFp8E5M2, {0x7D, 0xFF, 0x7C, 0xFC, 0x80, 0x01});
  check(DType::kFp8E3M4, {0x71, 0xFF, 0x70, 0xF0, 0x80, 0x01});
  check(DType::kInt32, {0x7FFFFFFF, 0x80000000, 0xFFFFFFFF});
}

TEST_CASE("transpose: floats widen into fp32, other pairs of dtypes are refused", "[isa]") {
  for (const DType weights : all_dtypes()) {
    for (const DType dst : all_dtypes()) {
      CAPTURE(isa::name_of(weights), isa::name_of(dst));
      const bool bytes = isa::size_of(weights) == 1;
      const bool same = dst == weights || (bytes && dst == DType::kUint16);
      const bool widens = isa::is_float(weights) && dst == DType::kFp32;
      TileMemory memory;
      if (!same && !widens) {
        const Tile src{Space::kSbuf, weights, 0, 0, {0, 0, 0, 1}},
            one{Space::kSbuf, identity_dtype(weights), 0, kRowStride, {0, 0, 0, 1}},
            out{Space::kPsum, dst, 0, 0, {0, 0, 0, 1}};
        isa::execute(load_weights(src, test::row_shape(1, 1)), memory.view());
        CHECK(test::execution_error(transpose(out, one, test::row_shape(1, 1), 1), memory.view()) ==
              "E-ISA-401");
        continue;
      }
      if (!widens || weights == DType::kFp32) continue;
      const Turned t = turn(memory, weights, dst, 38);
      std::size_t wrong = 0;
      test::for_each_element(test::row_shape(t.rows, t.columns), [&](unsigned p, const auto& i) {
        wrong += !test::same_number(memory.get(t.dst, i[3], {0, 0, 0, p}), memory.get(t.src, p, i));
      });
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("transpose: the last nonzero row is picked, zero without one", "[isa]") {
  TileMemory memory;
  const Tile src{Space::kSbuf, DType::kBf16, 0, 0, {0, 0, 0, 1}},
      pick{Space::kSbuf, DType::kBf16, 0, 64, {0, 0, 0, 1}};
  const Tile dst{Space::kPsum, DType::kFp32, 0, 0, {0, 0, 0, 1}};
  for (unsigned k = 0; k < 3; ++k) memory.set(src, k, {}, static_cast<float>(k + 1));
  memory.set(pick, 0, {0, 0, 0, 0}, 1.0F);
  memory.set(pick, 1, {0, 0, 0, 0}, -5.0F);  // nonzero, of any value
  memory.set(pick, 2, {0, 0, 0, 0}, -0.0F);  // minus zero is zero
  memory.set(dst, 0, {0, 0, 0, 1}, 7.0F);
  isa::execute(load_weights(src, test::row_shape(3, 1)), memory.view());
  isa::execute(transpose(dst, pick, test::row_shape(3, 2), 1), memory.view());
  CHECK(memory.get(dst, 0, {0, 0, 0, 0}) == 2.0F);
  CHECK(memory.bits(dst, 0, {0, 0, 0, 1}) == 0);
}

TEST_CASE("transpose: the identity is as wide as the weights", "[isa]") {
  TileMemory memory;
  const auto code = [&](DType weights, DType moving) {
    const Tile src{Space::kSbuf, weights, 0, 0, {0, 0, 0, 1}}, one{Space::kSbuf, moving, 0, 64, {0, 0, 0, 1}},
        dst{Space::kPsum, isa::size_of(weights) == 1 ? DType::kUint16 : weights, 0, 0, {0, 0, 0, 1}};
    isa::execute(load_weights(src, test::row_shape(2, 2)), memory.view());
    return test::execution_error(transpose(dst, one, test::row_shape(2, 2), 2), memory.view());
  };
  CHECK(code(DType::kInt32, DType::kFp32) == "none");
  CHECK(code(DType::kUint32, DType::kTf32) == "none");
  CHECK(code(DType::kInt16, DType::kBf16) == "none");
  CHECK(code(DType::kUint8, DType::kFp8E4M3) == "none");
  CHECK(code(DType::kInt8, DType::kFp16) == "none");
  CHECK(code(DType::kInt32, DType::kBf16) == "E-ISA-401");
  CHECK(code(DType::kBf16, DType::kFp32) == "E-ISA-401");
}
