// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "frontend/graph/expand/fused_parts.h"

namespace tahoma::workloads::graph {

namespace {

constexpr std::size_t kMostAddends = 2;                       // the attention kernel adds two masks
constexpr double kHiddenScore = -1e30, kHiddenHalf = -65504;  // finite; of fp16
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Heads of keys or values, each repeated for `times` heads of queries.
Heads repeated(Expansion& to, const Heads& x, std::int64_t times) {
  if (times == 1) return x;
  const ValueId wide = to.add("Expand", {to.reshape(x.value, {x.batch, x.heads, 1, x.tokens, x.size}),
                                         to.integers({x.batch, x.heads, times, x.tokens, x.size})});
  return {to.reshape(wide, {x.batch, x.heads * times, x.tokens, x.size}), x.batch, x.heads * times, x.tokens,
          x.size};
}

// Which keys a query sees by its place alone.
struct Sight {
  std::int64_t queries, keys, first, window;
  bool causal;
  bool hides_any() const {
    return (causal && first < keys - 1) || (window >= 0 && first + queries - 1 - window >= 0);
  }
  bool hides(std::int64_t query, std::int64_t key) const {
    const std::int64_t at = first + query;
    return (causal && key > at) || (window >= 0 && key <= at - window);
  }
};

// For all queries and keys, one number for hidden ones and another for the others.
ValueId sight_mask(Expansion& to, const Sight& sight, ElementType element, double seen, double hidden) {
  return to.constant({element, {sight.queries, sight.keys}}, [=] {
    Array mask{{element, {sight.queries, sight.keys}}, {}};
    mask.values.reserve(static_cast<std::size_t>(sight.queries * sight.keys));
    for (std::int64_t q = 0; q < sight.queries; ++q)
      for (std::int64_t k = 0; k < sight.keys; ++k) mask.values.push_back(sight.hides(q, k) ? hidden : seen);
    return mask;
  });
}

// Whether a query may see no key: it depends on the run, or a constant mask has such a row.
bool may_be_blind(const Expansion& to, ValueId shown, const Sight& sight) {
  if (!to.is_constant(shown)) return true;
  const Array mask = to.values(shown);
  const std::size_t rank = mask.type.dims.size();
  const std::int64_t columns = std::max<std::int64_t>(1, rank == 0 ? 1 : mask.type.dims[rank - 1]),
                     rows = rank < 2 ? 1 : mask.type.dims[rank - 2],
                     lines = static_cast<std::int64_t>(mask.values.size()) / columns;
  const auto sees = [&](std::int64_t line, std::int64_t query) {
    for (std::int64_t k = 0; k < sight.keys; ++k)
      if (mask.values[static_cast<std::size_t>(line * columns + (columns == 1 ? 0 : k))] != 0 &&
          !sight.hides(query, k))
        return true;
    return false;
  };
  for (std::int64_t line = 0; line < lines; ++line) {
    const std::int64_t first = rows == 1 ? 0 : line % rows, end = rows == 1 ? sight.queries : first + 1;
    for (std::int64_t query = first; query < end; ++query)
      if (!sees(line, query)) return true;
  }
  return false;
}

// The value, and 0 for queries that see no key.
ValueId zero_if_blind(Expansion& to, ValueId value, ValueId seen) {
  const ValueId some = to.reduce("ReduceMax", to.cast(seen, ElementType::kFloat), {-1});
  return to.add("Where", {to.cast(some, ElementType::kBool), value, to.number(0, to.node().type(0).element)});
}

}  // namespace

Heads as_heads(const NodeView& node, ValueId value, const Dims& dims) {
  node.require(dims.size() == 4, "E-ONX-004",
               fmt::format("has an operand of shape {}; expected four dimensions", text_of(dims)));
  return {value, dims[0], dims[1], dims[2], dims[3]};
}

Heads heads_behind_tokens(Expansion& to, ValueId value, const Dims& dims, std::int64_t heads) {
  to.node().require(dims.size() == 3 && heads > 0 && dims[2] % heads == 0, "E-ONX-004",
                    fmt::format("has {} heads for an operand of shape {}", heads, text_of(dims)));
  const std::int64_t size = dims[2] / heads;
  return {to.reshape(value, {dims[0], dims[1], heads, size}), dims[0], heads, dims[1], size};
}

Heads heads_before_tokens(Expansion& to, const Heads& x) {
  return {to.transpose(x.value, {0, 2, 1, 3}), x.batch, x.heads, x.tokens, x.size};
}

Heads heads_of(Expansion& to, ValueId value, const Dims& dims, std::int64_t heads) {
  return heads_before_tokens(to, heads_behind_tokens(to, value, dims, heads));
}

ValueId merged_heads(Expansion& to, ValueId value, const Heads& like) {
  return to.reshape(to.transpose(value, {0, 2, 1, 3}), {like.batch, like.tokens, like.heads * like.size});
}

Heads appended(Expansion& to, const Heads& past, const Heads& now) {
  to.node().require(
      past.batch == now.batch && past.heads == now.heads && past.size == now.size, "E-ONX-004",
      fmt::format("has a past of {} for {}", text_of(Dims{past.batch, past.heads, past.tokens, past.size}),
                  text_of(Dims{now.batch, now.heads, now.tokens, now.size})));
  if (past.tokens == 0) return now;
  return {to.concat({past.value, now.value}, 2), now.batch, now.heads, past.tokens + now.tokens, now.size};
}

AttentionValues attention(Expansion& to, const Heads& q, Heads k, Heads v, AttentionTerms terms) {
  const NodeView& node = to.node();
  node.require(
      q.batch == k.batch && k.batch == v.batch && k.heads == v.heads && k.tokens == v.tokens &&
          q.size == k.size && k.heads > 0 && q.heads % k.heads == 0,
      "E-ONX-004",
      fmt::format("has queries {}, keys {} and values {}", text_of(Dims{q.batch, q.heads, q.tokens, q.size}),
                  text_of(Dims{k.batch, k.heads, k.tokens, k.size}),
                  text_of(Dims{v.batch, v.heads, v.tokens, v.size})));
  const ElementType element = node.type(0).element;
  k = repeated(to, k, q.heads / k.heads);
  v = repeated(to, v, q.heads / v.heads);
  AttentionValues out;
  const double scale = terms.scale != 0 ? terms.scale : 1 / std::sqrt(static_cast<double>(q.size));
  out.products = to.add("MatMul", {q.value, to.transpose(k.value, {0, 1, 3, 2})});
  if (scale != 1) out.products = to.add("Mul", {out.products, to.number(scale, element)});
  out.capped = out.products;
  if (terms.softcap != 0) {
    const ValueId cap = to.number(terms.softcap, element);
    out.capped = to.add("Mul", {to.add("Tanh", {to.add("Div", {out.capped, cap})}), cap});
  }
  const Sight sight{q.tokens, k.tokens, terms.first, terms.window, terms.causal};
  const bool blind = terms.shown && may_be_blind(to, *terms.shown, sight);
  if (blind && sight.hides_any())  // one mask, so that all keys of a query without any are alike
    terms.shown = to.add("And", {*terms.shown, sight_mask(to, sight, ElementType::kBool, 1, 0)});
  else if (sight.hides_any())
    terms.masks.push_back(sight_mask(to, sight, element, 0, -kInfinity));
  const std::size_t others = terms.shown ? 1 : 0;
  while (terms.masks.size() + others > kMostAddends && terms.masks.size() > 1) {
    const ValueId sum = to.add("Add", {terms.masks[0], terms.masks[1]});
    terms.masks.erase(terms.masks.begin());
    terms.masks.front() = sum;
  }
  out.masked = out.capped;
  // As an output, hidden scores are -inf. Otherwise a query without keys has finite ones; its result is 0.
  const bool shows_scores = node.wants(3) && node.integer("qk_matmul_output_mode", 0) == 2;
  const double hidden = shows_scores                       ? -kInfinity
                        : element == ElementType::kFloat16 ? kHiddenHalf
                                                           : kHiddenScore;
  if (terms.shown) out.masked = to.add("Where", {*terms.shown, out.masked, to.number(hidden, element)});
  for (const ValueId mask : terms.masks) out.masked = to.add("Add", {out.masked, mask});
  const bool casts = terms.softmax && *terms.softmax != element;
  out.weights = to.add("Softmax", {casts ? to.cast(out.masked, *terms.softmax) : out.masked},
                       {{"axis", attribute_of(std::int64_t{-1})}});
  if (casts) out.weights = to.cast(out.weights, element);
  if (blind && node.wants(3)) out.weights = zero_if_blind(to, out.weights, *terms.shown);
  out.out = to.add("MatMul", {out.weights, v.value});
  if (blind && !node.wants(3)) out.out = zero_if_blind(to, out.out, *terms.shown);
  return out;
}

ValueId padding_mask(Expansion& to, const PaddingMask& mask, ElementType element) {
  const auto [value, dims, batch, queries, keys, hidden] = mask;
  const Dims of_keys{batch, 1, 1, keys};
  ValueId shown = 0;
  if (dims == Dims{batch} || dims == Dims{2 * batch}) {
    std::vector<double> numbers(static_cast<std::size_t>(keys));
    std::iota(numbers.begin(), numbers.end(), 0);
    const ValueId places = to.constant(ElementType::kInt32, {1, 1, 1, keys}, numbers);
    const Dims column{batch, 1, 1, 1};
    std::vector<ValueId> limits{value};
    if (dims[0] != batch) limits = to.split(value, 0, {batch, batch});  // ends, then begins
    shown = to.add("Less", {places, to.reshape(limits[0], column)});
    if (limits.size() > 1)
      shown = to.add("And", {shown, to.add("GreaterOrEqual", {places, to.reshape(limits[1], column)})});
  } else {
    const bool by_query = dims == Dims{batch, queries, keys};
    to.node().require(by_query || dims == Dims{batch, keys}, "E-ONX-010",
                      fmt::format("has a mask of shape {}; supported are {}, {}, {} and {}", text_of(dims),
                                  text_of(Dims{batch, keys}), text_of(Dims{batch, queries, keys}),
                                  text_of(Dims{batch}), text_of(Dims{2 * batch})));
    const ValueId shaped = to.reshape(value, by_query ? Dims{batch, 1, queries, keys} : of_keys);
    shown = to.add("Greater", {shaped, to.number(0, ElementType::kInt32)});
  }
  return to.add("Where", {shown, to.number(0, element), to.number(hidden, element)});
}

ValueId rotated(Expansion& to, ValueId x, const Dims& dims, const Rotation& r) {
  const std::int64_t size = dims.back(), part = r.rotated == 0 ? size : r.rotated, half = part / 2;
  to.node().require(part % 2 == 0 && part <= size && r.angles.back() == half, "E-ONX-004",
                    fmt::format("rotates {} of {} elements by tables of {}", part, size, r.angles.back()));
  std::vector<ValueId> pieces{x};
  if (part < size) pieces = to.split(x, -1, {part, size - part});
  Dims pairs = dims, angles = r.angles;
  pairs.back() = part;
  const ValueId minus = to.add("Neg", {r.sines});
  ValueId other = 0, cosines = 0, sines = 0;  // the other element of each pair; factors of both
  if (r.interleaved) {
    Dims apart = pairs;
    apart.back() = half;
    apart.push_back(2);
    angles.push_back(1);
    const auto both = [&](ValueId first, ValueId second) {
      Dims all = r.angles;
      all.back() = part;
      return to.reshape(to.concat({to.reshape(first, angles), to.reshape(second, angles)}, -1), all);
    };
    const std::vector<ValueId> of = to.split(to.reshape(pieces[0], apart), -1, {1, 1});
    other = to.reshape(to.concat({of[1], of[0]}, -1), pairs);
    cosines = both(r.cosines, r.cosines);
    sines = both(minus, r.sines);
  } else {
    const std::vector<ValueId> of = to.split(pieces[0], -1, {half, half});
    other = to.concat({of[1], of[0]}, -1);
    cosines = to.concat({r.cosines, r.cosines}, -1);
    sines = to.concat({minus, r.sines}, -1);
  }
  pieces[0] = to.add("Add", {to.add("Mul", {pieces[0], cosines}), to.add("Mul", {other, sines})});
  return to.concat(pieces, -1);
}

}  // namespace tahoma::workloads::graph
