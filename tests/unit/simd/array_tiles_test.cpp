// SPDX-License-Identifier: Apache-2.0
// The array tile that an operand takes, the weights that a load replaces, and those that a matmul uses: for
// arrays of 32, 64 and 128 rows and columns under 128 partitions.
#include "isa/semantics/arithmetic/array_tiles.h"

#include <catch2/catch.hpp>

#include "tests/support/bench/tile_memory.h"
#include "tests/support/program/tensor_programs.h"
#include "tests/support/reference/reference_matmul.h"

namespace {

using namespace tahoma;
using isa::ArrayBlock, isa::DType, isa::Space, isa::Tile;
using test::load_weights, test::matmul, test::TileMemory;

constexpr unsigned kSizes[] = {32, 64, 128};

Tile in_sbuf(DType dtype, unsigned partition, std::uint32_t offset) {
  return {Space::kSbuf, dtype, static_cast<std::uint8_t>(partition), offset, {0, 0, 0, 1}};
}
Tile in_psum(unsigned partition, std::uint32_t offset = 0) {
  return {Space::kPsum, DType::kFp32, static_cast<std::uint8_t>(partition), offset, {0, 0, 0, 1}};
}

void fill(TileMemory& memory, const Tile& tile, const isa::Shape& shape, test::Numbers& numbers) {
  test::for_each_element(shape,
                         [&](unsigned p, const auto& i) { memory.set(tile, p, i, numbers.ordinary()); });
}

float expected(TileMemory& memory, const Tile& weights, const Tile& moving, unsigned k, unsigned m,
               unsigned n) {
  test::ProductTerms terms;
  for (unsigned p = 0; p < k; ++p) {
    terms.weights.push_back(memory.get(weights, p, {0, 0, 0, m}));
    terms.moving.push_back(memory.get(moving, p, {0, 0, 0, n}));
  }
  return test::matmul_element(terms, false, 0.0F);
}

}  // namespace

TEST_CASE("array tiles: an operand takes the smallest quarter, half or whole around it", "[isa]") {
  const isa::ArraySize array;
  CHECK(isa::tile_of({0, 0, 1, 1}, array) == ArrayBlock{0, 0, 32, 32});
  CHECK(isa::tile_of({32, 96, 32, 32}, array) == ArrayBlock{32, 96, 32, 32});
  CHECK(isa::tile_of({64, 0, 33, 128}, array) == ArrayBlock{64, 0, 64, 128});
  CHECK(isa::tile_of({0, 64, 65, 5}, array) == ArrayBlock{0, 64, 128, 32});
  CHECK(isa::tile_of({0, 0, 8, 9}, {32, 32}) == ArrayBlock{0, 0, 8, 16});
  CHECK(isa::tile_of({16, 0, 16, 32}, {32, 32}) == ArrayBlock{16, 0, 16, 32});
}

TEST_CASE("array tiles: beyond 128 tiles double from 32, so that those for 128 are where they were",
          "[isa]") {
  const isa::ArraySize array{256, 512};
  CHECK(isa::tile_of({0, 0, 1, 1}, array) == ArrayBlock{0, 0, 32, 32});
  CHECK(isa::tile_of({128, 128, 128, 128}, array) == ArrayBlock{128, 128, 128, 128});
  CHECK(isa::tile_of({0, 256, 129, 200}, array) == ArrayBlock{0, 256, 256, 256});
  CHECK(isa::tile_of({64, 100, 65, 300}, array) == ArrayBlock{0, 0, 256, 512});
  for (unsigned row = 0; row < 128; row += 32)
    for (unsigned rows = 1; rows <= 128 - row; ++rows) {
      const ArrayBlock small = isa::tile_of({row, 0, rows, 1}, {128, 128}),
                       large = isa::tile_of({row, 0, rows, 1}, array);
      CHECK((small.row == large.row && small.rows == large.rows));
    }
  CHECK(isa::tile_of({150, 0, 40, 1}, {200, 16}) == ArrayBlock{128, 0, 64, 4});  // no power of two
}

TEST_CASE("array tiles: rows and columns are counted from partition 0 again where the array ends", "[isa]") {
  for (const unsigned size : kSizes) {
    CAPTURE(size);
    const auto load = load_weights(in_sbuf(DType::kBf16, 96, 0), test::row_shape(32, 16), 5);
    CHECK(isa::standing_of(load, {size, size}).block == ArrayBlock{96 % size, 5, 32, 16});
    const auto use = matmul(in_psum(64), in_sbuf(DType::kBf16, 32, 0), test::row_shape(32, 7), 16, false);
    CHECK(isa::used_block(use, {size, size}) == ArrayBlock{32 % size, 64 % size, 32, 16});
  }
}

TEST_CASE("load_weights: sixteen operands are loaded side by side, and each matmul uses its own", "[isa]") {
  test::Numbers numbers(41);
  TileMemory memory;
  const isa::Shape weights = test::row_shape(32, 32), moving = test::row_shape(32, 20);
  const auto source = [](unsigned row, unsigned column) {
    return in_sbuf(DType::kBf16, 32 * row, 64 * column);
  };
  for (unsigned row = 0; row < 4; ++row) {
    fill(memory, in_sbuf(DType::kBf16, 32 * row, 1024), moving, numbers);
    for (unsigned column = 0; column < 4; ++column) {
      fill(memory, source(row, column), weights, numbers);
      isa::execute(load_weights(source(row, column), weights, 32 * column), memory.view());
    }
  }
  for (unsigned row = 0; row < 4; ++row) {
    for (unsigned column = 0; column < 4; ++column) {
      const Tile x = in_sbuf(DType::kBf16, 32 * row, 1024), dst = in_psum(32 * column, 256 * row);
      isa::execute(matmul(dst, x, moving, 32, false), memory.view());
      std::size_t wrong = 0;
      for (unsigned m = 0; m < 32; ++m)
        for (unsigned n = 0; n < 20; ++n)
          wrong += memory.get(dst, m, {0, 0, 0, n}) != expected(memory, source(row, column), x, 32, m, n);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("array tiles: a load replaces operands that overlap its tile and keeps the rest", "[isa]") {
  TileMemory memory;
  const auto load = [&](unsigned row, unsigned rows, unsigned column, unsigned columns) {
    isa::execute(load_weights(in_sbuf(DType::kBf16, row, 0), test::row_shape(rows, columns), column),
                 memory.view());
  };
  const auto finds = [&](unsigned row, unsigned rows, unsigned column, unsigned columns) {
    return test::execution_error(matmul(in_psum(column), in_sbuf(DType::kBf16, row, 64),
                                        test::row_shape(rows, 3), columns, false),
                                 memory.view()) == "none";
  };
  load(0, 32, 0, 32);
  load(32, 32, 0, 32);
  load(64, 64, 64, 64);
  CHECK(finds(0, 32, 0, 32));
  CHECK(finds(32, 32, 0, 32));
  CHECK(finds(64, 64, 64, 64));
  load(0, 20, 0, 10);  // smaller, but in the tile of the first
  CHECK_FALSE(finds(0, 32, 0, 32));
  CHECK(finds(0, 20, 0, 10));
  CHECK(finds(32, 32, 0, 32));
  load(0, 64, 0, 128);  // two rows of tiles
  CHECK_FALSE(finds(0, 20, 0, 10));
  CHECK_FALSE(finds(32, 32, 0, 32));
  CHECK(finds(64, 64, 64, 64));
  load(0, 100, 64, 30);  // all rows of a column tile
  CHECK_FALSE(finds(0, 64, 0, 128));
  CHECK_FALSE(finds(64, 64, 64, 64));
  CHECK(finds(0, 100, 64, 30));
}

TEST_CASE("array tiles: anything but exactly the loaded operand is E-ISA-401", "[isa]") {
  TileMemory memory;
  const Tile tile = in_sbuf(DType::kBf16, 0, 0);
  const auto code = [&](const Tile& dst, const Tile& src, unsigned rows, unsigned columns,
                        isa::MatmulMode mode = isa::MatmulMode::kDense) {
    return test::execution_error(
        test::in_mode(matmul(dst, src, test::row_shape(rows, 4), columns, false), mode), memory.view());
  };
  CHECK(code(in_psum(0), tile, 16, 8) == "E-ISA-401");  // nothing is loaded
  isa::execute(load_weights(tile, test::row_shape(16, 8)), memory.view());
  CHECK(code(in_psum(0), tile, 16, 8) == "none");
  CHECK(code(in_psum(0), tile, 17, 8) == "E-ISA-401");
  CHECK(code(in_psum(0), tile, 15, 8) == "E-ISA-401");
  CHECK(code(in_psum(0), tile, 16, 9) == "E-ISA-401");
  CHECK(code(in_psum(32), tile, 16, 8) == "E-ISA-401");
  CHECK(code(in_psum(0), in_sbuf(DType::kBf16, 32, 0), 16, 8) == "E-ISA-401");
  CHECK(code(in_psum(0), in_sbuf(DType::kFp32, 0, 0), 16, 8) == "E-ISA-401");
  CHECK(code(in_psum(0), in_sbuf(DType::kTf32, 0, 0), 16, 8) == "E-ISA-401");
  CHECK(code(in_psum(0), in_sbuf(DType::kFp8E5M2, 0, 0), 16, 8) == "none");
  isa::Instruction sliced = matmul(in_psum(0), in_sbuf(DType::kFp8E5M2, 0, 0), {16, {1, 2, 1, 4}}, 8, false);
  CHECK(test::execution_error(test::in_mode(sliced, isa::MatmulMode::kDoubleRow), memory.view()) ==
        "E-ISA-401");
  isa::execute(load_weights(in_sbuf(DType::kInt32, 0, 0), test::row_shape(16, 8)), memory.view());
  CHECK(code(in_psum(0), in_sbuf(DType::kFp32, 0, 0), 16, 8) == "E-ISA-401");  // integers are only transposed
  CHECK(test::execution_error(load_weights(tile, test::row_shape(16, 40), 96), memory.view()) == "E-ISA-401");
}

TEST_CASE("array tiles: a smaller array works on any of the 128 partitions", "[isa]") {
  test::Numbers numbers(42);
  for (const unsigned size : kSizes) {
    TileMemory memory;
    memory.weights.array = {size, size};
    for (unsigned partition = 0; partition < 128; partition += size) {
      CAPTURE(size, partition);
      const isa::Shape weights = test::row_shape(size, size), moving = test::row_shape(size, 50);
      const Tile w = in_sbuf(DType::kFp16, partition, 0), x = in_sbuf(DType::kFp16, partition, 512),
                 dst = in_psum(96 / size * size);
      fill(memory, w, weights, numbers);
      fill(memory, x, moving, numbers);
      isa::execute(load_weights(w, weights), memory.view());
      isa::execute(matmul(dst, x, moving, size, false), memory.view());
      std::size_t wrong = 0;
      for (unsigned m = 0; m < size; ++m)
        for (unsigned n = 0; n < 50; ++n)
          wrong += memory.get(dst, m, {0, 0, 0, n}) != expected(memory, w, x, size, m, n);
      CHECK(wrong == 0);
    }
    const unsigned edge = size;  // one row too many
    if (edge < 128) {
      CHECK(test::execution_error(load_weights(in_sbuf(DType::kBf16, 0, 0), test::row_shape(edge + 1, 1)),
                                  memory.view()) == "E-ISA-401");
    }
  }
}
