// SPDX-License-Identifier: Apache-2.0
// Kernels as parts of a layer: several in one program, on token-major tensors that are columns of wider ones,
// with garbage in all memory that was not written.
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "tests/support/bench/layer_bench.h"
#include "workloads/common/golden_activation.h"
#include "workloads/gemm/kernel/gemm_kernel.h"
#include "workloads/mlp/gated.h"
#include "workloads/rms_norm/rms_norm_kernel.h"
#include "workloads/rope/rope_kernel.h"

using namespace tahoma;
using isa::DType;
using runtime::HbmView;
using tests::LayerBench;

namespace {

constexpr double kBf16 = 0x1p-8;  // half a unit in the last place, relative

void emit_product(LayerBench& bench, const HbmView& a, const HbmView& b, const HbmView& c) {
  workloads::GemmShape shape{a.rows, b.columns, b.rows, a.dtype, c.dtype};
  shape.a_by_rows = true;
  workloads::GemmViews views;
  views.a = a, views.b = b, views.c = c;
  workloads::emit_gemm(workloads::GemmNest::kChosen, bench.kernel, bench.machine, shape, views);
}

HbmView turned(HbmView view) {
  std::swap(view.rows, view.columns);
  std::swap(view.row_stride, view.column_stride);
  return view;
}

// The bits of c, by the declared arithmetic.
std::vector<float> product(const LayerBench& bench, const HbmView& a, const HbmView& b, DType out) {
  std::vector<float> turned, want;
  for (std::uint64_t k = 0; k < a.columns; ++k)
    for (std::uint64_t m = 0; m < a.rows; ++m) turned.push_back(bench.at(a, m, k));
  const std::vector<float> weights = bench.values(b);
  for (std::uint64_t m = 0; m < a.rows; ++m)
    for (std::uint64_t n = 0; n < b.columns; ++n)
      want.push_back(tests::rounded(
          tests::reference_element(turned, a.rows, weights, b.columns, m, n, 0, a.columns, 128, a.dtype),
          out));
  return want;
}

}  // namespace

TEST_CASE("layer kernels: a product by rows of a product, both in wider matrices", "[layer][gemm]") {
  for (const std::uint64_t tokens : {7, 16, 70, 130}) {
    INFO(tokens << " tokens");
    LayerBench bench(tests::default_machine());
    const HbmView x = bench.input(DType::kBf16, tokens, 500, 1).window(0, 100, tokens, 130),
                  w1 = bench.input(DType::kBf16, 200, 90, 2).window(30, 11, 130, 60),
                  h = bench.tensor(DType::kBf16, tokens, 200).window(0, 20, tokens, 60),
                  w2 = bench.input(DType::kBf16, 60, 40, 3), y = bench.tensor(DType::kFp32, tokens, 40);
    emit_product(bench, x, w1, h);
    emit_product(bench, h, w2, y);
    bench.run(static_cast<std::uint32_t>(tokens));
    CHECK(bench.values(h) == product(bench, x, w1, DType::kBf16));
    CHECK(bench.values(y) == product(bench, h, w2, DType::kFp32));
  }
}

// The backward pass of a linear layer y = x w, on windows of token-major matrices: dx = dy w^T transposes
// both operands, dw = x^T dy transposes none.
TEST_CASE("layer kernels: gradients of a product, all in wider matrices", "[layer][gemm]") {
  for (const std::uint64_t tokens : {7, 70, 530})
    for (const DType out : {DType::kFp32, DType::kBf16}) {
      INFO(tokens << " tokens, " << isa::name_of(out));
      LayerBench bench(tests::default_machine());
      const HbmView x = bench.input(DType::kBf16, tokens, 200, 1).window(0, 13, tokens, 130),
                    w = bench.input(DType::kBf16, 200, 90, 2).window(30, 11, 130, 60),
                    dy = bench.input(DType::kBf16, tokens, 100, 3).window(0, 40, tokens, 60),
                    dx = bench.tensor(DType::kBf16, tokens, 300).window(0, 99, tokens, 130),
                    dw = bench.tensor(out, 150, 90).window(20, 3, 130, 60);
      workloads::GemmShape shape{tokens, 130, 60};
      shape.a_by_rows = shape.b_by_rows = true;
      workloads::GemmViews views;
      views.a = dy, views.b = w, views.c = dx;
      workloads::emit_gemm(workloads::GemmNest::kChosen, bench.kernel, bench.machine, shape, views);
      const workloads::GemmShape of_weights{130, 60, tokens, DType::kBf16, out};
      views.a = x, views.b = dy, views.c = dw;
      workloads::emit_gemm(workloads::GemmNest::kChosen, bench.kernel, bench.machine, of_weights, views);
      bench.run(static_cast<std::uint32_t>(tokens));
      CHECK(bench.values(dx) == product(bench, dy, turned(w), DType::kBf16));
      CHECK(bench.values(dw) == product(bench, turned(x), dy, out));
    }
}

namespace {

void check_norm(const LayerBench& bench, const HbmView& x, const HbmView& g, const HbmView& y,
                double epsilon) {
  const double slack = kBf16 + 1e-5;
  std::uint64_t wrong = 0;
  for (std::uint64_t r = 0; r < x.rows; ++r) {
    double squares = 0;
    for (std::uint64_t c = 0; c < x.columns; ++c) squares += std::pow(double{bench.at(x, r, c)}, 2);
    const double root = std::sqrt(squares / static_cast<double>(x.columns) + epsilon);
    for (std::uint64_t c = 0; c < x.columns; ++c) {
      const double want = bench.at(x, r, c) / root * bench.at(g, 0, c);
      if (!(std::fabs(bench.at(y, r, c) - want) <= slack * std::fabs(want))) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

// The first norm's rows are dense and folded; the second's are columns of a wider matrix and are not folded.
TEST_CASE("layer kernels: two norms with residuals, dense and in wider matrices", "[layer][norm]") {
  LayerBench bench(tests::default_machine());
  const std::uint64_t rows = 19, columns = 1024;
  const float epsilon = 1e-5F;
  const HbmView x = bench.input(DType::kBf16, rows, columns, 1),
                more = bench.input(DType::kBf16, rows, columns, 2),
                wide = bench.input(DType::kBf16, rows, 3000, 3).window(0, 700, rows, columns),
                g = bench.input(DType::kFp32, 1, columns, 4), sum = bench.tensor(DType::kBf16, rows, columns),
                y = bench.tensor(DType::kBf16, rows, columns),
                second = bench.tensor(DType::kBf16, rows, columns),
                z = bench.tensor(DType::kBf16, rows, 1100).window(0, 10, rows, columns);
  const workloads::RmsNormShape shape{rows, columns, DType::kBf16, epsilon};
  workloads::emit_rms_norm(bench.kernel, bench.machine, shape, {x, g, y, more, sum});
  workloads::emit_rms_norm(bench.kernel, bench.machine, shape, {wide, g, z, sum, second});
  bench.run(5);
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < columns; ++c) {
      REQUIRE(bench.at(sum, r, c) == tests::rounded(bench.at(x, r, c) + bench.at(more, r, c), DType::kBf16));
      REQUIRE(bench.at(second, r, c) ==
              tests::rounded(bench.at(wide, r, c) + bench.at(sum, r, c), DType::kBf16));
    }
  check_norm(bench, sum, g, y, epsilon);
  check_norm(bench, second, g, z, epsilon);
}

TEST_CASE("layer kernels: gate and up as columns of one matrix", "[layer][gated]") {
  for (const isa::ActFn fn : {isa::ActFn::kSilu, isa::ActFn::kGelu})
    for (const auto& [tokens, columns] : {std::pair<std::uint64_t, std::uint64_t>{5, 33}, {130, 2100}}) {
      INFO(isa::name_of(fn) << ", " << tokens << " x " << columns);
      LayerBench bench(tests::default_machine());
      const HbmView both = bench.input(DType::kBf16, tokens, 2 * columns, 1),
                    gate = both.window(0, 0, tokens, columns), up = both.window(0, columns, tokens, columns),
                    y = bench.tensor(DType::kBf16, tokens, columns),
                    z = bench.tensor(DType::kBf16, tokens, columns);
      workloads::emit_gated(bench.kernel, bench.machine, {tokens, columns, DType::kBf16, fn}, {gate, up, y});
      workloads::emit_gated(bench.kernel, bench.machine, {tokens, columns, DType::kBf16, fn}, {y, up, z});
      bench.run(2);
      const workloads::GoldenActivation& by = workloads::golden_activation(fn);
      std::uint64_t wrong = 0;
      const auto check = [&](const HbmView& in, const HbmView& out) {
        for (std::uint64_t r = 0; r < tokens; ++r)
          for (std::uint64_t c = 0; c < columns; ++c) {
            const workloads::Approximate factor = workloads::activated({bench.at(in, r, c), 0}, by);
            const double u = bench.at(up, r, c), want = factor.value * u;
            if (!(std::fabs(bench.at(out, r, c) - want) <=
                  (kBf16 + 1e-6) * std::fabs(want) + 2 * factor.slack * std::fabs(u)))
              ++wrong;
          }
      };
      check(gate, y);
      check(y, z);
      CHECK(wrong == 0);
    }
}

// Rotated forward and back in place, with queries and keys side by side in one matrix: the result equals the
// input, up to roundings.
TEST_CASE("layer kernels: rope in place, forward and back", "[layer][rope]") {
  const bool interleaved = GENERATE(false, true);
  LayerBench bench(tests::default_machine());
  const std::uint64_t tokens = 150, heads = 3, d = 64;
  const HbmView all = bench.input(DType::kFp32, tokens, 500, 1), x = all.window(0, 99, tokens, heads * d),
                forth = bench.tensor(DType::kFp32, tokens, d), back = bench.tensor(DType::kFp32, tokens, d);
  const std::vector<float> before = bench.values(all);
  for (std::uint64_t t = 0; t < tokens; ++t)
    for (std::uint64_t i = 0; i < d / 2; ++i) {
      const float angle = 0.01F * static_cast<float>(t * (i + 1));
      for (const auto& [table, sign] : {std::pair{forth, 1.0F}, {back, -1.0F}}) {
        bench.set(table, t, i, std::cos(angle));
        bench.set(table, t, d / 2 + i, sign * std::sin(angle));
      }
    }
  const HbmView y = bench.tensor(DType::kFp32, tokens, heads * d);
  const workloads::RopeShape shape{tokens, heads, d, interleaved, 0, DType::kFp32};
  workloads::emit_rope(bench.kernel, bench.machine, shape, {x, forth, x, {}});
  workloads::emit_rope(bench.kernel, bench.machine, shape, {x, back, y, {}});
  bench.run(3);
  const auto turned = [&](std::uint64_t t, std::uint64_t head, std::uint64_t pair) {
    const std::uint64_t first = 99 + head * d + (interleaved ? 2 * pair : pair),
                        second = first + (interleaved ? 1 : d / 2);
    const float x1 = before[t * 500 + first], x2 = before[t * 500 + second], c = bench.at(forth, t, pair),
                s = bench.at(forth, t, d / 2 + pair);
    return bench.at(all, t, first) == Approx(x1 * c - x2 * s).margin(1e-6) &&
           bench.at(all, t, second) == Approx(x2 * c + x1 * s).margin(1e-6);
  };
  for (std::uint64_t t = 0; t < tokens; ++t)
    for (std::uint64_t pair = 0; pair < heads * d / 2; ++pair)
      REQUIRE(turned(t, pair / (d / 2), pair % (d / 2)));
  for (std::uint64_t t = 0; t < tokens; ++t)
    for (std::uint64_t c = 0; c < 500; ++c) {
      const float was = before[t * 500 + c];
      if (c < 99 || c >= 99 + heads * d) {
        REQUIRE(bench.at(all, t, c) == was);
        continue;
      }
      REQUIRE(bench.at(y, t, c - 99) == Approx(was).margin(1e-6));
    }
}
