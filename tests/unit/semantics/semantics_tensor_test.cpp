// SPDX-License-Identifier: Apache-2.0
// Compares load_weights and dense matmul with their definitions, element by element: dtypes, edges, strides,
// passes.
#include <catch2/catch.hpp>

#include "isa/core/program_error.h"
#include "isa/semantics/semantics.h"
#include "tests/support/bench/tile_memory.h"
#include "tests/support/program/tensor_programs.h"
#include "tests/support/reference/reference_matmul.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Instruction, isa::Opcode, isa::Shape, isa::Space, isa::Tile;
using test::TileMemory;

using test::load_weights, test::matmul;

constexpr DType kFp8s[] = {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp8E3M4};

void fill(TileMemory& memory, const Tile& tile, const Shape& shape, test::Numbers& numbers) {
  test::for_each_element(shape,
                         [&](unsigned p, const auto& i) { memory.set(tile, p, i, numbers.ordinary()); });
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

// Sums of the passes, then the additions, over the tiles as `before` holds them.
float expected(TileMemory& before, const Operands& o, unsigned m, const std::array<unsigned, 4>& n,
               bool accumulate) {
  test::ProductTerms terms;
  for (unsigned k = 0; k < o.moving_shape.partitions; ++k) {
    terms.weights.push_back(before.get(o.weights, k, nth(o.weight_shape, m)));
    terms.moving.push_back(before.get(o.moving, k, n));
  }
  terms.weights_have_low = o.weights.dtype == DType::kFp32;
  terms.moving_has_low = o.moving.dtype == DType::kFp32;
  const float dst = before.get(o.dst, m, n);
  return terms.weights_have_low || terms.moving_has_low
             ? test::matmul_element_in_passes(terms, accumulate, dst)
             : test::matmul_element(terms, accumulate, dst);
}

void check_matmul(TileMemory& memory, const Operands& o, unsigned columns, bool accumulate) {
  TileMemory before = memory;
  Instruction load = load_weights(o.weights, o.weight_shape);
  load.column = o.dst.partition;
  isa::execute(load, memory.view());
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
  CHECK(memory.sbuf == before.sbuf);  // everything except dst is unchanged
  CHECK(memory.psum == before.psum);
}

void check_edges(DType weights, DType moving, test::Numbers& numbers) {
  for (const auto& [k, m, n] :
       {std::array{1U, 1U, 1U}, std::array{128U, 128U, 34U}, std::array{37U, 65U, 19U},
        std::array{128U, 1U, 512U}, std::array{5U, 128U, 3U}}) {
    CAPTURE(isa::name_of(weights), isa::name_of(moving), k, m, n);
    TileMemory memory;
    Operands o{{Space::kSbuf, weights, 0, 64, {0, 0, 0, 1}},
               {Space::kSbuf, moving, 0, 4096, {0, 0, 0, 1}},
               {Space::kPsum, DType::kFp32, 0, 2048, {0, 0, 0, 1}},
               test::row_shape(k, m),
               test::row_shape(k, n)};
    fill(memory, o.weights, o.weight_shape, numbers);
    fill(memory, o.moving, o.moving_shape, numbers);
    check_matmul(memory, o, m, false);
    check_matmul(memory, o, m, true);
  }
}

}  // namespace

TEST_CASE("tensor engine: matmul is the ascending chain of fused multiply-adds, for all dtypes and edges",
          "[isa]") {
  test::Numbers numbers(31);
  for (const DType dtype : {DType::kBf16, DType::kFp16, DType::kTf32}) check_edges(dtype, dtype, numbers);
  for (const DType dtype : kFp8s) check_edges(dtype, dtype, numbers);
}

TEST_CASE("tensor engine: dtypes of one class may be mixed", "[isa]") {
  test::Numbers numbers(37);
  check_edges(DType::kFp8E4M3, DType::kBf16, numbers);
  check_edges(DType::kFp16, DType::kFp8E3M4, numbers);
  check_edges(DType::kBf16, DType::kFp16, numbers);
}

TEST_CASE("tensor engine: fp32 is the sum of its passes over halves, in their order", "[isa]") {
  test::Numbers numbers(36);
  check_edges(DType::kFp32, DType::kFp32, numbers);
  check_edges(DType::kFp32, DType::kTf32, numbers);
  check_edges(DType::kTf32, DType::kFp32, numbers);
}

TEST_CASE("tensor engine: operands and results follow their partitions and strides", "[isa]") {
  test::Numbers numbers(32);
  TileMemory memory;
  // 32 rows from partition 64; weights transposed inside a partition; moving a 4 x 9 window; results every
  // other word, from partition 96 on.
  Operands o{{Space::kSbuf, DType::kBf16, 64, 10, {0, 0, 1, 8}},
             {Space::kSbuf, DType::kFp16, 64, 6000, {0, 0, 24, 2}},
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
