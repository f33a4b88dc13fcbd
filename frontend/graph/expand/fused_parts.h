// SPDX-License-Identifier: Apache-2.0
// Parts of operators that optimisers fuse: heads, masks, attention, rotation by positions, norms. They are
// written as exporters write them, so that frontend/graph/fuse/ maps them to one kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/graph/expand/expansion.h"

namespace tahoma::workloads::graph {

// x / sqrt(mean(x^2) + epsilon) * gain along the last dimension.
ValueId rms_norm(Expansion& to, ValueId x, ValueId gain, double epsilon, ElementType element);

// Matrices [tokens, size] of all heads, in a value [batch, heads, tokens, size].
struct Heads {
  ValueId value = 0;
  std::int64_t batch = 0, heads = 0, tokens = 0, size = 0;
};
// From [batch, tokens, heads * size]; E-ONX-004 if the heads do not divide it.
Heads heads_of(Expansion& to, ValueId value, const Dims& dims, std::int64_t heads);
// The same in two steps; between them the value is [batch, tokens, heads, size].
Heads heads_behind_tokens(Expansion& to, ValueId value, const Dims& dims, std::int64_t heads);
Heads heads_before_tokens(Expansion& to, const Heads& x);
// A value that already has four dimensions.
Heads as_heads(const NodeView& node, ValueId value, const Dims& dims);
ValueId merged_heads(Expansion& to, ValueId value, const Heads& like);  // [batch, tokens, heads * size]
// The tokens of `past`, then these. E-ONX-004 if they do not fit.
Heads appended(Expansion& to, const Heads& past, const Heads& now);

struct AttentionTerms {
  double scale = 0, softcap = 0;  // 0: 1 / sqrt(size); none
  bool causal = false;            // query i sees the keys up to first + i,
  std::int64_t window = -1;       // of these the last `window`; -1: all
  std::int64_t first = 0;         // the place of query 0 among the keys
  std::vector<ValueId> masks;     // added to scores [batch, heads, queries, keys]
  std::optional<ValueId> shown;   // bool: other scores do not count; a query without any has the result 0
  std::optional<ElementType> softmax;  // its type, if another one
};
// Values on the way: products, capped, with masks, weights; then the result [batch, heads, queries, size].
struct AttentionValues {
  ValueId products = 0, capped = 0, masked = 0, weights = 0, out = 0;
};
// Several heads of q may share one of k and v.
AttentionValues attention(Expansion& to, const Heads& q, Heads k, Heads v, AttentionTerms terms);

// Masks [batch, 1, queries or 1, keys] that are added: 0, or `hidden` where a key is padding.
struct PaddingMask {
  ValueId value = 0;  // of int32: 0 for padding; or lengths [batch]; or ends and begins [2 * batch]
  Dims dims;
  std::int64_t batch = 0, queries = 0, keys = 0;
  double hidden = -10000;
};
ValueId padding_mask(Expansion& to, const PaddingMask& mask, ElementType element);

// Pairs of the last dimension, whose first `rotated` elements (0: all) are rotated by angles. `cosines` and
// `sines` have rotated / 2 elements for each token, and are broadcast to `dims`.
struct Rotation {
  ValueId cosines = 0, sines = 0;
  Dims angles;  // dimensions of both
  std::int64_t rotated = 0;
  bool interleaved = false;  // pairs are neighbours; else halves
};
ValueId rotated(Expansion& to, ValueId x, const Dims& dims, const Rotation& rotation);

}  // namespace tahoma::workloads::graph
