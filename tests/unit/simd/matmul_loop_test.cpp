// SPDX-License-Identifier: Apache-2.0
// Compares the kernel with the declared order, written as the plainest loop over std::fma.
#include "isa/simd/matmul_loop.h"

#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/bench/tile_memory.h"

namespace {

using namespace tahoma;

struct Case {
  std::size_t rows, columns, moving;
  std::vector<float> weights, x, dst;  // [rows][columns], [moving rows][moving], [columns][moving]
  std::size_t moving_rows = rows;
  std::vector<std::uint32_t> selected{};  // [rows][columns], for sparse weights
};

Case random_case(test::Numbers& numbers, std::size_t rows, std::size_t columns, std::size_t moving, bool wild,
                 bool sparse = false) {
  Case c{rows, columns, moving, {}, {}, {}};
  if (sparse) {
    c.moving_rows = rows + numbers.below(200);
    for (std::size_t i = 0; i < rows * columns; ++i)
      c.selected.push_back(numbers.below(static_cast<unsigned>(c.moving_rows)));
  }
  c.weights.resize(rows * columns);
  c.x.resize(c.moving_rows * moving);
  c.dst.resize(columns * moving);
  for (auto* values : {&c.weights, &c.x, &c.dst}) {
    for (float& v : *values) v = wild ? numbers.any() : numbers.ordinary();
  }
  return c;
}

// dst rows of the kernel are `gap` elements longer than necessary, to detect writes there.
std::vector<float> by_kernel(const Case& c, bool accumulate, std::size_t gap) {
  std::vector<float> weights(isa::panel_floats(c.rows, c.columns, isa::kWeightPanel));
  std::vector<float> moving(isa::panel_floats(c.moving_rows, c.moving, isa::kMovingPanel));
  std::vector<std::uint32_t> offsets(weights.size());
  for (std::size_t k = 0; k < c.rows; ++k)
    isa::pack<isa::kWeightPanel>(&c.weights[k * c.columns], 0, c.columns, k, c.rows, weights.data());
  for (std::size_t k = 0; k < c.moving_rows; ++k) {
    const std::size_t half = c.moving / 2;  // a row may come in pieces
    isa::pack<isa::kMovingPanel>(&c.x[k * c.moving], 0, half, k, c.moving_rows, moving.data());
    isa::pack<isa::kMovingPanel>(&c.x[k * c.moving + half], half, c.moving - half, k, c.moving_rows,
                                 moving.data());
  }
  for (std::size_t k = 0; k < c.rows && !c.selected.empty(); ++k) {
    std::vector<std::uint32_t> row(&c.selected[k * c.columns], &c.selected[k * c.columns] + c.columns);
    for (std::uint32_t& offset : row) offset *= isa::kMovingPanel;
    isa::pack<isa::kWeightPanel>(row.data(), 0, c.columns, k, c.rows, offsets.data());
  }
  constexpr float kUntouched = 12345.0F;
  const std::size_t stride = c.moving + gap;
  std::vector<float> dst(c.columns * stride, kUntouched);
  for (std::size_t m = 0; m < c.columns; ++m) std::copy_n(&c.dst[m * c.moving], c.moving, &dst[m * stride]);
  const isa::MatmulShape shape{c.rows, c.columns, c.moving, c.moving_rows};
  const isa::Pass pass{weights.data(), moving.data()};
  const isa::MatmulTarget target{dst.data(), static_cast<std::ptrdiff_t>(stride), accumulate};
  if (c.selected.empty())
    isa::matmul_panels(shape, {&pass, 1}, target);
  else
    isa::matmul_selected(shape, pass, offsets.data(), target);
  std::vector<float> result;
  for (std::size_t m = 0; m < c.columns; ++m) {
    for (std::size_t n = 0; n < stride; ++n) {
      if (n < c.moving) {
        result.push_back(dst[m * stride + n]);
      } else {
        REQUIRE(dst[m * stride + n] == kUntouched);
      }
    }
  }
  return result;
}

std::vector<float> by_kernel_in_passes(const Case& first, const Case& second, bool accumulate) {
  std::array<std::vector<float>, 2> weights, moving;
  std::array<isa::Pass, 2> passes{};
  for (std::size_t i = 0; i < 2; ++i) {
    const Case& c = i == 0 ? first : second;
    weights[i].resize(isa::panel_floats(c.rows, c.columns, isa::kWeightPanel));
    moving[i].resize(isa::panel_floats(c.rows, c.moving, isa::kMovingPanel));
    for (std::size_t k = 0; k < c.rows; ++k) {
      isa::pack<isa::kWeightPanel>(&c.weights[k * c.columns], 0, c.columns, k, c.rows, weights[i].data());
      isa::pack<isa::kMovingPanel>(&c.x[k * c.moving], 0, c.moving, k, c.rows, moving[i].data());
    }
    passes[i] = {weights[i].data(), moving[i].data()};
  }
  std::vector<float> dst = first.dst;
  isa::matmul_panels({first.rows, first.columns, first.moving, first.rows}, passes,
                     {dst.data(), static_cast<std::ptrdiff_t>(first.moving), accumulate});
  return dst;
}

std::vector<float> by_definition(const Case& c, bool accumulate) {
  std::vector<float> result;
  for (std::size_t m = 0; m < c.columns; ++m) {
    for (std::size_t n = 0; n < c.moving; ++n) {
      float sum = 0.0F;
      for (std::size_t k = 0; k < c.rows; ++k) {
        const std::size_t row = c.selected.empty() ? k : c.selected[k * c.columns + m];
        sum = std::fma(c.weights[k * c.columns + m], c.x[row * c.moving + n], sum);
      }
      if (accumulate) sum = c.dst[m * c.moving + n] + sum;
      result.push_back(std::isnan(sum) ? std::bit_cast<float>(0x7FC00000U) : sum);
    }
  }
  return result;
}

std::size_t differences(const std::vector<float>& a, const std::vector<float>& b) {
  std::size_t count = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += !test::same_bits(a[i], b[i]);
  return count;
}

}  // namespace

TEST_CASE("matmul kernel: every edge of the blocking gives the declared bits", "[isa]") {
  test::Numbers numbers(21);
  for (const std::size_t rows : {1U, 2U, 3U, 17U, 64U, 127U, 128U}) {
    for (const std::size_t columns : {1U, 5U, 6U, 7U, 12U, 128U}) {
      for (const std::size_t moving : {1U, 15U, 16U, 17U, 33U, 130U}) {
        const Case c = random_case(numbers, rows, columns, moving, false);
        CAPTURE(rows, columns, moving);
        CHECK(differences(by_kernel(c, false, 3), by_definition(c, false)) == 0);
        CHECK(differences(by_kernel(c, true, 0), by_definition(c, true)) == 0);
      }
    }
  }
}

TEST_CASE("matmul kernel: all SIMD targets agree to the bit on NaN, infinity and subnormals", "[isa]") {
  test::on_every_simd_target([] {
    test::Numbers numbers(22);
    for (int round = 0; round < 40; ++round) {
      const Case c = random_case(numbers, 1 + numbers.below(30), 1 + numbers.below(20), 1 + numbers.below(50),
                                 round % 2 == 0);
      CAPTURE(round, c.rows, c.columns, c.moving);
      CHECK(differences(by_kernel(c, round % 4 < 2, 1), by_definition(c, round % 4 < 2)) == 0);
    }
  });
}

TEST_CASE("matmul kernel: with sparse weights each column uses its own rows, the same bits on every target",
          "[isa]") {
  test::on_every_simd_target([] {
    test::Numbers numbers(23);
    for (int round = 0; round < 40; ++round) {
      const Case c = random_case(numbers, 1 + numbers.below(30), 1 + numbers.below(20), 1 + numbers.below(50),
                                 round % 2 == 0, true);
      CAPTURE(round, c.rows, c.columns, c.moving, c.moving_rows);
      CHECK(differences(by_kernel(c, round % 4 < 2, 1), by_definition(c, round % 4 < 2)) == 0);
    }
  });
}

TEST_CASE("matmul kernel: passes are added in their order, each with one rounding", "[isa]") {
  test::Numbers numbers(24);
  const Case first = random_case(numbers, 9, 7, 21, false), second = random_case(numbers, 9, 7, 21, false);
  for (const bool accumulate : {false, true}) {
    Case next = second;
    next.dst = by_definition(first, accumulate);
    CHECK(differences(by_kernel_in_passes(first, second, accumulate), by_definition(next, true)) == 0);
  }
}

TEST_CASE("matmul kernel: subnormal products and sums are kept", "[isa]") {
  Case c{1, 1, 1, {std::ldexp(1.0F, -100)}, {std::ldexp(1.0F, -45)}, {std::ldexp(1.0F, -149)}};
  CHECK(by_kernel(c, false, 0)[0] == std::ldexp(1.0F, -145));
  CHECK(by_kernel(c, true, 0)[0] == std::ldexp(17.0F, -149));
}

TEST_CASE("matmul kernel: one rounding per multiply-add, and one for the addition to PSUM", "[isa]") {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: only a fused chain keeps the last term until -1 - 2^-11 has been
  // added.
  const float a = 1.0F + std::ldexp(1.0F, -12);
  Case c{2, 1, 1, {1.0F, a}, {-1.0F - std::ldexp(1.0F, -11), a}, {1.0F}};
  CHECK(by_kernel(c, false, 0)[0] == std::ldexp(1.0F, -24));
  CHECK(by_kernel(c, true, 0)[0] == 1.0F);  // 2^-24 is half an ulp of 1: a tie, to even
}
