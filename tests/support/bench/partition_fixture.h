// SPDX-License-Identifier: Apache-2.0
// Tiles viewed as partitions: lists of elements by the definition of a tile's address, forms of tiles that
// differ in every respect, and a run of one instruction that checks that only its destinations changed.
#pragma once

#include <catch2/catch.hpp>
#include <initializer_list>

#include "tests/support/bench/tile_memory.h"

namespace tahoma::test {

using Counts = std::array<std::uint16_t, isa::kFreeDims>;
using Strides = std::array<std::int16_t, isa::kFreeDims>;

inline Counts counts_of(unsigned n) { return {1, 1, 1, static_cast<std::uint16_t>(n)}; }
inline unsigned product(const Counts& count) { return unsigned{count[0]} * count[1] * count[2] * count[3]; }

// An iteration space and two layouts of its elements, neither of which maps two elements to one place.
struct TileForm {
  isa::Shape shape;
  Strides dst, src;
};
inline const TileForm kTileForms[] = {
    {row_shape(128, 8), {0, 0, 0, 1}, {0, 0, 0, 1}},
    {row_shape(7, 300), {0, 0, 0, 1}, {0, 0, 0, 3}},        // gaps
    {row_shape(1, 700), {0, 0, 0, 2}, {0, 0, 0, 1}},        // one partition, rows of several pieces
    {{5, {2, 3, 4, 9}}, {108, 36, 9, 1}, {108, 36, 9, 1}},  // dense in four dimensions
    {{4, {2, 3, 4, 5}}, {1, 2, 6, 24}, {60, 20, 5, 1}},     // dimensions exchanged
    {{2, {1, 1, 8, 8}}, {0, 0, 8, 1}, {0, 0, -8, -1}},      // backwards
    {{33, {1, 1, 4, 4}}, {0, 0, 4, 1}, {0, 0, 0, 1}},       // a broadcast dimension in src
};

class PartitionFixture {
 public:
  explicit PartitionFixture(unsigned seed)
      : numbers(seed),
        message_(Catch::MessageBuilder("INFO", CATCH_INTERNAL_LINEINFO, Catch::ResultWas::Info)
                 << "seed " << seed) {}

  isa::CoreView view() {
    isa::CoreView v = memory.view();
    v.lanes = &lanes;
    return v;
  }

  static isa::Tile tile(isa::DType dtype, unsigned partition, std::uint32_t offset,
                        const Strides& stride = {0, 0, 0, 1}, isa::Space space = isa::Space::kSbuf) {
    return {space, dtype, static_cast<std::uint8_t>(partition), offset, stride};
  }

  std::vector<std::uint32_t> bits(const isa::Tile& tile, const Counts& count, unsigned p) {
    std::vector<std::uint32_t> list;
    for_each_element({1, count}, [&](unsigned, const auto& i) { list.push_back(memory.bits(tile, p, i)); });
    return list;
  }
  std::vector<float> values(const isa::Tile& tile, const Counts& count, unsigned p) {
    std::vector<float> list;
    for_each_element({1, count}, [&](unsigned, const auto& i) { list.push_back(memory.get(tile, p, i)); });
    return list;
  }
  void put_bits(const isa::Tile& tile, const Counts& count, unsigned p,
                const std::vector<std::uint32_t>& list) {
    std::size_t k = 0;
    for_each_element({1, count}, [&](unsigned, const auto& i) {
      std::memcpy(memory.at(tile, p, i), &list[k++ % list.size()], isa::size_of(tile.dtype));
    });
  }
  void put(const isa::Tile& tile, const Counts& count, unsigned p, const std::vector<float>& list) {
    std::size_t k = 0;
    for_each_element({1, count},
                     [&](unsigned, const auto& i) { memory.set(tile, p, i, list[k++ % list.size()]); });
  }

  std::uint32_t any_bits() { return numbers.below(1U << 16U) << 16U | numbers.below(1U << 16U); }
  void fill_bits(const isa::Tile& tile, const isa::Shape& shape) {
    for_each_element(shape, [&](unsigned p, const auto& i) {
      const std::uint32_t word = any_bits();
      std::memcpy(memory.at(tile, p, i), &word, isa::size_of(tile.dtype));
    });
  }

  // The stored bits of a float in this dtype.
  static std::uint32_t stored(isa::DType dtype, float value) {
    std::array<std::byte, 4> bytes{};
    isa::store_from_fp32(bytes.data(), dtype, value);
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    return word;
  }

  struct Written {
    isa::Tile tile;
    isa::Shape shape;
  };
  // Executes the instruction and checks that nothing outside `written` changed. Returns the memory as it was
  // before, valid until the next run.
  TileMemory& run(const isa::Instruction& i, std::initializer_list<Written> written) {
    before_ = memory;
    isa::execute(i, view());
    expected_ = before_;
    for (const Written& w : written) {
      for_each_element(w.shape, [&](unsigned p, const auto& at) {
        std::memcpy(expected_.at(w.tile, p, at), memory.at(w.tile, p, at), isa::size_of(w.tile.dtype));
      });
    }
    CHECK(memory.sbuf == expected_.sbuf);
    CHECK(memory.psum == expected_.psum);
    return before_;
  }

  TileMemory memory;
  isa::LaneState lanes;
  Numbers numbers;

 private:
  Catch::ScopedMessage message_;  // shown with every failure while the fixture lives
  TileMemory before_, expected_;  // kept, since fresh megabytes for every run would take most of the time
};

inline isa::Instruction instruction_of(isa::Opcode op, const isa::Shape& shape, const isa::Tile& dst,
                                       const isa::Tile& src = {}) {
  isa::Instruction i;
  i.op = op;
  i.shape = shape;
  i.dst = dst;
  i.src0 = src;
  return i;
}

inline std::vector<isa::DType> all_dtypes() {
  std::vector<isa::DType> list;
  for (std::size_t k = 0; k < isa::kDTypeCount; ++k) list.push_back(static_cast<isa::DType>(k));
  return list;
}

}  // namespace tahoma::test
