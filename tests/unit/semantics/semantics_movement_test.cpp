// SPDX-License-Identifier: Apache-2.0
// vector_transpose and stream_shuffle: every element's bits are in their new place, everything else is
// unchanged.
#include "tests/support/bench/partition_fixture.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Instruction, isa::Opcode, isa::Shape, isa::Space, isa::Tile;
using test::counts_of, test::instruction_of, test::PartitionFixture, test::TileMemory;

// dst[j, i] = src[i, j]; false if an element is wrong.
bool turned(PartitionFixture& f, TileMemory& before, const Instruction& i) {
  unsigned element = 0;
  bool right = true;
  test::for_each_element({1, i.shape.count}, [&](unsigned, const auto& at) {
    for (unsigned p = 0; p < i.shape.partitions; ++p)
      right = right && f.memory.bits(i.dst, element, {0, 0, 0, p}) == before.bits(i.src0, p, at);
    ++element;
  });
  return right;
}

Shape turned_shape(const Shape& shape) {
  return test::row_shape(test::product(shape.count), shape.partitions);
}

void check_turn(PartitionFixture& f, const Instruction& i) {
  f.fill_bits(i.src0, i.shape);
  TileMemory& before = f.run(i, {{i.dst, turned_shape(i.shape)}});
  CHECK(turned(f, before, i));
}

std::array<std::uint8_t, 32> some_mask(PartitionFixture& f) {
  std::array<std::uint8_t, 32> mask;
  for (auto& m : mask)
    m = f.numbers.below(5) == 0 ? isa::kKeep : static_cast<std::uint8_t>(f.numbers.below(32));
  return mask;
}

// Element by element from the formula.
std::size_t misplaced(PartitionFixture& f, TileMemory& before, const Instruction& i) {
  std::size_t wrong = 0;
  test::for_each_element(i.shape, [&](unsigned p, const auto& at) {
    const unsigned from = i.mask[p % 32];
    const std::uint32_t want =
        from == isa::kKeep ? before.bits(i.dst, p, at) : before.bits(i.src0, p - p % 32 + from, at);
    wrong += f.memory.bits(i.dst, p, at) != want;
  });
  return wrong;
}

}  // namespace

TEST_CASE("vector_transpose: every size up to 32 x 32, every dtype, bit by bit", "[isa]") {
  PartitionFixture f(321);
  for (const DType dtype : test::all_dtypes()) {
    for (const unsigned rows : {1U, 2U, 31U, 32U}) {
      for (const unsigned columns : {1U, 7U, 32U}) {
        CAPTURE(isa::name_of(dtype), rows, columns);
        check_turn(f, instruction_of(Opcode::kVectorTranspose, test::row_shape(rows, columns),
                                     f.tile(dtype, 32, 512, {0, 0, 0, 3}),
                                     f.tile(dtype, 64, 64, {0, 0, 0, -1}, Space::kPsum)));
      }
    }
  }
}

TEST_CASE("vector_transpose: takes free elements of four dimensions in order", "[isa]") {
  PartitionFixture f(322);
  check_turn(f, instruction_of(Opcode::kVectorTranspose, {5, {2, 2, 3, 2}}, f.tile(DType::kBf16, 0, 512),
                               f.tile(DType::kBf16, 96, 0, {40, 2, 7, 1})));
  check_turn(f, instruction_of(Opcode::kVectorTranspose, {32, {1, 1, 1, 32}}, f.tile(DType::kUint8, 0, 512),
                               f.tile(DType::kUint8, 96, 0, {0, 0, 0, 0})));
}

TEST_CASE("vector_transpose: in place, square or not, and overlapping by half", "[isa]") {
  PartitionFixture f(323);
  for (const Shape& shape : {test::row_shape(32, 32), test::row_shape(32, 20), test::row_shape(3, 32)}) {
    const Tile tile = f.tile(DType::kFp32, 0, 128), beside = f.tile(DType::kFp32, 0, 128 + 16);
    check_turn(f, instruction_of(Opcode::kVectorTranspose, shape, tile, tile));
    check_turn(f, instruction_of(Opcode::kVectorTranspose, shape, beside, tile));
  }
}

TEST_CASE("stream_shuffle: every group of 32 by one mask, every dtype, kept partitions stay", "[isa]") {
  PartitionFixture f(324);
  for (const DType dtype : test::all_dtypes()) {
    for (const unsigned partitions : {1U, 32U, 40U, 64U, 97U, 128U}) {
      const Shape shape{static_cast<std::uint8_t>(partitions), {1, 2, 3, 2}};
      Instruction i = instruction_of(Opcode::kStreamShuffle, shape, f.tile(dtype, 0, 512, {0, 6, 2, 1}),
                                     f.tile(dtype, 0, 64, {0, 1, 8, 2}, Space::kPsum));
      i.mask = some_mask(f);
      f.fill_bits(i.src0, {128, shape.count});
      f.fill_bits(i.dst, {128, shape.count});
      TileMemory& before = f.run(i, {{i.dst, shape}});
      CAPTURE(isa::name_of(dtype), partitions);
      CHECK(misplaced(f, before, i) == 0);
    }
  }
}

TEST_CASE("stream_shuffle: from other partitions, in place, broadcast and rotation", "[isa]") {
  PartitionFixture f(325);
  const Shape shape = test::row_shape(32, 9);
  const Tile low = f.tile(DType::kBf16, 0, 0), high = f.tile(DType::kBf16, 96, 64);
  for (const auto& [dst, src] : {std::array{low, high}, std::array{high, low}, std::array{low, low}}) {
    for (unsigned kind = 0; kind < 3; ++kind) {
      Instruction i = instruction_of(Opcode::kStreamShuffle, shape, dst, src);
      for (unsigned p = 0; p < 32; ++p)
        i.mask[p] = static_cast<std::uint8_t>(kind == 0 ? 5 : kind == 1 ? (p + 31) % 32 : 31 - p);
      f.fill_bits(src, shape);
      TileMemory& before = f.run(i, {{dst, shape}});
      CHECK(misplaced(f, before, i) == 0);
    }
  }
}

TEST_CASE("stream_shuffle: the default mask copies, a mask that keeps all writes nothing", "[isa]") {
  PartitionFixture f(326);
  const Shape shape = test::row_shape(64, 5);
  Instruction i =
      instruction_of(Opcode::kStreamShuffle, shape, f.tile(DType::kFp32, 64, 0), f.tile(DType::kFp32, 0, 0));
  f.fill_bits(i.src0, shape);
  f.run(i, {{i.dst, shape}});
  for (unsigned p = 0; p < 64; ++p) CHECK(f.bits(i.dst, counts_of(5), p) == f.bits(i.src0, counts_of(5), p));
  i.mask.fill(isa::kKeep);
  f.fill_bits(i.src0, shape);
  f.run(i, {});
}
