// SPDX-License-Identifier: Apache-2.0
// What a layer's way back is made of, as parts of one program: two of a kind in each, on token-major tensors
// that are columns of wider ones, with garbage wherever nobody has written.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/layer_bench.h"
#include "workloads/mlp/gated.h"

using namespace tahoma;
using isa::DType;
using runtime::HbmView, runtime::Kernel;
using tests::LayerBench;

namespace {

// The largest relative rounding error.
double unit_of(DType dtype) { return dtype == DType::kFp32 ? 0x1p-24 : 0x1p-8; }

}  // namespace

namespace {

// What the bench had in the views before it ran.
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

// The second takes the first one's gradients for its gate and dy, and leaves one of its own in up's place.
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
