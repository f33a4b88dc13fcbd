// SPDX-License-Identifier: Apache-2.0
// The passes of fp32 at their limits: infinities, short and long products, sums, operands of zeros and ones.
#include <catch2/catch.hpp>
#include <initializer_list>

#include "tests/support/bench/tile_memory.h"
#include "tests/support/program/tensor_programs.h"
#include "tests/support/reference/reference_matmul.h"

namespace {

using namespace tahoma;
using isa::DType, isa::MatmulMode, isa::Shape, isa::Space, isa::Tile;
using test::in_mode, test::load_weights, test::matmul, test::TileMemory;

constexpr float kInf = std::numeric_limits<float>::infinity();

Tile in_sbuf(DType dtype, std::uint32_t offset, const Shape& shape) {
  return {Space::kSbuf, dtype, 0, offset, test::dense_strides(shape)};
}

void fill(TileMemory& memory, const Tile& tile, const Shape& shape, test::Numbers& numbers) {
  test::for_each_element(shape,
                         [&](unsigned p, const auto& i) { memory.set(tile, p, i, numbers.ordinary()); });
}

// One multiply of fp32 numbers with K = 1, or of lists.
float product(std::initializer_list<float> w, std::initializer_list<float> x,
              MatmulMode mode = MatmulMode::kDense) {
  TileMemory memory;
  const unsigned k = static_cast<unsigned>(w.size());
  const Shape one = test::row_shape(k, 1);
  const Tile weights = in_sbuf(DType::kFp32, 0, one), moving = in_sbuf(DType::kFp32, 64, one),
             dst{Space::kPsum, DType::kFp32, 0, 0, {0, 0, 0, 1}};
  for (unsigned p = 0; p < k; ++p) {
    memory.set(weights, p, {}, w.begin()[p]);
    memory.set(moving, p, {}, x.begin()[p]);
  }
  isa::execute(load_weights(weights, one), memory.view());
  isa::execute(in_mode(matmul(dst, moving, one, 1, false), mode), memory.view());
  return memory.get(dst, 0, {});
}

}  // namespace

TEST_CASE("fp32 passes: infinities and NaNs behave as in IEEE 754", "[isa]") {
  const float third = 1.0F / 3.0F, tiny = 0x1p-149F, nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(product({kInf}, {2.0F}) == kInf);  // no low half: high * low must not be inf * 0
  CHECK(product({kInf}, {third}) == kInf);
  CHECK(product({kInf}, {-third}) == -kInf);
  CHECK(product({third}, {-kInf}) == -kInf);
  CHECK(product({tiny}, {kInf}) == kInf);  // all of it is in the high half
  CHECK(product({kInf}, {-0x1.8p-138F}) == -kInf);
  CHECK(product({kInf}, {kInf}) == kInf);
  CHECK(std::isnan(product({kInf}, {0.0F})));
  CHECK(std::isnan(product({-0.0F}, {kInf})));
  CHECK(std::isnan(product({nan}, {0.0F})));
  CHECK(std::isnan(product({third}, {nan})));
  CHECK(std::isnan(product({kInf, 1.0F}, {1.0F, -kInf})));
  CHECK(product({kInf, third}, {third, third}) == kInf);
  CHECK(product({0x1p127F}, {4.0F}) == kInf);
}

TEST_CASE("fp32 passes: any numbers, in their order; one product is not finite as in IEEE 754", "[isa]") {
  test::Numbers numbers(56);
  for (int round = 0; round < 500; ++round) {
    const float a = numbers.any(), b = numbers.any(), c = numbers.any(), d = numbers.any();
    CAPTURE(a, b, c, d);
    const test::ProductTerms terms{{a, c}, {b, d}, true, true};
    CHECK(test::same_number(product({a, c}, {b, d}), test::matmul_element_in_passes(terms, false, 0.0F)));
    if (std::isfinite(a) && std::isfinite(b)) continue;
    CHECK(test::same_number(product({a}, {b}), a * b));
  }
}

TEST_CASE("fp32 passes: infinities also work with tf32", "[isa]") {
  for (const auto& [weights, moving] :
       {std::pair{DType::kFp32, DType::kTf32}, {DType::kTf32, DType::kFp32}}) {
    for (const auto& [w, x, want] :
         {std::tuple{kInf, 1.5F, kInf}, {1.5F, -kInf, -kInf}, {kInf, 0.0F, std::nanf("")}}) {
      CAPTURE(isa::name_of(weights), w, x);
      TileMemory memory;
      const Shape one = test::row_shape(1, 1);
      const Tile a = in_sbuf(weights, 0, one), b = in_sbuf(moving, 64, one),
                 dst{Space::kPsum, DType::kFp32, 0, 0, {0, 0, 0, 1}};
      memory.set(a, 0, {}, w);
      memory.set(b, 0, {}, x);
      isa::execute(load_weights(a, one), memory.view());
      isa::execute(matmul(dst, b, one, 1, false), memory.view());
      CHECK(test::same_number(memory.get(dst, 0, {}), want));
    }
  }
}

TEST_CASE("fp32 passes: products of any two numbers are within an ulp, of short ones exact", "[isa]") {
  test::Numbers numbers(53);
  CHECK(product({0x1.000002p0F}, {0x1.000002p0F}) == 0x1.000004p0F);
  CHECK(product({0x1.001p0F}, {0x1.001p0F}) == 0x1.002001p0F);  // 12 bits times 12 bits
  for (int round = 0; round < 200; ++round) {
    const float a = numbers.ordinary(), b = numbers.ordinary();
    const double exact = double{a} * double{b};
    CAPTURE(a, b);
    CHECK(std::fabs(product({a}, {b}) - exact) <= 0x1p-22 * std::fabs(exact));
  }
}

TEST_CASE("fp32 passes: a sum over K is within the bound that the header states", "[isa]") {
  test::Numbers numbers(54);
  const unsigned k = 128, m = 16, n = 16;
  TileMemory memory;
  const Tile weights = in_sbuf(DType::kFp32, 0, test::row_shape(k, m)),
             x = in_sbuf(DType::kFp32, 1024, test::row_shape(k, n)),
             dst{Space::kPsum, DType::kFp32, 0, 0, {0, 0, 0, 1}};
  fill(memory, weights, test::row_shape(k, m), numbers);
  fill(memory, x, test::row_shape(k, n), numbers);
  fill(memory, dst, test::row_shape(m, n), numbers);
  TileMemory before = memory;
  isa::execute(load_weights(weights, test::row_shape(k, m)), memory.view());
  isa::execute(matmul(dst, x, test::row_shape(k, n), m, true), memory.view());
  double largest = 0;
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < n; ++column) {
      double exact = before.get(dst, row, {0, 0, 0, column}), size = std::fabs(exact);
      for (unsigned p = 0; p < k; ++p) {
        const double term =
            double{before.get(weights, p, {0, 0, 0, row})} * before.get(x, p, {0, 0, 0, column});
        exact += term;
        size += std::fabs(term);
      }
      const double error = std::fabs(memory.get(dst, row, {0, 0, 0, column}) - exact);
      largest = std::max(largest, error / ((k + 4) * 0x1p-24 * size));
    }
  CAPTURE(largest);
  CHECK(largest <= 1.0);
  CHECK(largest > 0.0);
}

TEST_CASE("onezero: zeros and ones give the bits of four passes in two, other numbers lose their low half",
          "[isa]") {
  test::Numbers numbers(55);
  for (int round = 0; round < 50; ++round) {
    const float a = numbers.any(), b = numbers.any();
    CAPTURE(a, b);
    CHECK(test::same_bits(product({1.0F, 0.0F, 1.0F}, {a, 2.0F, b}, MatmulMode::kOneZeroStationary),
                          product({1.0F, 0.0F, 1.0F}, {a, 2.0F, b})));
    CHECK(test::same_bits(product({a, 2.0F, b}, {1.0F, 0.0F, 1.0F}, MatmulMode::kOneZeroMoving),
                          product({a, 2.0F, b}, {1.0F, 0.0F, 1.0F})));
  }
  CHECK(product({0x1.000002p0F}, {1.0F}, MatmulMode::kOneZeroStationary) == 1.0F);
  CHECK(product({1.0F}, {0x1.000002p0F}, MatmulMode::kOneZeroMoving) == 1.0F);
  CHECK(product({0x1.000002p0F}, {1.0F}, MatmulMode::kOneZeroMoving) == 0x1.000002p0F);
}
