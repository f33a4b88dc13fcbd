// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "frontend/graph/expand/fused_parts.h"

namespace tahoma::workloads::graph {

ValueId rms_norm(Expansion& to, ValueId x, ValueId gain, double epsilon, ElementType element) {
  const ValueId squares = to.add("Mul", {x, x});
  const ValueId mean = to.reduce("ReduceMean", squares, {-1});
  const ValueId root = to.add("Sqrt", {to.add("Add", {mean, to.number(epsilon, element)})});
  return to.add("Mul", {to.add("Div", {x, root}), gain});
}

namespace {

// Gelu in the default domain, exact or by tanh.
ValueId gelu_of(Expansion& to, ValueId x, const char* approximate = "none") {
  return to.add("Gelu", {x}, {{"approximate", attribute_of(std::string(approximate))}});
}

ValueId layer_norm(Expansion& to, ValueId x, ValueId gain, std::optional<ValueId> bias, double epsilon) {
  std::vector<ValueId> operands{x, gain};
  if (bias) operands.push_back(*bias);
  return to.add("LayerNormalization", operands,
                {{"axis", attribute_of(std::int64_t{-1})}, {"epsilon", attribute_of(epsilon)}});
}

std::optional<ValueId> optional_input(const NodeView& node, std::size_t input) {
  return node.has(input) ? std::optional(node.id(input)) : std::nullopt;
}

void refuse_statistics(const NodeView& node) {
  for (const std::size_t output : {1U, 2U})
    node.require(!node.wants(output), "E-ONX-005",
                 fmt::format("has output {}, which only training needs; it is not supported", output));
}

ValueId rows_of_table(Expansion& to, ValueId table, ValueId numbers) {
  return to.add("Gather", {table, numbers}, {{"axis", attribute_of(std::int64_t{0})}});
}

}  // namespace

void expand_fused_activation(Expansion& to) {
  const NodeView& node = to.node();
  const std::string& op = node.node().op;
  const ElementType element = node.type(0).element;
  const Dims dims = to.dims(0);
  ValueId x = node.id(0);
  for (std::size_t i = 1; i < node.inputs(); ++i)
    if (node.has(i)) x = to.add("Add", {x, node.id(i)});
  if (op == "BiasAdd") return to.result(0, x);
  if (op == "QuickGelu") {
    const ValueId scaled = to.add("Mul", {x, to.number(node.number("alpha", 1.702), element)});
    return to.result(0, to.add("Mul", {x, to.add("Sigmoid", {scaled})}));
  }
  if (op == "BiasSplitGelu") {
    node.require(!dims.empty() && dims.back() % 2 == 0, "E-ONX-004",
                 fmt::format("halves an input of shape {}", text_of(dims)));
    const std::vector<ValueId> halves = to.split(x, -1, {dims.back() / 2, dims.back() / 2});
    return to.result(0, to.add("Mul", {halves[0], gelu_of(to, halves[1])}));
  }
  to.result(0, gelu_of(to, x, op == "FastGelu" ? "tanh" : "none"));
}

// The mean square is over all dimensions from `axis` on, which become one.
void expand_rms_norm(Expansion& to) {
  const NodeView& node = to.node();
  const Dims dims = to.dims(0), gain = to.dims(1);
  const std::size_t axis = node.axis(node.integer("axis", -1), node.rank(0));
  const ElementType element = node.type(0).element;
  const double epsilon = node.number("epsilon", 1e-5);
  node.require(!node.wants(1), "E-ONX-005", "wants the inverse deviation, which is not supported");
  if (axis + 1 == dims.size()) return to.result(0, rms_norm(to, node.id(0), node.id(1), epsilon, element));
  Dims rows(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(axis));
  const Dims row(dims.begin() + static_cast<std::ptrdiff_t>(axis), dims.end());
  const auto columns = static_cast<std::int64_t>(elements_of(row));
  rows.push_back(columns);
  ValueId factors = node.id(1);
  if (gain != row) factors = to.add("Expand", {factors, to.integers(row)});
  const ValueId out =
      rms_norm(to, to.reshape(node.id(0), rows), to.reshape(factors, {columns}), epsilon, element);
  to.result(0, to.reshape(out, dims));
}

void expand_skip_norm(Expansion& to) {
  const NodeView& node = to.node();
  const bool centred = node.node().op == "SkipLayerNormalization";
  const std::optional<ValueId> bias = optional_input(node, centred ? 4 : 3);
  const ElementType element = node.type(0).element;
  const double epsilon = node.number("epsilon", 1e-12);
  refuse_statistics(node);
  ValueId sum = to.add("Add", {node.id(0), node.id(1)});
  if (bias) sum = to.add("Add", {sum, *bias});
  const ValueId out = centred ? layer_norm(to, sum, node.id(2), optional_input(node, 3), epsilon)
                              : rms_norm(to, sum, node.id(2), epsilon, element);
  to.result(0, out);
  to.result(3, sum);
}

void expand_embed_norm(Expansion& to) {
  const NodeView& node = to.node();
  const Dims ids = to.dims(0);
  node.require(ids.size() == 2, "E-ONX-004", fmt::format("has identifiers of shape {}", text_of(ids)));
  ValueId sum = rows_of_table(to, node.id(2), node.id(0));
  std::vector<std::int64_t> places(static_cast<std::size_t>(ids[1]));
  std::iota(places.begin(), places.end(), 0);
  sum = to.add("Add", {sum, rows_of_table(to, node.id(3), node.has(8) ? node.id(8) : to.integers(places))});
  if (node.has(1)) sum = to.add("Add", {sum, rows_of_table(to, node.id(4), node.id(1))});
  to.result(0, layer_norm(to, sum, node.id(5), optional_input(node, 6), node.number("epsilon", 1e-12)));
  to.result(2, sum);
  if (!node.wants(1)) return;
  if (!node.has(7))
    return to.result(1, to.constant(ElementType::kInt32, {ids[0]},
                                    std::vector<double>(static_cast<std::size_t>(ids[0]), 0)));
  const ValueId counts = to.reduce("ReduceSum", to.cast(node.id(7), ElementType::kFloat), {1}, false);
  to.result(1, to.cast(counts, ElementType::kInt32));
}

}  // namespace tahoma::workloads::graph
