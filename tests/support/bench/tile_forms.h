// SPDX-License-Identifier: Apache-2.0
// Tiles of every form, filled with numbers of every kind, and a check of element-wise instructions: dst holds
// the result that a definition derives from the previous memory, and nothing else changes.
#pragma once

#include <catch2/catch.hpp>

#include "tests/support/bench/tile_memory.h"
#include "tests/support/reference/alu_reference.h"
#include "tests/support/reference/number_formats.h"

namespace tahoma::test {

inline constexpr isa::DType kAllDTypes[] = {
    isa::DType::kFp32,  isa::DType::kBf16,  isa::DType::kFp16,    isa::DType::kInt32,   isa::DType::kUint32,
    isa::DType::kUint8, isa::DType::kTf32,  isa::DType::kFp8E4M3, isa::DType::kFp8E5M2, isa::DType::kFp8E3M4,
    isa::DType::kInt8,  isa::DType::kInt16, isa::DType::kUint16};

// An iteration space and the layouts of src and dst in it.
struct Form {
  isa::Shape shape;
  std::array<std::int16_t, 4> dst, src;
};
inline const Form kForms[] = {
    {row_shape(128, 1), {0, 0, 0, 1}, {0, 0, 0, 1}},        // a column
    {row_shape(7, 300), {0, 0, 0, 1}, {0, 0, 0, 1}},        // rows
    {row_shape(3, 700), {0, 0, 0, 1}, {0, 0, 0, 1}},        // rows of several pieces
    {{5, {2, 3, 4, 9}}, {108, 36, 9, 1}, {108, 36, 9, 1}},  // dense in four dimensions
    {{4, {2, 3, 4, 5}}, {1, 2, 6, 24}, {60, 20, 5, 1}},     // dimensions exchanged
    {{3, {1, 6, 1, 20}}, {0, 50, 0, 2}, {0, 0, 0, 1}},      // gaps, and a broadcast row
    {{2, {1, 1, 8, 8}}, {0, 0, 8, 1}, {0, 0, -8, -1}},      // backwards
    {{33, {1, 1, 4, 4}}, {0, 0, 4, 1}, {0, 0, 0, 0}},       // one element for all
    {row_shape(1, 1), {0, 0, 0, 1}, {0, 0, 0, 1}},          // one element
};

inline constexpr std::uint32_t kDstAt = 8192, kSrcAt = 2048, kOtherAt = 5120;

// Value of an element, and value of a stored result, by tests/support/reference/number_formats.h.
inline float number_at(TileMemory& memory, const isa::Tile& tile, unsigned p,
                       const std::array<unsigned, 4>& index) {
  return static_cast<float>(number_of(tile.dtype, memory.bits(tile, p, index)));
}
inline float stored(isa::DType dtype, float value) {
  return static_cast<float>(nearest(dtype, value));  // integers beyond 2^24 pass through fp32 when read
}
inline float scalar_at(TileMemory& memory, const isa::Scalar& scalar, unsigned p) {
  return scalar.is_tile
             ? number_at(memory, {scalar.space, isa::DType::kFp32, scalar.partition, scalar.offset, {}}, p,
                         {})
             : scalar.imm;
}

// std::vector compares one byte at a time; this is faster.
inline bool same_bytes(const TileMemory& a, const TileMemory& b) {
  return std::memcmp(a.sbuf.data(), b.sbuf.data(), a.sbuf.size()) == 0 &&
         std::memcmp(a.psum.data(), b.psum.data(), a.psum.size()) == 0;
}

class TileFixture {
 public:
  explicit TileFixture(unsigned seed) : numbers(seed) {}

  isa::Tile tile(isa::DType dtype, unsigned partition, std::uint32_t offset,
                 const std::array<std::int16_t, 4>& stride) {
    return {isa::Space::kSbuf, dtype, static_cast<std::uint8_t>(partition), offset, stride};
  }
  void fill(const isa::Tile& tile, const isa::Shape& shape, bool wild = true) {
    for_each_element(shape, [&](unsigned p, const auto& i) {
      memory.set(tile, p, i, wild ? numbers.any() : numbers.ordinary());
    });
  }
  void fill_bits(const isa::Tile& tile, const isa::Shape& shape) {
    for_each_element(shape, [&](unsigned p, const auto& i) {
      const std::uint32_t bits = numbers.word();
      std::memcpy(memory.at(tile, p, i), &bits, isa::size_of(tile.dtype));
    });
  }
  isa::Scalar column(unsigned partition, std::uint32_t offset, unsigned count) {
    const isa::Scalar s{true, 0, isa::Space::kSbuf, static_cast<std::uint8_t>(partition), offset};
    fill({s.space, isa::DType::kFp32, s.partition, s.offset, {}}, row_shape(count, 1));
    return s;
  }
  // A constant, or a column of `count` partitions at byte `offset`.
  isa::Scalar either(std::uint32_t offset, unsigned count) {
    return numbers.below(2) == 0 ? column(0, offset, count) : isa::Scalar{false, numbers.any()};
  }
  // Runs the instruction. dst must hold the numbers value(memory before, p, index), and nothing else may
  // change.
  template <class Value>
  void check(const isa::Instruction& i, Value value) {
    CHECK(wrong_numbers(i, value) == 0);
  }
  // The same for the bits of dst.
  template <class Bits>
  void check_bits(const isa::Instruction& i, Bits bits) {
    CHECK(wrong_elements(i, [&](TileMemory& before, unsigned p, const auto& index) {
            return memory.bits(i.dst, p, index) == bits(before, p, index);
          }) == 0);
  }
  // Number of wrong elements of dst, plus one if anything else changed.
  template <class Value>
  std::size_t wrong_numbers(const isa::Instruction& i, Value value) {
    return wrong_elements(i, [&](TileMemory& before, unsigned p, const auto& index) {
      return same_number(number_at(memory, i.dst, p, index), stored(i.dst.dtype, value(before, p, index)));
    });
  }

  TileMemory memory;
  Numbers numbers;
  bool exact_integers = false;

 private:
  template <class Right>
  std::size_t wrong_elements(const isa::Instruction& i, Right right) {
    TileMemory before = memory;
    isa::CoreView view = memory.view();
    view.exact_integers = exact_integers;
    isa::execute(i, view);
    std::size_t wrong = 0;
    for_each_element(i.shape, [&](unsigned p, const auto& index) { wrong += !right(before, p, index); });
    for_each_element(i.shape, [&](unsigned p, const auto& index) {
      std::memcpy(before.at(i.dst, p, index), memory.at(i.dst, p, index), isa::size_of(i.dst.dtype));
    });
    return wrong + (same_bytes(memory, before) ? 0 : 1);
  }
};

inline isa::Instruction instruction(isa::Opcode op, const isa::Shape& shape, const isa::Tile& dst,
                                    const isa::Tile& src = {}) {
  isa::Instruction i;
  i.op = op;
  i.shape = shape;
  i.dst = dst;
  i.src0 = src;
  return i;
}

}  // namespace tahoma::test
