// SPDX-License-Identifier: Apache-2.0
// Attention of ONNX Runtime's domain com.microsoft.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "frontend/graph/expand/fused_parts.h"

namespace tahoma::workloads::graph {

namespace {

struct RefusedInput {
  std::size_t input;
  std::string_view what;
};

void refuse_inputs(const NodeView& node, std::initializer_list<RefusedInput> inputs) {
  for (const RefusedInput& row : inputs)
    node.require(!node.has(row.input), "E-ONX-005", fmt::format("has {}, which is not supported", row.what));
}

std::int64_t needed_integer(const NodeView& node, const char* name) {
  const std::int64_t value = node.integer(name, 0);
  node.require(value > 0, "E-ONX-005", fmt::format("has {} = {}", name, value));
  return value;
}

// Terms that all have: a scale, direction, and padding of the keys.
AttentionTerms common_terms(const NodeView& node, std::int64_t past) {
  AttentionTerms terms;
  terms.scale = node.number("scale", 0);
  terms.causal = node.integer("unidirectional", 0) != 0;
  terms.first = past;
  return terms;
}

void add_padding(Expansion& to, std::size_t input, const Heads& q, std::int64_t keys, AttentionTerms& terms) {
  const NodeView& node = to.node();
  if (!node.has(input)) return;
  const PaddingMask mask{node.id(input), to.dims(input), q.batch,
                         q.tokens,       keys,           node.number("mask_filter_value", -10000)};
  terms.masks.push_back(padding_mask(to, mask, node.type(0).element));
}

void finish(Expansion& to, const Heads& q, const Heads& k, const Heads& v, const AttentionTerms& terms) {
  const AttentionValues values = attention(to, q, k, v, terms);
  to.result(0, merged_heads(to, values.out, {0, q.batch, q.heads, q.tokens, v.size}));
}

}  // namespace

// Projects queries, keys and values by one product.
void expand_contributed_attention(Expansion& to) {
  const NodeView& node = to.node();
  refuse_inputs(node, {{6, "a past of a length that the run gives (past_sequence_length)"}});
  node.require(node.integer("do_rotary", 0) == 0, "E-ONX-005",
               "rotates queries and keys (do_rotary) without tables");
  const std::int64_t heads = needed_integer(node, "num_heads");
  const Dims dims = to.dims(0), weights = to.dims(1);
  node.require(dims.size() == 3 && weights.size() == 2, "E-ONX-004",
               fmt::format("has an input {} and weights {}", text_of(dims), text_of(weights)));
  const std::vector<std::int64_t> sizes =
      node.list("qkv_hidden_sizes", {weights[1] / 3, weights[1] / 3, weights[1] / 3});
  node.require(
      sizes.size() == 3 && std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) == weights[1],
      "E-ONX-004", fmt::format("has weights of shape {} for three projections", text_of(weights)));
  ValueId all = to.add("MatMul", {node.id(0), node.id(1)});
  if (node.has(2)) all = to.add("Add", {all, node.id(2)});
  const std::vector<ValueId> parts = to.split(all, 2, sizes);
  const auto part = [&](std::size_t p) {
    return heads_of(to, parts[p], {dims[0], dims[1], sizes[p]}, heads);
  };
  const Heads q = part(0);
  Heads k = part(1), v = part(2);
  std::int64_t past = 0;
  if (node.has(4)) {
    const Dims of = to.dims(4);
    node.require(of.size() == 5 && of[0] == 2, "E-ONX-004",
                 fmt::format("has a past of shape {}", text_of(of)));
    const std::vector<ValueId> both = to.split(node.id(4), 0, {1, 1});
    const Dims each(of.begin() + 1, of.end());
    past = of[3];
    k = appended(to, as_heads(node, to.reshape(both[0], each), each), k);
    v = appended(to, as_heads(node, to.reshape(both[1], each), each), v);
  }
  if (node.wants(1)) {
    const auto one = [&](const Heads& x) {
      return to.reshape(x.value, {1, x.batch, x.heads, x.tokens, x.size});
    };
    to.result(1, to.concat({one(k), one(v)}, 0));
  }
  AttentionTerms terms = common_terms(node, past);
  if (node.has(5)) terms.masks.push_back(node.id(5));
  add_padding(to, 3, q, k.tokens, terms);
  finish(to, q, k, v, terms);
}

namespace {

// Operand `part` of three that one value has side by side: [batch, tokens, heads, parts, size].
std::vector<Heads> unpacked_heads(Expansion& to, ValueId value, const Dims& dims, std::int64_t parts) {
  to.node().require(dims.size() == 5 && dims[3] == parts, "E-ONX-004",
                    fmt::format("has packed operands of shape {}", text_of(dims)));
  std::vector<Heads> out;
  for (const ValueId piece :
       to.split(value, 3, std::vector<std::int64_t>(static_cast<std::size_t>(parts), 1)))
    out.push_back({to.transpose(to.reshape(piece, {dims[0], dims[1], dims[2], dims[4]}), {0, 2, 1, 3}),
                   dims[0], dims[2], dims[1], dims[4]});
  return out;
}

// Adds the piece of the bias that belongs to a projection.
Heads biased(Expansion& to, const Heads& x, ValueId piece) {
  const ValueId row = to.reshape(piece, {x.heads, 1, x.size});
  return {to.add("Add", {x.value, row}), x.batch, x.heads, x.tokens, x.size};
}

// Queries, keys and values before the bias and the past.
std::array<Heads, 3> operands_of(Expansion& to, std::int64_t heads) {
  const NodeView& node = to.node();
  const Dims query = to.dims(0);
  if (query.size() == 5) {
    const std::vector<Heads> all = unpacked_heads(to, node.id(0), query, 3);
    return {all[0], all[1], all[2]};
  }
  const Heads q = heads_of(to, node.id(0), query, heads);
  node.require(node.has(1), "E-ONX-005", "has no keys");
  const Dims key = to.dims(1);
  if (key.size() == 5) {
    const std::vector<Heads> both = unpacked_heads(to, node.id(1), key, 2);
    return {q, both[0], both[1]};
  }
  node.require(node.has(2), "E-ONX-005", "has no values");
  const Dims value = to.dims(2);
  if (key.size() == 4) return {q, as_heads(node, node.id(1), key), as_heads(node, node.id(2), value)};
  return {q, heads_of(to, node.id(1), key, heads), heads_of(to, node.id(2), value, heads)};
}

}  // namespace

void expand_multi_head_attention(Expansion& to) {
  const NodeView& node = to.node();
  refuse_inputs(node, {{8, "a past of a length that the run gives (past_sequence_length)"},
                       {9, "beams that share a cache (cache_indirection)"}});
  node.require(!node.wants(3), "E-ONX-005", "wants the scores (output 'qk'), which is not supported");
  auto [q, k, v] = operands_of(to, needed_integer(node, "num_heads"));
  if (node.has(3)) {
    const std::vector<std::int64_t> sizes{q.heads * q.size, k.heads * k.size, v.heads * v.size};
    node.require(to.dims(3) == Dims{sizes[0] + sizes[1] + sizes[2]}, "E-ONX-004",
                 fmt::format("has a bias of shape {}", text_of(to.dims(3))));
    const std::vector<ValueId> pieces = to.split(node.id(3), 0, sizes);
    q = biased(to, q, pieces[0]);
    if (to.dims(0).size() == 5 || to.dims(1).size() != 4) {  // cached keys and values have theirs
      k = biased(to, k, pieces[1]);
      v = biased(to, v, pieces[2]);
    }
  }
  std::int64_t past = 0;
  node.require(node.has(6) == node.has(7), "E-ONX-005", "has a past of keys or of values alone");
  if (node.has(6)) {
    const Heads keys = as_heads(node, node.id(6), to.dims(6));
    past = keys.tokens;
    k = appended(to, keys, k);
    v = appended(to, as_heads(node, node.id(7), to.dims(7)), v);
  }
  AttentionTerms terms = common_terms(node, past);
  if (node.has(5)) terms.masks.push_back(node.id(5));
  add_padding(to, 4, q, k.tokens, terms);
  finish(to, q, k, v, terms);
  to.result(1, k.value);
  to.result(2, v.value);
}

namespace {

ValueId tokens_between(Expansion& to, ValueId value, std::int64_t first, std::int64_t end) {
  return to.add("Slice", {value, to.integers({first}), to.integers({end}), to.integers({2})});
}

// Keys or values behind `past` tokens of a cache, and what becomes of the cache.
struct CachedHeads {
  Heads all;
  ValueId stored;
};
CachedHeads cached(Expansion& to, std::size_t input, const Heads& now, std::int64_t past) {
  const NodeView& node = to.node();
  if (!node.has(input)) return {now, now.value};
  const Heads cache = as_heads(node, node.id(input), to.dims(input));
  const std::int64_t total = past + now.tokens;
  if (past == cache.tokens) {  // a cache that grows
    const Heads all = appended(to, cache, now);
    return {all, all.value};
  }
  // A cache with room for the tokens stays as long as it is.
  Heads before{0, cache.batch, cache.heads, past, cache.size};
  if (past > 0) before.value = tokens_between(to, cache.value, 0, past);
  const Heads all = appended(to, before, now);
  if (total == cache.tokens) return {all, all.value};
  return {all, to.concat({all.value, tokens_between(to, cache.value, total, cache.tokens)}, 2)};
}

// How many tokens each sequence has in the cache before this run: the same number for all.
std::int64_t past_tokens(Expansion& to, const Heads& q) {
  const NodeView& node = to.node();
  if (!node.has(3)) return 0;
  const Dims cache = to.dims(3);
  node.require(cache.size() == 4, "E-ONX-004", fmt::format("has a past of shape {}", text_of(cache)));
  const std::int64_t total = node.integers(6).at(0), past = total - q.tokens;
  node.require(
      past >= 0 && past <= cache[2] && (past == cache[2] || total <= cache[2]), "E-ONX-004",
      fmt::format("has {} tokens in all, {} of them new, for a past of {}", total, q.tokens, cache[2]));
  if (!node.is_known(5)) {
    node.require(q.batch == 1, "E-ONX-010",
                 "has pasts of lengths that the run gives (seqlens_k); expected a batch of 1, or the file of "
                 "an input");
    return past;
  }
  for (const std::int64_t last : node.integers(5))
    node.require(
        last + 1 == total, "E-ONX-010",
        fmt::format("has sequences of {} and of {} tokens; expected the same length", last + 1, total));
  return past;
}

// Rotation by the tables of inputs 7 and 8.
Rotation group_rotation(Expansion& to, const Heads& q, std::int64_t past) {
  const NodeView& node = to.node();
  node.require(node.has(7) && node.has(8), "E-ONX-005", "rotates queries and keys, but has no tables");
  const Dims table = to.dims(7);
  node.require(table.size() == 2 && table == to.dims(8), "E-ONX-004",
               fmt::format("has tables of shapes {} and {}", text_of(table), text_of(to.dims(8))));
  Rotation rotation{node.id(7),
                    node.id(8),
                    {1, q.tokens, 1, table[1]},
                    2 * table[1],
                    node.integer("rotary_interleaved", 0) != 0};
  ValueId places = 0;
  if (node.has(9)) {
    places = node.id(9);
    rotation.angles[0] = q.batch;
  } else {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(q.tokens));
    std::iota(numbers.begin(), numbers.end(), past);
    places = to.integers(numbers);
  }
  for (ValueId* of : {&rotation.cosines, &rotation.sines})
    *of = to.reshape(to.add("Gather", {*of, places}, {{"axis", attribute_of(std::int64_t{0})}}),
                     rotation.angles);
  return rotation;
}

// With heads behind the tokens.
std::array<Heads, 3> group_operands(Expansion& to) {
  const NodeView& node = to.node();
  const std::int64_t heads = needed_integer(node, "num_heads"), groups = needed_integer(node, "kv_num_heads");
  std::array<ValueId, 3> parts{node.id(0)};
  std::array<Dims, 3> dims{to.dims(0)};
  if (node.has(1) && node.has(2)) {
    for (const std::size_t i : {1U, 2U}) {
      parts[i] = node.id(i);
      dims[i] = to.dims(i);
    }
  } else {
    const std::int64_t all = heads + 2 * groups;
    const Dims query = dims[0];
    node.require(query.size() == 3 && query[2] % all == 0, "E-ONX-004",
                 fmt::format("has packed operands of shape {} for {} heads", text_of(query), all));
    const std::int64_t size = query[2] / all;
    const std::vector<ValueId> pieces = to.split(node.id(0), 2, {heads * size, groups * size, groups * size});
    for (const std::size_t i : {0U, 1U, 2U}) {
      parts[i] = pieces[i];
      dims[i] = {query[0], query[1], (i == 0 ? heads : groups) * size};
    }
  }
  return {heads_behind_tokens(to, parts[0], dims[0], heads),
          heads_behind_tokens(to, parts[1], dims[1], groups),
          heads_behind_tokens(to, parts[2], dims[2], groups)};
}

void refuse_group_options(const NodeView& node) {
  refuse_inputs(node,
                {{11, "sinks of heads (head_sink)"}, {12, "a quantised cache"}, {13, "a quantised cache"}});
  node.require(node.integer("smooth_softmax", -1) <= 0, "E-ONX-005",
               "smooths its softmax, which is not supported");
  node.require(node.integer("sliding_window_cache", 0) == 0, "E-ONX-005",
               "has a cache that slides, which is not supported");
  node.require(!node.wants(3), "E-ONX-005", "wants the scores (output 'output_qk'), which is not supported");
}

}  // namespace

// Without a past, sequences of other lengths (seqlens_k) begin at the first token: the causal mask hides what
// is behind them, and outputs there are not used.
void expand_group_query_attention(Expansion& to) {
  const NodeView& node = to.node();
  refuse_group_options(node);
  const bool causal = node.integer("causal", 1) != 0;
  auto [q, k, v] = group_operands(to);
  if (node.has(14) && node.has(15)) {
    const double epsilon = node.number("qk_norm_epsilon", 1e-6);
    const ElementType element = node.type(0).element;
    q.value = rms_norm(to, q.value, node.id(14), epsilon, element);
    k.value = rms_norm(to, k.value, node.id(15), epsilon, element);
  }
  const std::int64_t past = past_tokens(to, q);
  if (node.integer("do_rotary", 0) != 0) {
    const Rotation rotation = group_rotation(to, q, past);
    q.value = rotated(to, q.value, {q.batch, q.tokens, q.heads, q.size}, rotation);
    k.value = rotated(to, k.value, {k.batch, k.tokens, k.heads, k.size}, rotation);
  }
  q = heads_before_tokens(to, q);
  const CachedHeads keys = cached(to, 3, heads_before_tokens(to, k), past),
                    values = cached(to, 4, heads_before_tokens(to, v), past);
  AttentionTerms terms;
  terms.scale = node.number("scale", 0);
  terms.softcap = node.number("softcap", 0);
  terms.causal = causal;
  terms.window = node.integer("local_window_size", -1);
  terms.first = past;
  if (node.has(10)) terms.masks.push_back(node.id(10));
  if (!causal && !node.has(3)) {
    const ValueId lengths = to.add("Add", {node.id(5), to.number(1, ElementType::kInt32)});
    const PaddingMask mask{lengths, to.dims(5), q.batch, q.tokens, keys.all.tokens, -1e9};
    terms.masks.push_back(padding_mask(to, mask, node.type(0).element));
  }
  finish(to, q, keys.all, values.all, terms);
  to.result(1, keys.stored);
  to.result(2, values.stored);
}

}  // namespace tahoma::workloads::graph
