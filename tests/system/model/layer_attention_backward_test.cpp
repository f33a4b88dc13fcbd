// SPDX-License-Identifier: Apache-2.0
// The backward pass of attention as a part of a layer: forward and backward passes in one program, on
// token-major tensors that are columns of wider ones, with garbage in all memory that was not written.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/bench/layer_bench.h"
#include "workloads/attention/backward/flash_backward.h"
#include "workloads/attention/backward/flash_backward_memory.h"
#include "workloads/attention/backward/golden_attention_backward.h"

using namespace tahoma;
using isa::DType;
using runtime::HbmView;
using tests::heads_of, tests::LayerBench;

namespace {

constexpr std::uint64_t kHeads = 4, kKvHeads = 2;

// Queries, keys and values side by side, as a projection writes them, or their gradients.
struct Beside {
  HbmView q, k, v;
  Beside(const HbmView& all, std::uint64_t d)
      : q(all.window(0, 10, all.rows, kHeads * d)),
        k(all.window(0, 10 + kHeads * d, all.rows, kKvHeads * d)),
        v(all.window(0, 10 + (kHeads + kKvHeads) * d, all.rows, kKvHeads * d)) {}
};

struct Pass {
  Beside in, gradients;
  HbmView o, d_o, lse;
  bool causal = true;
  std::uint64_t d() const { return o.columns / kHeads; }
  double scale() const { return 1 / std::sqrt(static_cast<double>(d())); }
};

workloads::FlashShape shape_of(std::uint64_t tokens, std::uint64_t d, bool causal) {
  workloads::FlashShape shape{kHeads, tokens, tokens, d, causal};
  shape.heads_per_kv = kHeads / kKvHeads;
  shape.by_rows = true;
  return shape;
}

workloads::FlashBackwardViews views_of(const Pass& pass) {
  workloads::FlashBackwardViews views;
  views.q = pass.in.q, views.k = pass.in.k, views.v = pass.in.v;
  views.o = pass.o, views.d_o = pass.d_o, views.lse = pass.lse;
  views.dq = pass.gradients.q, views.dk = pass.gradients.k, views.dv = pass.gradients.v;
  return views;
}

// From the contents of the bench: every row's sum of dO o O, for any O.
runtime::HostTensor delta_of(const LayerBench& bench, const Pass& pass) {
  runtime::HostTensor delta = runtime::make_tensor("delta", DType::kFp32, {kHeads, pass.o.rows});
  std::vector<float> values;
  for (std::uint64_t h = 0; h < kHeads; ++h)
    for (std::uint64_t t = 0; t < pass.o.rows; ++t) {
      double sum = 0;
      for (std::uint64_t c = h * pass.d(); c < (h + 1) * pass.d(); ++c)
        sum += double{bench.at(pass.o, t, c)} * double{bench.at(pass.d_o, t, c)};
      values.push_back(static_cast<float>(sum));
    }
  tests::store_all(delta.values.data(), values, DType::kFp32);
  return delta;
}

void check(const LayerBench& bench, const Pass& pass) {
  const auto heads = [&](const HbmView& view) { return heads_of(bench, view, pass.d()); };
  const auto nobody = [](const std::string&) {
    return [](std::uint64_t, std::uint64_t) { return std::string("nobody"); };
  };
  const runtime::GoldenResult golden = workloads::check_attention_backward(
      {heads(pass.in.q), heads(pass.in.k), heads(pass.in.v), heads(pass.d_o),
       tests::as_tensor(bench, pass.lse), delta_of(bench, pass), heads(pass.gradients.q),
       heads(pass.gradients.k), heads(pass.gradients.v)},
      pass.scale(), {pass.causal, 0}, nobody);
  INFO(golden.first_mismatch);
  CHECK(golden.passed());
}

Pass pass_of(LayerBench& bench, DType dtype, std::uint64_t tokens, std::uint64_t d, std::uint32_t seed) {
  const std::uint64_t all = 10 + (kHeads + 2 * kKvHeads) * d, columns = kHeads * d;
  return {Beside(bench.input(dtype, tokens, all, seed), d), Beside(bench.tensor(dtype, tokens, all), d),
          bench.tensor(dtype, tokens, columns + 7).window(0, 7, tokens, columns),
          bench.input(dtype, tokens, columns + 3, seed + 1).window(0, 3, tokens, columns),
          bench.tensor(DType::kFp32, kHeads, tokens)};
}

}  // namespace

// The second takes the first one's dQ as its dO, and sees all keys.
TEST_CASE("layer backward: two attentions, forward and backward", "[layer][attention]") {
  const std::uint64_t tokens = GENERATE(1, 100, 530);
  const DType dtype = GENERATE(DType::kBf16, DType::kFp32);
  const std::uint64_t d = GENERATE(32, 128);
  INFO(tokens << " tokens, d = " << d << ", " << isa::name_of(dtype));
  LayerBench bench(tests::default_machine());
  const Pass first = pass_of(bench, dtype, tokens, d, 1);
  Pass second = pass_of(bench, dtype, tokens, d, 3);
  second.d_o = first.gradients.q;
  second.causal = false;
  for (const Pass& pass : {first, second}) {
    workloads::FlashShape shape = shape_of(tokens, d, pass.causal);
    shape.dtype = dtype;
    shape.lse = true;
    {
      const runtime::Kernel::Scope scope(bench.kernel);
      workloads::emit_flash(bench.kernel, bench.machine, shape,
                            {pass.in.q, pass.in.k, pass.in.v, pass.o, pass.lse});
    }
    const runtime::Kernel::Scope scope(bench.kernel);
    workloads::emit_flash_backward(bench.kernel, bench.machine, shape, views_of(pass));
  }
  bench.run(10);
  check(bench, first);
  check(bench, second);
}

// SBUF has room for dQ of three tiles of queries: dK and dV are summed between segments. O may be anything
// from which D is computed.
TEST_CASE("layer backward: attention in segments of queries", "[layer][attention]") {
  const std::uint64_t tokens = 530, d = 32;
  const workloads::FlashShape shape = shape_of(tokens, d, true);
  model::MachineParams machine = tests::default_machine();
  machine.chip.core.sbuf.usable = {
      workloads::BackwardMemory::working_bytes(shape, workloads::backward_tiling_of(machine, shape)) +
      3 * workloads::BackwardMemory::tile_bytes(shape)};
  REQUIRE(workloads::in_segments(shape, workloads::backward_tiling_of(machine, shape)));
  LayerBench bench(machine);
  Pass pass = pass_of(bench, DType::kBf16, tokens, d, 1);
  pass.o = bench.input(DType::kBf16, tokens, kHeads * d, 5);
  workloads::FlashBackwardViews views = views_of(pass);
  views.dk_sum = bench.tensor(DType::kFp32, tokens, kKvHeads * d);
  views.dv_sum = bench.tensor(DType::kFp32, tokens, kKvHeads * d);
  const workloads::AttentionSaved saved = workloads::attention_saved(
      heads_of(bench, pass.in.q, d), heads_of(bench, pass.in.k, d), heads_of(bench, pass.in.v, d),
      heads_of(bench, pass.d_o, d), pass.scale(), {true, 0});
  const std::vector<float> lse = tests::load_all(saved.lse.values.data(), kHeads * tokens, DType::kFp32);
  for (std::uint64_t h = 0; h < kHeads; ++h)
    for (std::uint64_t t = 0; t < tokens; ++t) bench.set(pass.lse, h, t, lse[h * tokens + t]);
  workloads::emit_flash_backward(bench.kernel, bench.machine, shape, views);
  bench.run(11);
  check(bench, pass);
}

TEST_CASE("layer backward: tiles that cannot be transposed are refused", "[layer][attention]") {
  model::MachineParams machine = tests::default_machine();
  machine.chip.core.tensor.rows = 40;
  LayerBench bench(machine);
  const Pass pass = pass_of(bench, DType::kBf16, 100, 32, 1);
  CHECK_THROWS_WITH(
      workloads::emit_flash_backward(bench.kernel, machine, shape_of(100, 32, true), views_of(pass)),
      Catch::Contains("E-ATT-006"));
}
