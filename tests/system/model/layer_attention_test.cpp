// SPDX-License-Identifier: Apache-2.0
// Attention kernels as parts of a layer: two in one program, on token-major tensors that are columns of wider
// ones, with garbage in all memory that was not written.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>

#include "tests/support/bench/layer_bench.h"
#include "workloads/attention/flash_kernel.h"
#include "workloads/attention/golden/golden_attention.h"
#include "workloads/decode/decode_definition.h"
#include "workloads/decode/decode_kernel.h"
#include "workloads/decode/decode_merge.h"

using namespace tahoma;
using isa::DType;
using runtime::HbmView;
using tests::LayerBench;

namespace {

// Memory for two kernels that each need all of PSUM and much of SBUF.
model::MachineParams twice_the_memory() {
  model::MachineParams machine = tests::default_machine();
  model::CoreParams& core = machine.chip.core;
  core.psum.per_partition.count *= 2;
  core.sbuf.per_partition.count *= 2;
  core.sbuf.usable.count *= 2;
  return machine;
}

std::string nobody(std::uint64_t, std::uint64_t) { return "nobody"; }

}  // namespace

// Queries, keys and values side by side, as a projection writes them; the second attention takes the first
// one's output as its queries.
TEST_CASE("layer kernels: two attentions on columns of one matrix", "[layer][attention]") {
  const std::uint64_t tokens = GENERATE(1, 100, 530), heads = 4, kv_heads = 2, d = 32;
  LayerBench bench(twice_the_memory());
  const HbmView qkv = bench.input(DType::kBf16, tokens, (heads + 2 * kv_heads) * d + 10, 1),
                q = qkv.window(0, 10, tokens, heads * d),
                k = qkv.window(0, 10 + heads * d, tokens, kv_heads * d),
                v = qkv.window(0, 10 + (heads + kv_heads) * d, tokens, kv_heads * d),
                first = bench.tensor(DType::kBf16, tokens, heads * d + 7).window(0, 7, tokens, heads * d),
                second = bench.tensor(DType::kBf16, tokens, heads * d),
                lse = bench.tensor(DType::kFp32, heads, tokens);
  workloads::FlashShape shape{heads, tokens, tokens, d, true};
  shape.heads_per_kv = heads / kv_heads;
  shape.by_rows = true;
  workloads::emit_flash(bench.kernel, bench.machine, shape, {q, k, v, first, {}});
  shape.lse = true;
  shape.causal = false;
  workloads::emit_flash(bench.kernel, bench.machine, shape, {first, k, v, second, lse});
  bench.run(4);
  const runtime::HostTensor keys = tests::heads_of(bench, k, d), values = tests::heads_of(bench, v, d);
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  const auto check = [&](const HbmView& in, const HbmView& out, bool causal) {
    const runtime::GoldenResult golden = workloads::check_attention(
        {.q = tests::heads_of(bench, in, d), .k = keys, .v = values, .o = tests::heads_of(bench, out, d)},
        scale, {causal, 0}, nobody);
    INFO(golden.first_mismatch);
    CHECK(golden.passed());
  };
  check(q, first, true);
  check(first, second, false);
  runtime::HostTensor sums = runtime::make_tensor("lse", DType::kFp32, {heads, tokens});
  tests::store_all(sums.values.data(), bench.values(lse), DType::kFp32);
  CHECK(
      workloads::check_attention_lse(tests::heads_of(bench, first, d), keys, sums, scale, {false, 0}, nobody)
          .passed());
}

namespace {

// In the layout of decode cases: [kv_heads, sequences, group, d] from columns of a token-major view.
runtime::HostTensor queries_of(const LayerBench& bench, const HbmView& view,
                               const workloads::DecodeShape& shape) {
  const std::uint64_t sequences = shape.lengths.size();
  runtime::HostTensor tensor =
      runtime::make_tensor("q", view.dtype, {shape.kv_heads, sequences, shape.group, shape.d});
  std::vector<float> values;
  for (std::uint64_t h = 0; h < shape.kv_heads; ++h)
    for (std::uint64_t b = 0; b < sequences; ++b)
      for (std::uint64_t c = 0; c < shape.group * shape.d; ++c)
        values.push_back(bench.at(view, b, h * shape.group * shape.d + c));
  tests::store_all(tensor.values.data(), values, view.dtype);
  return tensor;
}

runtime::HostTensor cache_of(const LayerBench& bench, const HbmView& view,
                             const workloads::DecodeShape& shape, bool turned) {
  const std::uint64_t caches = shape.kv_heads * shape.lengths.size(), d = shape.d, capacity = shape.capacity;
  runtime::HostTensor tensor =
      runtime::make_tensor("cache", view.dtype, {shape.kv_heads, shape.lengths.size(), capacity, d});
  std::vector<float> values;
  for (std::uint64_t n = 0; n < caches; ++n)
    for (std::uint64_t t = 0; t < capacity; ++t)
      for (std::uint64_t c = 0; c < d; ++c)
        values.push_back(turned ? bench.at(view, n * d + c, t) : bench.at(view, n * capacity + t, c));
  tests::store_all(tensor.values.data(), values, view.dtype);
  return tensor;
}

// A table in which every page occurs once, and pages [kv_heads pages, page d] as [kv_heads, pages, page, d].
HbmView table_of(LayerBench& bench, const workloads::DecodeShape& shape) {
  const std::uint64_t sequences = shape.lengths.size(), each = shape.pages_per_sequence();
  const HbmView table = bench.tensor(DType::kInt32, sequences, each);
  for (std::uint64_t b = 0; b < sequences; ++b)
    for (std::uint64_t i = 0; i < each; ++i)
      bench.set(table, b, i, static_cast<float>((b * each + i) * 7 % shape.pages));
  return table;
}

void check_two_steps(workloads::DecodeShape shape) {
  shape.by_rows = true;
  const bool paged = shape.page > 0;
  const std::uint64_t sequences = shape.lengths.size(), columns = shape.kv_heads * shape.group * shape.d,
                      caches = shape.kv_heads * sequences;
  INFO(shape.kv_heads << " x " << shape.group << " heads of " << shape.d << ", pages of " << shape.page);
  LayerBench bench(twice_the_memory());
  const HbmView q = bench.input(shape.dtype, sequences, columns + 50, 1).window(0, 50, sequences, columns),
                first = bench.tensor(shape.dtype, sequences, columns + 30).window(0, 20, sequences, columns),
                second = bench.tensor(shape.dtype, sequences, columns);
  workloads::DecodeViews views{q, {}, {}, first, {}};
  if (paged) {
    views.k = bench.input(shape.dtype, shape.kv_heads * shape.pages, shape.page * shape.d, 2);
    views.v = bench.input(shape.dtype, shape.kv_heads * shape.pages, shape.page * shape.d, 3);
    views.table = table_of(bench, shape);
  } else {
    views.k = bench.input(shape.dtype, caches * shape.d, shape.capacity, 2);
    views.v = bench.input(shape.dtype, caches * shape.capacity, shape.d, 3);
  }
  workloads::emit_decode(bench.kernel, bench.machine, shape, views);
  views.q = first, views.o = second;
  workloads::emit_decode(bench.kernel, bench.machine, shape, views);
  bench.run(6);
  const std::vector<std::uint64_t> pages{shape.kv_heads, shape.pages, shape.page, shape.d};
  const runtime::HostTensor k = paged ? tests::as_tensor(bench, views.k, pages)
                                      : cache_of(bench, views.k, shape, true),
                            v = paged ? tests::as_tensor(bench, views.v, pages)
                                      : cache_of(bench, views.v, shape, false);
  const runtime::HostTensor table =
      paged ? tests::as_tensor(bench, views.table, {sequences, shape.pages_per_sequence()})
            : runtime::HostTensor{};
  for (const auto& [in, out] : {std::pair{q, first}, {first, second}}) {
    const runtime::HostTensor queries = queries_of(bench, in, shape), outputs = queries_of(bench, out, shape);
    const runtime::GoldenResult golden =
        workloads::check_decode({queries, k, v, outputs, paged ? &table : nullptr, shape.lengths}, nobody);
    INFO(golden.first_mismatch);
    CHECK(golden.passed());
  }
}

// [kv_heads, sequences, tokens of both, d].
runtime::HostTensor joined(const runtime::HostTensor& first, const runtime::HostTensor& second) {
  runtime::HostTensor both = runtime::make_tensor(
      "cache", first.dtype,
      {first.shape[0], first.shape[1], first.shape[2] + second.shape[2], first.shape[3]});
  const std::size_t caches = first.shape[0] * first.shape[1];
  auto to = both.values.begin();
  for (std::size_t n = 0; n < caches; ++n)
    for (const runtime::HostTensor* part : {&first, &second}) {
      const auto bytes = static_cast<std::ptrdiff_t>(part->values.size() / caches);
      to = std::copy_n(part->values.begin() + static_cast<std::ptrdiff_t>(n) * bytes, bytes, to);
    }
  return both;
}

// 200 tokens of each cache and the 30 after them. Parts of equal length would have about equal weight.
void check_parts(DType dtype, std::uint64_t kv_heads, std::uint64_t group, std::uint64_t d) {
  const std::uint64_t sequences = 3, columns = kv_heads * group * d;
  LayerBench bench(twice_the_memory());
  const HbmView q = bench.input(dtype, sequences, columns, 1),
                of_parts = bench.tensor(dtype, 2 * sequences, columns),
                sums = bench.tensor(DType::kFp32, 2, kv_heads * group * sequences + 3),
                o = bench.tensor(dtype, sequences, columns + 9).window(0, 9, sequences, columns);
  std::vector<runtime::HostTensor> k, v;
  for (const std::uint64_t part : {0, 1}) {
    workloads::DecodeShape shape;
    shape.capacity = part == 0 ? 200 : 30;
    shape.lengths.assign(sequences, shape.capacity);
    shape.kv_heads = kv_heads, shape.group = group, shape.d = d, shape.dtype = dtype;
    shape.by_rows = shape.lse = true;
    const std::uint64_t caches = kv_heads * sequences;
    const auto seed = static_cast<std::uint32_t>(2 + part);
    const HbmView keys = bench.input(dtype, caches * d, shape.capacity, seed),
                  values = bench.input(dtype, caches * shape.capacity, d, seed + 2);
    k.push_back(cache_of(bench, keys, shape, true));
    v.push_back(cache_of(bench, values, shape, false));
    HbmView lse = sums.window(part, 0, 1, sequences);
    lse.rows = kv_heads * group;
    lse.row_stride = static_cast<std::int64_t>(sequences);
    workloads::emit_decode(
        bench.kernel, bench.machine, shape,
        {q, keys, values, of_parts.window(part * sequences, 0, sequences, columns), {}, lse});
  }
  workloads::emit_decode_merge(bench.kernel, bench.machine, {2, sequences, kv_heads * group, d, dtype},
                               {of_parts, sums, o});
  bench.run(7);
  workloads::DecodeShape whole;
  whole.lengths.assign(sequences, 230);
  whole.kv_heads = kv_heads, whole.group = group, whole.d = d;
  const runtime::HostTensor queries = queries_of(bench, q, whole), outputs = queries_of(bench, o, whole);
  const runtime::GoldenResult golden = workloads::check_decode(
      {queries, joined(k[0], k[1]), joined(v[0], v[1]), outputs, nullptr, whole.lengths}, nobody);
  INFO(golden.first_mismatch);
  CHECK(golden.passed());
}

}  // namespace

TEST_CASE("layer kernels: a decoding step over two parts of the caches is one over all of them",
          "[layer][decode]") {
  check_parts(DType::kFp32, 2, 3, 64);
  check_parts(DType::kBf16, 2, 3, 64);
  check_parts(DType::kBf16, 1, 8, 128);
}

TEST_CASE("layer kernels: two decoding steps, queries and outputs in wider matrices", "[layer][decode]") {
  workloads::DecodeShape shape;
  shape.lengths = {300, 1, 77, 129, 200};
  shape.capacity = 300;
  for (const auto& [heads, group, d] :
       {std::tuple<unsigned, unsigned, unsigned>{1, 1, 128}, {2, 3, 64}, {3, 40, 20}, {1, 64, 128}}) {
    shape.kv_heads = heads, shape.group = group, shape.d = d;
    check_two_steps(shape);
  }
  shape.dtype = DType::kFp32;
  check_two_steps(shape);
}

TEST_CASE("layer kernels: two decoding steps over pages, by rows", "[layer][decode]") {
  workloads::DecodeShape shape{2, {300, 1, 77}, 300, 4, 64, 16, 0};
  shape.pages = 3 * shape.pages_per_sequence();
  check_two_steps(shape);
}
