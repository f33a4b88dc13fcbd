// SPDX-License-Identifier: Apache-2.0
// The kernels of a layer's backward pass as parts of one program: two of a kind in each, on token-major
// tensors that are columns of wider ones, with garbage in all unwritten places.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/bench/layer_bench.h"
#include "workloads/mlp/gated.h"
#include "workloads/norm/norm_backward_kernel.h"
#include "workloads/optimizer/adam_definition.h"
#include "workloads/optimizer/adam_kernel.h"

using namespace tahoma;
using isa::DType;
using runtime::HbmView, runtime::Kernel;
using tests::LayerBench;

namespace {

// The largest relative rounding error.
double unit_of(DType dtype) { return dtype == DType::kFp32 ? 0x1p-24 : 0x1p-8; }

}  // namespace

namespace {

// The contents of the views before the bench ran.
struct GatedInputs {
  std::vector<float> gate, up, dy;
};

// y = gate sigmoid(gate) up.
void check_gated_backward(const LayerBench& bench, const GatedInputs& in, const HbmView& dgate,
                          const HbmView& dup) {
  const std::vector<float> got_gate = bench.values(dgate), got_up = bench.values(dup);
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < in.gate.size(); ++i) {
    const double g = in.gate[i], s = 1 / (1 + std::exp(-g)), t = 1 / (1 + std::exp(g)), dy = in.dy[i];
    const double want_up = dy * g * s, want_gate = dy * in.up[i] * (s + g * s * t);
    const double size = std::fabs(dy * in.up[i] * s) * (1 + std::fabs(g * t)), unit = unit_of(dgate.dtype);
    if (!(std::fabs(got_up[i] - want_up) <= (unit + 1e-6) * std::fabs(want_up))) ++wrong;
    if (!(std::fabs(got_gate[i] - want_gate) <= unit * std::fabs(want_gate) + 2e-6 * size)) ++wrong;
  }
  CHECK(wrong == 0);
}

}  // namespace

// The second pass takes the gradients of the first as its gate and dy, and leaves one of its own in up's
// place.
TEST_CASE("layer backward: gradients of gate and up as columns of one matrix", "[layer][gated]") {
  for (const DType dtype : {DType::kBf16, DType::kFp32})
    for (const auto& [tokens, columns] : {std::pair<std::uint64_t, std::uint64_t>{5, 33}, {130, 2100}}) {
      INFO(isa::name_of(dtype) << ", " << tokens << " x " << columns);
      LayerBench bench(tests::default_machine());
      const HbmView both = bench.input(dtype, tokens, 2 * columns, 1),
                    gate = both.window(0, 0, tokens, columns), up = both.window(0, columns, tokens, columns),
                    dy = bench.input(dtype, tokens, columns, 2),
                    grads = bench.tensor(dtype, tokens, 2 * columns),
                    dgate = grads.window(0, 0, tokens, columns),
                    dup = grads.window(0, columns, tokens, columns), z = bench.tensor(dtype, tokens, columns);
      for (std::uint64_t c = 0; c < columns; ++c)  // both tails, too
        bench.set(gate, 0, c, 40 * bench.at(gate, 0, c));
      const GatedInputs first{bench.values(gate), bench.values(up), bench.values(dy)};
      const workloads::GatedShape shape{tokens, columns, dtype};
      {
        const Kernel::Scope scope(bench.kernel);
        workloads::emit_gated_backward(bench.kernel, bench.machine, shape, {gate, up, dy, dgate, dup});
      }
      const Kernel::Scope scope(bench.kernel);
      workloads::emit_gated_backward(bench.kernel, bench.machine, shape, {dgate, up, dup, z, up});
      bench.run(6);
      check_gated_backward(bench, first, dgate, dup);
      check_gated_backward(bench, {bench.values(dgate), first.up, bench.values(dup)}, z, up);
    }
}

namespace {

struct NormInputs {
  std::vector<float> x, g, dy, add;  // add: empty if there is none
  double epsilon;
};

// dx = rstd (dy g) - x rstd^2 mean(dy g x rstd) + add, dg = sums of dy x rstd.
void check_norm_backward(const LayerBench& bench, const NormInputs& in, const HbmView& dx,
                         const HbmView& dg) {
  const std::uint64_t columns = dx.columns;
  std::vector<double> want_gain(columns), size_of_gain(columns);
  std::uint64_t wrong = 0;
  for (std::uint64_t r = 0; r < dx.rows; ++r) {
    const std::uint64_t first = r * columns;
    double squares = 0, mean = 0, size = 0;
    for (std::uint64_t c = 0; c < columns; ++c) squares += std::pow(double{in.x[first + c]}, 2);
    const double rstd = 1 / std::sqrt(squares / static_cast<double>(columns) + in.epsilon);
    const auto h = [&](std::uint64_t c) { return rstd * in.dy[first + c] * in.g[c]; };
    const auto n = [&](std::uint64_t c) { return rstd * in.x[first + c]; };
    for (std::uint64_t c = 0; c < columns; ++c) {
      mean += h(c) * n(c) / static_cast<double>(columns);
      size += std::fabs(h(c) * n(c)) / static_cast<double>(columns);
      want_gain[c] += in.dy[first + c] * n(c);
      size_of_gain[c] += std::fabs(in.dy[first + c] * n(c));
    }
    for (std::uint64_t c = 0; c < columns; ++c) {
      const double add = in.add.empty() ? 0 : in.add[first + c], want = h(c) - n(c) * mean + add;
      const double slack = unit_of(dx.dtype) * std::fabs(want) +
                           2e-6 * (std::fabs(h(c)) + std::fabs(n(c)) * size + std::fabs(add));
      if (!(std::fabs(bench.at(dx, r, c) - want) <= slack)) ++wrong;
    }
  }
  CHECK(wrong == 0);
  wrong = 0;
  for (std::uint64_t c = 0; c < columns; ++c)
    if (!(std::fabs(bench.at(dg, 0, c) - want_gain[c]) <= (unit_of(dx.dtype) + 2e-6) * size_of_gain[c]))
      ++wrong;
  CHECK(wrong == 0);
}

}  // namespace

// The second pass continues from the dx of the first, with the residual stream's gradient, which it
// overwrites.
TEST_CASE("layer backward: two RMS norms in wider matrices, with and without a residual", "[layer][norm]") {
  const DType dtype = GENERATE(DType::kBf16, DType::kFp32);
  const auto [rows, columns] = GENERATE(table<std::uint64_t, std::uint64_t>({{400, 1100}, {19, 16000}}));
  LayerBench bench(tests::default_machine());
  const float epsilon = 1e-3F;
  const HbmView x = bench.input(dtype, rows, columns + 1900, 1).window(0, 700, rows, columns),
                dy = bench.input(dtype, rows, columns + 100, 2).window(0, 100, rows, columns),
                g = bench.input(DType::kFp32, 1, columns, 3), dx = bench.tensor(dtype, rows, columns),
                dg = bench.tensor(DType::kFp32, 1, columns), x2 = bench.input(dtype, rows, columns, 4),
                add = bench.input(dtype, rows, columns + 11, 5).window(0, 11, rows, columns),
                dg2 = bench.tensor(DType::kFp32, 1, columns);
  const NormInputs first{bench.values(x), bench.values(g), bench.values(dy), {}, epsilon};
  const std::vector<float> added = bench.values(add);
  const workloads::NormBackwardShape shape{rows, columns, dtype, epsilon};
  {
    const Kernel::Scope scope(bench.kernel);
    workloads::emit_rms_norm_backward(bench.kernel, bench.machine, shape, {x, g, dy, dx, dg, {}});
  }
  const Kernel::Scope scope(bench.kernel);
  workloads::emit_rms_norm_backward(bench.kernel, bench.machine, shape, {x2, g, dx, add, dg2, add});
  bench.run(7);
  check_norm_backward(bench, first, dx, dg);
  check_norm_backward(bench, {bench.values(x2), first.g, bench.values(dx), added, epsilon}, add, dg2);
}

// The first step is in place, the second writes to separate tensors; gradients of bf16 are columns of a wider
// matrix.
TEST_CASE("layer backward: two steps of Adam, the first in place", "[layer][adam]") {
  const DType gradient = GENERATE(DType::kBf16, DType::kFp32);
  LayerBench bench(tests::default_machine());
  const std::uint64_t rows = 150, columns = 2100;
  const auto fp32 = [&](std::uint32_t seed) { return bench.input(DType::kFp32, rows, columns, seed); };
  const auto empty = [&](DType dtype) {
    return bench.tensor(dtype, rows, columns + 30).window(0, 15, rows, columns);
  };
  const HbmView g = bench.input(gradient, rows, columns + 100, 1).window(0, 77, rows, columns), p = fp32(2),
                m = fp32(3), v = fp32(4), next_p = empty(DType::kFp32), next_m = empty(DType::kFp32),
                next_v = empty(DType::kFp32), copy = empty(DType::kBf16);
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < columns; ++c) bench.set(v, r, c, std::fabs(bench.at(v, r, c)));
  const runtime::HostTensor gs = tests::as_tensor(bench, g), p0 = tests::as_tensor(bench, p),
                            m0 = tests::as_tensor(bench, m), v0 = tests::as_tensor(bench, v);
  workloads::AdamSettings settings{0.01, 0.9, 0.99, 1e-8, 0.1, 3};
  workloads::AdamShape shape{rows, columns, gradient, false};
  {
    const Kernel::Scope scope(bench.kernel);
    workloads::emit_adam(bench.kernel, bench.machine, shape, settings, {p, g, m, v, p, m, v, {}});
  }
  shape.copy = true;
  const Kernel::Scope scope(bench.kernel);
  workloads::emit_adam(bench.kernel, bench.machine, shape, settings,
                       {p, g, m, v, next_p, next_m, next_v, copy});
  bench.run(8);
  const auto nobody = [](std::uint64_t, std::uint64_t) { return std::string("nobody"); };
  const auto check = [&](const workloads::AdamValues& in, const HbmView& p_to, const HbmView& m_to,
                         const HbmView& v_to) {
    using workloads::AdamOutput;
    for (const auto& [output, view] : {std::pair{AdamOutput::kParameter, p_to},
                                       {AdamOutput::kFirstMoment, m_to},
                                       {AdamOutput::kSecondMoment, v_to}}) {
      const auto golden = workloads::check_adam(in, output, tests::as_tensor(bench, view), nobody);
      INFO(golden.first_mismatch);
      CHECK(golden.passed());
    }
  };
  check({p0, gs, m0, v0, settings}, p, m, v);
  const runtime::HostTensor p1 = tests::as_tensor(bench, p), m1 = tests::as_tensor(bench, m),
                            v1 = tests::as_tensor(bench, v);
  check({p1, gs, m1, v1, settings}, next_p, next_m, next_v);
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < columns; ++c)
      REQUIRE(bench.at(copy, r, c) == tests::rounded(bench.at(next_p, r, c), DType::kBf16));
}
