// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "frontend/graph/expand/expansion.h"

namespace tahoma::workloads::graph {

void expand_group_norm(Expansion& to) {
  const NodeView& node = to.node();
  const Dims dims = to.dims(0), gain = to.dims(1);
  const std::int64_t groups = node.integer("num_groups", 1);
  node.require(dims.size() >= 2 && groups >= 1 && dims[1] % groups == 0, "E-ONX-004",
               fmt::format("has {} groups for {}", groups, text_of(dims)));
  const ElementType element = node.type(0).element;
  const auto filled = [&](double value) {
    return to.constant(element, {groups}, std::vector<double>(static_cast<std::size_t>(groups), value));
  };
  const std::int64_t rest = static_cast<std::int64_t>(elements_of(dims)) / dims[0] / groups;
  const ValueId normal =
      to.add("InstanceNormalization", {to.reshape(node.id(0), {dims[0], groups, rest}), filled(1), filled(0)},
             {{"epsilon", attribute_of(node.number("epsilon", 1e-5))}});
  // One gain and bias for each channel; for each group up to opset 20.
  const bool of_groups = node.opset() < 21;
  node.require(gain == Dims{of_groups ? groups : dims[1]}, "E-ONX-004",
               fmt::format("has gains of shape {}", text_of(gain)));
  Dims shape = of_groups ? Dims{dims[0], groups, rest} : dims, column(shape.size(), 1);
  column[1] = shape[1];
  const ValueId scaled = to.add("Mul", {to.reshape(normal, shape), to.reshape(node.id(1), column)});
  to.result(0, to.reshape(to.add("Add", {scaled, to.reshape(node.id(2), column)}), dims));
}

void expand_lp_norm(Expansion& to) {
  const NodeView& node = to.node();
  const auto axis = static_cast<std::int64_t>(node.axis(node.integer("axis", -1), node.rank(0)));
  const std::int64_t p = node.integer("p", 2);
  node.require(p == 1 || p == 2, "E-ONX-005", fmt::format("has the norm p = {}", p));
  to.result(0, to.add("Div", {node.id(0), to.reduce(p == 1 ? "ReduceL1" : "ReduceL2", node.id(0), {axis})}));
}

void expand_mean_variance(Expansion& to) {
  const NodeView& node = to.node();
  const std::vector<std::int64_t> axes = node.list("axes", {0, 2, 3});
  const ValueId centred = to.add("Sub", {node.id(0), to.reduce("ReduceMean", node.id(0), axes)});
  const ValueId variance = to.reduce("ReduceMean", to.add("Mul", {centred, centred}), axes);
  to.result(0, to.add("Div", {centred, to.add("Add", {to.add("Sqrt", {variance}), to.number(1e-9)})}));
}

// The sum over neighbouring channels is a product with a band of ones.
void expand_local_response(Expansion& to) {
  const NodeView& node = to.node();
  const Dims dims = to.dims(0);
  const std::int64_t size = node.integer("size", 1);
  node.require(dims.size() == 4 && size >= 1, "E-ONX-010",
               fmt::format("has an input of shape {}", text_of(dims)));
  const std::int64_t channels = dims[1], before = (size - 1) / 2, after = size / 2;
  std::vector<double> band;
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::int64_t other = 0; other < channels; ++other)
      band.push_back(other >= c - before && other <= c + after ? 1 : 0);
  const ElementType element = node.type(0).element;
  const ValueId squares = to.add("Mul", {node.id(0), node.id(0)});
  const ValueId sums = to.add("Conv", {squares, to.constant(element, {channels, channels, 1, 1}, band)});
  const double alpha = node.number("alpha", 1e-4) / static_cast<double>(size);
  const ValueId base = to.add(
      "Add", {to.add("Mul", {sums, to.number(alpha, element)}), to.number(node.number("bias", 1), element)});
  to.result(
      0, to.add("Div", {node.id(0), to.add("Pow", {base, to.number(node.number("beta", 0.75), element)})}));
}

}  // namespace tahoma::workloads::graph
