// SPDX-License-Identifier: Apache-2.0
// Kernels as parts of a layer: several in one program, on token-major tensors that are columns of wider ones,
// with garbage wherever nobody has written.
#include <catch2/catch.hpp>

#include "tests/support/layer_bench.h"
#include "workloads/gemm/gemm_kernel.h"

using namespace tahoma;
using isa::DType;
using runtime::HbmView;
using tests::LayerBench;

namespace {

void emit_product(LayerBench& bench, const HbmView& a, const HbmView& b, const HbmView& c) {
  workloads::GemmShape shape{a.rows, b.columns, b.rows, a.dtype, c.dtype};
  shape.a_by_rows = true;
  workloads::GemmViews views;
  views.a = a, views.b = b, views.c = c;
  workloads::emit_gemm(workloads::GemmKernel::kChosen, bench.kernel, bench.machine, shape, views);
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
