// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "frontend/graph/expand/expansion.h"

namespace tahoma::workloads::graph {

namespace {

constexpr auto kInput = ElementType::kFloat;

// A scale or a zero point with the dimensions that it is broadcast with: one number, or one for each index of
// an axis.
ValueId along(Expansion& to, ValueId value, const Dims& dims, std::int64_t axis, const Dims& rank_of) {
  if (elements_of(dims) == 1) return to.reshape(value, {});
  const std::size_t d = to.node().axis(axis, static_cast<std::int64_t>(rank_of.size()));
  to.node().require(dims == Dims{rank_of[d]}, "E-ONX-004",
                    fmt::format("has scales of shape {} for {}", text_of(dims), text_of(rank_of)));
  Dims shape(rank_of.size(), 1);
  shape[d] = rank_of[d];
  return to.reshape(value, shape);
}

std::pair<double, double> limits_of(const NodeView& node, ElementType type) {
  node.require(type == ElementType::kUint8 || type == ElementType::kInt8 || type == ElementType::kUint16 ||
                   type == ElementType::kInt16,
               "E-ONX-010", fmt::format("quantises to {}; supported are 8 and 16 bits", name_of(type)));
  const double bits = 8.0 * element_row(type).bytes;
  const bool is_signed = type == ElementType::kInt8 || type == ElementType::kInt16;
  const double low = is_signed ? -std::exp2(bits - 1) : 0;
  return {low, low + std::exp2(bits) - 1};
}

// Operand i of the node, scale i + 1, zero point i + 2 as fp32. Without an axis these are numbers.
ValueId dequantised(Expansion& to, std::size_t value, std::size_t scale, std::size_t zero,
                    std::int64_t axis) {
  const NodeView& node = to.node();
  const Dims dims = to.dims(value);
  ValueId x = to.cast(node.id(value), kInput);
  if (node.has(zero)) {
    const Dims shape = to.dims(zero);
    x = to.add("Sub", {x, along(to, to.cast(node.id(zero), kInput), shape, axis, dims)});
  }
  if (!node.has(scale)) return x;
  const Dims shape = to.dims(scale);
  return to.add("Mul", {x, along(to, to.cast(node.id(scale), kInput), shape, axis, dims)});
}

// The zero point is the operand behind the scale.
ValueId quantised(Expansion& to, ValueId x, const Dims& dims, std::size_t scale, ElementType type,
                  std::int64_t axis) {
  const NodeView& node = to.node();
  const std::size_t zero = scale + 1;
  const auto [low, high] = limits_of(node, type);
  const Dims shape = to.dims(scale);
  ValueId q =
      to.add("Round", {to.add("Div", {x, along(to, to.cast(node.id(scale), kInput), shape, axis, dims)})});
  if (node.has(zero)) {
    const Dims points = to.dims(zero);
    q = to.add("Add", {q, along(to, to.cast(node.id(zero), kInput), points, axis, dims)});
  }
  return to.cast(to.add("Clip", {q, to.number(low), to.number(high)}), type);
}

}  // namespace

void expand_quantize(Expansion& to) {
  const NodeView& node = to.node();
  node.require(node.integer("block_size", 0) == 0, "E-ONX-005",
               "quantises by blocks, which is not supported");
  ElementType type = ElementType::kUint8;
  const std::int64_t given = node.integer("output_dtype", 0);
  if (node.has(2)) type = node.type(2).element;
  if (given != 0) {
    node.require(element_row(static_cast<std::int32_t>(given)) != nullptr, "E-ONX-009",
                 fmt::format("quantises to element type {}, which is not supported", given));
    type = static_cast<ElementType>(given);
  }
  const ValueId x = to.cast(node.id(0), kInput);
  to.result(0, quantised(to, x, to.dims(0), 1, type, node.integer("axis", 1)));
}

// The scale and zero point of uint8 that cover 0 and all elements.
void expand_dynamic_quantize(Expansion& to) {
  const NodeView& node = to.node();
  std::vector<std::int64_t> axes(to.dims(0).size());
  std::iota(axes.begin(), axes.end(), 0);
  const ValueId x = node.id(0), zero = to.number(0), most = to.number(255);
  const ValueId high = to.add("Max", {to.reduce("ReduceMax", x, axes, false), zero}),
                low = to.add("Min", {to.reduce("ReduceMin", x, axes, false), zero});
  const ValueId scale = to.add("Div", {to.add("Sub", {high, low}), most});
  const auto held = [&](ValueId value) { return to.add("Clip", {value, to.number(0), to.number(255)}); };
  const ValueId point = held(to.add("Round", {to.add("Neg", {to.add("Div", {low, scale})})}));
  const ValueId q = held(to.add("Add", {to.add("Round", {to.add("Div", {x, scale})}), point}));
  to.result(0, to.cast(q, ElementType::kUint8));
  to.result(1, scale);
  to.result(2, to.cast(point, ElementType::kUint8));
}

void expand_dequantize(Expansion& to) {
  const NodeView& node = to.node();
  node.require(node.integer("block_size", 0) == 0, "E-ONX-005",
               "quantises by blocks, which is not supported");
  const ElementType type = node.type(1).element;
  const ValueId x = dequantised(to, 0, 1, 2, node.integer("axis", 1));
  to.result(0, type == kInput ? x : to.cast(x, type));
}

void expand_quantized_product(Expansion& to) {
  const NodeView& node = to.node();
  const bool linear = node.node().op.starts_with("QLinear"),
             conv = node.node().op.find("Conv") != std::string::npos;
  // a, its scale and zero point, b, its scale and zero point, scale and zero point of the result; or a, b and
  // their zero points.
  const std::size_t b = linear ? 3 : 1, none = node.inputs();
  const std::int64_t columns = conv ? 0 : node.rank(b) - 1;
  const ValueId x = linear ? dequantised(to, 0, 1, 2, 0) : dequantised(to, 0, none, 2, 0),
                w = linear ? dequantised(to, b, 4, 5, columns) : dequantised(to, b, none, 3, columns);
  if (!linear) {
    const ValueId y = conv ? to.add("Conv", {x, w}, node.node().attributes) : to.add("MatMul", {x, w});
    return to.result(0, to.cast(y, ElementType::kInt32));
  }
  std::vector<ValueId> operands{x, w};
  if (conv && node.has(8)) {  // a bias in units of both scales
    const Dims scale = to.dims(4);
    const ValueId unit = to.add("Mul", {to.reshape(node.id(1), {}),
                                        to.reshape(node.id(4), elements_of(scale) == 1 ? Dims{} : scale)});
    operands.push_back(to.add("Mul", {to.cast(node.id(8), kInput), unit}));
  }
  const ValueId y = conv ? to.add("Conv", operands, node.node().attributes) : to.add("MatMul", operands);
  to.node().require(elements_of(to.dims(6)) == 1, "E-ONX-010", "has several scales of the result");
  to.result(0, quantised(to, y, {}, 6, node.type(7).element, 0));
}

}  // namespace tahoma::workloads::graph
