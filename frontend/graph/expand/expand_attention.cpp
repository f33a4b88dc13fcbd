// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include "frontend/graph/expand/fused_parts.h"

namespace tahoma::workloads::graph {

namespace {

// Shorter masks hide the keys behind them.
ValueId padded_mask(Expansion& to, ValueId mask, Dims dims, std::int64_t keys) {
  const ElementType element = to.node().type(3).element;
  const bool broadcasts = !dims.empty() && dims.back() == 1;  // from opset 24 on it might also be padded
  to.node().require(
      !dims.empty() && dims.back() <= keys && (!broadcasts || keys == 1 || to.node().opset() < 24),
      "E-ONX-004", fmt::format("has a mask of shape {} for {} keys", text_of(dims), keys));
  if (dims.back() == keys || broadcasts) return mask;
  dims.back() = keys - dims.back();
  const double hidden = is_floating(element) ? -std::numeric_limits<double>::infinity() : 0;
  return to.concat({mask, to.constant(element, dims, std::vector<double>(elements_of(dims), hidden))}, -1);
}

Heads operand(Expansion& to, std::size_t input, const char* attribute) {
  const NodeView& node = to.node();
  const Dims dims = to.dims(input);
  if (dims.size() == 4) return as_heads(node, node.id(input), dims);
  node.require(node.has_attribute(attribute), "E-ONX-005", fmt::format("has no attribute '{}'", attribute));
  return heads_of(to, node.id(input), dims, node.integer(attribute, 0));
}

}  // namespace

void expand_attention(Expansion& to) {
  const NodeView& node = to.node();
  node.require(!node.has(6), "E-ONX-005", "has lengths of keys (nonpad_kv_seqlen), which are not supported");
  node.require(node.has(4) == node.has(5), "E-ONX-005", "has a past of keys or of values alone");
  const bool flat = to.dims(0).size() == 3;
  const Heads q = operand(to, 0, "q_num_heads");
  Heads k = operand(to, 1, "kv_num_heads"), v = operand(to, 2, "kv_num_heads");
  AttentionTerms terms;
  terms.scale = node.number("scale", 0);
  terms.softcap = node.number("softcap", 0);
  terms.causal = node.integer("is_causal", 0) != 0;
  if (node.has(4)) {
    const Heads past = as_heads(node, node.id(4), to.dims(4));
    terms.first = past.tokens;
    k = appended(to, past, k);
    v = appended(to, as_heads(node, node.id(5), to.dims(5)), v);
  }
  if (const std::int64_t type = node.integer("softmax_precision", 0); type != 0) {
    const ElementRow* row = element_row(static_cast<std::int32_t>(type));
    node.require(row != nullptr && row->floating, "E-ONX-009",
                 fmt::format("computes a softmax with element type {}, which is not supported", type));
    terms.softmax = row->type;
  }
  if (node.has(3)) {
    const ElementType element = node.type(3).element;
    const ValueId mask = padded_mask(to, node.id(3), to.dims(3), k.tokens);
    if (element == ElementType::kBool)
      terms.shown = mask;
    else
      terms.masks.push_back(is_floating(element) ? mask : to.cast(mask, node.type(0).element));
  }
  const AttentionValues values = attention(to, q, k, v, terms);
  const std::int64_t mode = node.integer("qk_matmul_output_mode", 0);
  node.require(mode >= 0 && mode <= 3, "E-ONX-005", fmt::format("has qk_matmul_output_mode {}", mode));
  const ValueId scores[] = {values.products, values.capped, values.masked, values.weights};
  to.result(0, flat ? merged_heads(to, values.out, {0, q.batch, q.heads, q.tokens, v.size}) : values.out);
  to.result(1, k.value);
  to.result(2, v.value);
  to.result(3, scores[mode]);
}

}  // namespace tahoma::workloads::graph
