// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/attention_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/error.h"
#include "workloads/attention/flash_schedule.h"

namespace tahoma::workloads {

using runtime::HostTensor, runtime::Machine, runtime::Tensor;

void AttentionSizes::declare(base::ParamTree& t) {
  constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 20;
  const base::Range<std::uint64_t> extent{1, kMostExtent};
  t.add("q_len", q_len, std::uint64_t{1024}, extent, "queries of each head", base::chosen());
  t.add("kv_len", kv_len, std::uint64_t{1024}, extent, "keys and values of each head", base::chosen());
  t.add("d", d, std::uint64_t{128}, {1, 256}, "elements of a query, key or value", base::chosen());
  t.add("heads", heads, std::uint64_t{1}, extent, "query heads, sharded over the cores", base::chosen());
  t.add("kv_heads", kv_heads, std::uint64_t{0}, {0, kMostExtent},
        "heads of keys and values, a divisor of heads, each for as many query heads in a row; 0: as many as "
        "heads",
        base::chosen());
  t.add("causal", causal, false, "query i sees only the keys j <= i + kv_len - q_len", base::chosen());
  t.add("window", window, std::uint64_t{0}, {0, kMostExtent},
        "with causal: a query sees only this many of its last keys; 0: all", base::chosen());
  t.add("dtype", dtype, isa::DType::kBf16, {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32},
        "element type of Q, K, V, O and of the probabilities; sums are fp32", base::chosen());
  t.add("cores", cores, std::uint64_t{0}, {0, kMostExtent},
        "cores, or groups of `split`, that share the heads; 0: one per head, if there are enough",
        base::chosen());
  t.add("split", split, std::uint64_t{1}, {1, 64},
        "neighbouring cores that share the work of every head; 2: a logical core of LNC=2", base::chosen());
}

void AttentionSizes::check(const model::MachineParams& machine) const {
  if (causal && q_len > kv_len)
    throw base::UserError(
        "E-ATT-001", "workload.q_len",
        fmt::format("with a causal mask expected at most kv_len = {}, got {}: the first queries would "
                    "see no key",
                    kv_len, q_len));
  if (cores * split > machine.cores() || split > machine.cores())
    throw base::UserError("E-ATT-002", "workload.cores",
                          fmt::format("expected 0 .. {}, the machine's cores by {} for each head, got {}",
                                      machine.cores() / split, split, cores));
  if (heads % key_heads() != 0)
    throw base::UserError("E-ATT-003", "workload.kv_heads",
                          fmt::format("expected a divisor of heads = {}, got {}", heads, kv_heads));
  if (window != 0 && !causal)
    throw base::UserError("E-ATT-004", "workload.window",
                          fmt::format("expected causal: true with a window of {} keys", window));
}

double AttentionSizes::scale() const { return 1 / std::sqrt(static_cast<double>(d)); }

double AttentionSizes::pairs() const {
  FlashShape shape{heads, q_len, kv_len, d, causal, type()};
  shape.window = window;
  return visible_pairs(shape);
}

std::string AttentionSizes::describe() const {
  std::string text = fmt::format("q {} kv {} d {} heads {}", q_len, kv_len, d, heads);
  if (key_heads() != heads) text += fmt::format(" over {}", key_heads());
  text += fmt::format(" {}{}", isa::name_of(dtype), causal ? ", causal" : "");
  if (window != 0) text += fmt::format(", window {}", window);
  if (split > 1) text += fmt::format(", {} cores a head", split);
  return text;
}

runtime::Part AttentionSizes::key_heads_of(const runtime::Part& query_heads) const {
  const std::uint64_t first = query_heads.first / heads_per_kv();
  return {first, (query_heads.first + query_heads.count - 1) / heads_per_kv() + 1 - first};
}

// Groups get whole heads; the first ones get one more if the number does not divide. Groups are spread over
// the machine, so that they share HBM stacks only if there are more groups than stacks.
std::vector<HeadShare> AttentionSizes::shares(const model::MachineParams& machine, std::uint64_t unit) const {
  const std::uint64_t places = machine.cores() / split, units = heads / unit;
  const std::uint64_t used = std::min(cores == 0 ? places : cores, units);
  std::vector<HeadShare> all;
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < used; ++i) {
    HeadShare share;
    share.core = static_cast<std::uint32_t>(i * places / used * split);
    share.first = first;
    share.count = (units / used + (i < units % used ? 1 : 0)) * unit;
    first += share.count;
    const runtime::Part keys = key_heads_of({share.first, share.count});
    share.kv_first = keys.first;
    share.kv_count = keys.count;
    all.push_back(share);
  }
  return all;
}

FlashShape AttentionSizes::shape_of(const HeadShare& share, std::uint64_t part) const {
  FlashShape shape{share.count, q_len, kv_len, d, causal, type()};
  shape.window = window;
  shape.heads_per_kv = heads_per_kv();
  shape.first_head = share.first % heads_per_kv();
  shape.part = part;
  shape.parts = split;
  return shape;
}

std::vector<std::uint64_t> program_key(const FlashShape& shape) {
  return {shape.heads, shape.first_head, shape.part};
}

void place_heads(Machine& machine, const Tensor& tensor, const HostTensor& all, std::uint64_t first,
                 bool transposed) {
  const std::uint64_t rows = all.shape[1], columns = all.shape[2], heads = tensor.shape[0];
  std::byte* bytes = machine.bytes(tensor);
  if (!transposed) return copy_window(all, {first * rows, 0, heads * rows, columns}, bytes);
  for (std::uint64_t h = 0; h < heads; ++h)
    copy_window_transposed(all, {(first + h) * rows, 0, rows, columns},
                           bytes + h * rows * columns * isa::size_of(all.dtype));
}

void gather_heads(Machine& machine, const Tensor& tensor, HostTensor& all, std::uint64_t first) {
  const std::uint64_t columns = all.shape.back(), rows = tensor.elements() / tensor.shape[0] / columns;
  paste_window(all, {first * rows, 0, tensor.shape[0] * rows, columns}, machine.bytes(tensor));
}

}  // namespace tahoma::workloads
