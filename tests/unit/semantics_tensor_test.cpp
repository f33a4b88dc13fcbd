// SPDX-License-Identifier: Apache-2.0
// load_weights, matmul and transpose against their definitions, element by element.
#include <catch2/catch.hpp>

#include "isa/error.h"
#include "isa/semantics.h"
#include "tests/support/tile_memory.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Instruction, isa::Opcode, isa::Shape, isa::Space, isa::Tile;
using test::TileMemory;

constexpr DType kFloats[] = {DType::kFp32, DType::kBf16, DType::kFp16};

void fill(TileMemory& memory, const Tile& tile, const Shape& shape, test::Numbers& numbers) {
  test::for_each_element(shape,
                         [&](unsigned p, const auto& i) { memory.set(tile, p, i, numbers.ordinary()); });
}

Instruction load_weights(const Tile& src, const Shape& shape) {
  Instruction i;
  i.op = Opcode::kLoadWeights;
  i.shape = shape;
  i.src0 = src;
  return i;
}

Instruction matmul(const Tile& dst, const Tile& src, const Shape& shape, unsigned columns, bool accumulate) {
  Instruction i;
  i.op = Opcode::kMatmul;
  i.shape = shape;
  i.columns = static_cast<std::uint8_t>(columns);
  i.dst = dst;
  i.src0 = src;
  i.accumulate = accumulate;
  return i;
}

std::array<unsigned, 4> nth(const Shape& shape, std::size_t n) {
  std::array<unsigned, 4> index{};
  for (std::size_t d = 4; d-- > 0; n /= shape.count[d]) index[d] = static_cast<unsigned>(n % shape.count[d]);
  return index;
}

struct Operands {
  Tile weights, moving, dst;
  Shape weight_shape, moving_shape;
};

// Sum of the pass, then the addition, over the tiles as `before` holds them.
float expected(TileMemory& before, const Operands& o, unsigned m, const std::array<unsigned, 4>& n,
               bool accumulate) {
  float sum = 0.0F;
  for (unsigned k = 0; k < o.moving_shape.partitions; ++k) {
    sum = std::fma(before.get(o.weights, k, nth(o.weight_shape, m)), before.get(o.moving, k, n), sum);
  }
  return accumulate ? before.get(o.dst, m, n) + sum : sum;
}

void check_matmul(TileMemory& memory, const Operands& o, unsigned columns, bool accumulate) {
  TileMemory before = memory;
  isa::execute(load_weights(o.weights, o.weight_shape), memory.view());
  isa::execute(matmul(o.dst, o.moving, o.moving_shape, columns, accumulate), memory.view());
  Shape out = o.moving_shape;
  out.partitions = static_cast<std::uint8_t>(columns);
  std::size_t wrong = 0;
  test::for_each_element(out, [&](unsigned m, const auto& n) {
    const float want = expected(before, o, m, n, accumulate);
    wrong += !test::same_bits(memory.get(o.dst, m, n), want);
    std::memcpy(before.at(o.dst, m, n), memory.at(o.dst, m, n), 4);
  });
  CHECK(wrong == 0);
  CHECK(memory.sbuf == before.sbuf);  // what is not dst stays as it was
  CHECK(memory.psum == before.psum);
}

// Rows and columns of a matrix turned by a matmul-shaped transpose: dst [columns][partitions].
Instruction transpose(const Tile& dst, const Tile& identity, unsigned size, unsigned columns) {
  Instruction i = matmul(dst, identity, test::row_shape(size, size), columns, false);
  i.op = Opcode::kTranspose;
  return i;
}

}  // namespace

TEST_CASE("tensor engine: matmul is the ascending chain of fused multiply-adds, for all dtypes and edges",
          "[isa]") {
  test::Numbers numbers(31);
  for (const DType dtype : kFloats) {
    for (const auto& [k, m, n] :
         {std::array{1U, 1U, 1U}, std::array{128U, 128U, 130U}, std::array{37U, 65U, 19U},
          std::array{128U, 1U, 512U}, std::array{5U, 128U, 3U}}) {
      CAPTURE(isa::name_of(dtype), k, m, n);
      TileMemory memory;
      Operands o{{Space::kSbuf, dtype, 0, 64, {0, 0, 0, 1}},
                 {Space::kSbuf, dtype, 0, 4096, {0, 0, 0, 1}},
                 {Space::kPsum, DType::kFp32, 0, 2048, {0, 0, 0, 1}},
                 test::row_shape(k, m),
                 test::row_shape(k, n)};
      fill(memory, o.weights, o.weight_shape, numbers);
      fill(memory, o.moving, o.moving_shape, numbers);
      check_matmul(memory, o, m, false);
      check_matmul(memory, o, m, true);
    }
  }
}

TEST_CASE("tensor engine: operands and results follow their partitions and strides", "[isa]") {
  test::Numbers numbers(32);
  TileMemory memory;
  // 32 rows from partition 64; weights transposed inside a partition; moving a 4 x 9 window; results every
  // other word, from partition 96 on.
  Operands o{{Space::kSbuf, DType::kBf16, 64, 10, {0, 0, 1, 8}},
             {Space::kSbuf, DType::kFp16, 32, 6000, {0, 0, 24, 2}},
             {Space::kPsum, DType::kFp32, 96, 512, {0, 0, 40, 2}},
             {32, {1, 1, 6, 4}},
             {32, {1, 1, 4, 9}}};
  fill(memory, o.weights, o.weight_shape, numbers);
  fill(memory, o.moving, o.moving_shape, numbers);
  fill(memory, o.dst, {24, o.moving_shape.count}, numbers);
  check_matmul(memory, o, 24, false);
  check_matmul(memory, o, 24, true);
  o.moving.stride = {0, 0, 0, -3};  // a broadcast of backward rows
  check_matmul(memory, o, 24, true);
}

TEST_CASE("tensor engine: K tiles accumulate pass by pass", "[isa]") {
  test::Numbers numbers(33);
  TileMemory memory;
  const Shape w = test::row_shape(128, 16), x = test::row_shape(128, 20);
  const Tile dst{Space::kPsum, DType::kFp32, 0, 0, {0, 0, 0, 1}};
  std::vector<float> total(16 * 20, 0.0F);
  for (unsigned pass = 0; pass < 3; ++pass) {
    const Tile a{Space::kSbuf, DType::kBf16, 0, 64 * pass, {0, 0, 0, 1}};
    const Tile b{Space::kSbuf, DType::kBf16, 0, 1024 + 64 * pass, {0, 0, 0, 1}};
    fill(memory, a, w, numbers);
    fill(memory, b, x, numbers);
    isa::execute(load_weights(a, w), memory.view());
    isa::execute(matmul(dst, b, x, 16, pass > 0), memory.view());
    for (unsigned m = 0; m < 16; ++m) {
      for (unsigned n = 0; n < 20; ++n) {
        float sum = 0.0F;
        for (unsigned k = 0; k < 128; ++k) {
          sum = std::fma(memory.get(a, k, {0, 0, 0, m}), memory.get(b, k, {0, 0, 0, n}), sum);
        }
        total[m * 20 + n] = pass == 0 ? sum : total[m * 20 + n] + sum;
        CHECK(memory.get(dst, m, {0, 0, 0, n}) == total[m * 20 + n]);
      }
    }
  }
}

TEST_CASE("tensor engine: weights stay loaded, and fewer rows or columns may be used", "[isa]") {
  test::Numbers numbers(34);
  TileMemory memory;
  Operands o{{Space::kSbuf, DType::kBf16, 0, 0, {0, 0, 0, 1}},
             {Space::kSbuf, DType::kBf16, 0, 2048, {0, 0, 0, 1}},
             {Space::kPsum, DType::kFp32, 0, 0, {0, 0, 0, 1}},
             test::row_shape(100, 70),
             test::row_shape(100, 33)};
  fill(memory, o.weights, o.weight_shape, numbers);
  fill(memory, o.moving, o.moving_shape, numbers);
  isa::execute(load_weights(o.weights, o.weight_shape), memory.view());
  o.moving_shape.partitions = 41;
  isa::execute(matmul(o.dst, o.moving, o.moving_shape, 13, false), memory.view());
  TileMemory before = memory;
  test::for_each_element({13, o.moving_shape.count}, [&](unsigned m, const auto& n) {
    CHECK(memory.get(o.dst, m, n) == expected(before, o, m, n, false));
  });
}

TEST_CASE("tensor engine: transpose moves bits, NaNs and subnormals included", "[isa]") {
  for (const DType dtype : kFloats) {
    CAPTURE(isa::name_of(dtype));
    test::Numbers numbers(35);
    TileMemory memory;
    const Tile src{Space::kSbuf, dtype, 0, 0, {0, 0, 0, 1}},
        identity{Space::kSbuf, dtype, 0, 4096, {0, 0, 0, 1}};
    const Tile dst{Space::kPsum, dtype, 0, 128, {0, 0, 0, 1}};
    const unsigned rows = 96, columns = 77;
    test::for_each_element(test::row_shape(rows, columns), [&](unsigned p, const auto& i) {
      const std::uint32_t bits = numbers.below(0xFFFFFFFFU);
      std::memcpy(memory.at(src, p, i), &bits, isa::size_of(dtype));
    });
    for (unsigned k = 0; k < rows; ++k) memory.set(identity, k, {0, 0, 0, k}, 1.0F);
    isa::execute(load_weights(src, test::row_shape(rows, columns)), memory.view());
    isa::execute(transpose(dst, identity, rows, columns), memory.view());
    std::size_t wrong = 0;
    test::for_each_element(test::row_shape(rows, columns), [&](unsigned p, const auto& i) {
      wrong += memory.bits(dst, i[3], {0, 0, 0, p}) != memory.bits(src, p, i);
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("tensor engine: transpose picks the last nonzero row, zero without one, and widens into fp32",
          "[isa]") {
  TileMemory memory;
  const Tile src{Space::kSbuf, DType::kBf16, 0, 0, {0, 0, 0, 1}},
      pick{Space::kSbuf, DType::kBf16, 0, 64, {0, 0, 0, 1}};
  const Tile dst{Space::kPsum, DType::kFp32, 0, 0, {0, 0, 0, 1}};
  for (unsigned k = 0; k < 3; ++k) memory.set(src, k, {}, static_cast<float>(k + 1));
  memory.set(pick, 0, {0, 0, 0, 0}, 1.0F);
  memory.set(pick, 1, {0, 0, 0, 0}, -5.0F);  // nonzero, whatever its value
  memory.set(pick, 2, {0, 0, 0, 0}, -0.0F);  // minus zero is zero
  memory.set(dst, 0, {0, 0, 0, 1}, 7.0F);
  isa::execute(load_weights(src, test::row_shape(3, 1)), memory.view());
  Instruction i = transpose(dst, pick, 3, 1);
  i.shape = test::row_shape(3, 2);
  isa::execute(i, memory.view());
  CHECK(memory.get(dst, 0, {0, 0, 0, 0}) == 2.0F);
  CHECK(memory.bits(dst, 0, {0, 0, 0, 1}) == 0);
}

TEST_CASE("tensor engine: more rows or columns than the weights have is E-ISA-401", "[isa]") {
  TileMemory memory;
  const Tile tile{Space::kSbuf, DType::kBf16, 0, 0, {0, 0, 0, 1}},
      dst{Space::kPsum, DType::kFp32, 0, 0, {0, 0, 0, 1}};
  isa::execute(load_weights(tile, test::row_shape(16, 8)), memory.view());
  const auto code = [&](Instruction i) -> std::string {
    try {
      isa::execute(i, memory.view());
    } catch (const isa::ProgramError& e) {
      CHECK(std::string(e.what()).find("16 x 8") != std::string::npos);
      return e.code;
    }
    return "none";
  };
  CHECK(code(matmul(dst, tile, test::row_shape(17, 4), 8, false)) == "E-ISA-401");
  CHECK(code(matmul(dst, tile, test::row_shape(16, 4), 9, false)) == "E-ISA-401");
  CHECK(code(transpose(dst, tile, 17, 8)) == "E-ISA-401");
  CHECK(code(matmul(dst, tile, test::row_shape(16, 4), 8, false)) == "none");
}
