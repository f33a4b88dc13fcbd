// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "frontend/graph/lower/lower_nodes.h"
#include "frontend/graph/lower/product_steps.h"
#include "frontend/graph/lower/row_steps.h"
#include "frontend/graph/lower/strided_copy.h"
#include "frontend/graph/lower/tile_kernel.h"
#include "frontend/graph/operators/row_operators.h"
#include "workloads/norm/row_in_psum.h"

namespace tahoma::workloads::graph {

namespace {

using isa::ActFn, isa::AluOp, isa::DType;

std::uint64_t product_of(const Dims& dims, std::size_t first, std::size_t end) {
  return elements_of(Dims(dims.begin() + static_cast<std::ptrdiff_t>(first),
                          dims.begin() + static_cast<std::ptrdiff_t>(end)));
}

// The tensor with the chosen dimensions last: itself, or a copy.
struct RowMatrix {
  TensorRef tensor;
  std::uint64_t rows = 1, columns = 1;
  std::vector<std::size_t> order;  // of the copy; empty: none was needed
};
RowMatrix with_last(Lowering& lowering, const std::string& name, const TensorRef& from,
                    const std::vector<std::size_t>& last) {
  RowMatrix matrix{from, 1, 1, {}};
  for (std::size_t d = 0; d < from.dims.size(); ++d)
    if (!std::binary_search(last.begin(), last.end(), d)) matrix.order.push_back(d);
  matrix.order.insert(matrix.order.end(), last.begin(), last.end());
  Dims dims;
  std::vector<std::size_t> kept;
  for (const std::size_t d : matrix.order) {
    dims.push_back(from.dims[d]);
    if (from.dims[d] > 1) kept.push_back(d);
  }
  for (const std::size_t d : last) matrix.columns *= static_cast<std::uint64_t>(from.dims[d]);
  matrix.rows = elements_of(from.dims) / std::max<std::uint64_t>(1, matrix.columns);
  if (std::is_sorted(kept.begin(), kept.end())) {
    matrix.order.clear();
    return matrix;
  }
  matrix.tensor = lowering.scratch(name + ".rows", lowering.dtype(from), dims);
  add_permute(lowering, matrix.tensor, from, matrix.order);
  return matrix;
}

std::vector<std::size_t> inverse_of(const std::vector<std::size_t>& order) {
  std::vector<std::size_t> inverse(order.size());
  for (std::size_t d = 0; d < order.size(); ++d) inverse[order[d]] = d;
  return inverse;
}

// log(softmax) without small differences of logarithms.
void add_log_softmax(Lowering& lowering, const std::string& name, const TensorRef& out, const RowMatrix& in) {
  const Dims column{static_cast<std::int64_t>(in.rows), 1},
      matrix{static_cast<std::int64_t>(in.rows), static_cast<std::int64_t>(in.columns)};
  const TensorRef x{in.tensor.slot, matrix}, y{out.slot, matrix},
      top = lowering.scratch(name + ".maximum", DType::kFp32, column),
      shifted = lowering.scratch(name + ".shifted", DType::kFp32, matrix),
      exponentials = lowering.scratch(name + ".exponentials", DType::kFp32, matrix),
      sum = lowering.scratch(name + ".sum", DType::kFp32, column);
  add_reduction(lowering, {top, x, in.rows, in.columns}, ReductionOp::kMax);
  add_tensor_operation(lowering, shifted, x, top, AluOp::kSubtract);
  add_activation(lowering, exponentials, shifted, ActFn::kExp);
  add_reduction(lowering, {sum, exponentials, in.rows, in.columns}, ReductionOp::kSum);
  TileCode code(2);
  const TileOperand result = code.subtract(code.input(0), code.activation(ActFn::kLog, code.input(1)));
  add_tile_code(lowering, y, {shifted, sum}, code, result);
}

// A constant vector of a channel each, as fp32 with dimensions that broadcast over [N, C, ...].
TensorRef channel_constant(Lowering& lowering, const std::string& name, const Dims& dims,
                           std::function<std::vector<double>()> values) {
  Dims shape(dims.size() - 1, 1);
  shape[0] = dims[1];
  return lowering.constant(name, DType::kFp32, shape, [shape, values = std::move(values)] {
    return Array{{ElementType::kFloat, shape}, values()};
  });
}

// out = (x - mean) / sqrt(variance + epsilon) gain + bias for rows of any length, in passes over HBM. `x` has
// the row as its last dimension; gain and bias are broadcast to it.
void add_long_norm(Lowering& lowering, const std::string& name, const TensorRef& out, const TensorRef& x,
                   const NormOperands& norm) {
  Dims column = x.dims;
  column.back() = 1;
  const auto columns = static_cast<std::uint64_t>(x.dims.back()), rows = elements_of(column);
  const TensorRef mean = lowering.scratch(name + ".mean", DType::kFp32, column),
                  squares = lowering.scratch(name + ".squares", DType::kFp32, x.dims),
                  variance = lowering.scratch(name + ".variance", DType::kFp32, column);
  add_reduction(lowering, {mean, x, rows, columns}, ReductionOp::kMean);
  TileCode distance(2);
  const TileOperand square =
      distance.activation(ActFn::kSquare, distance.subtract(distance.input(0), distance.input(1)));
  add_tile_code(lowering, squares, {x, mean}, distance, square);
  add_reduction(lowering, {variance, squares, rows, columns}, ReductionOp::kMean);
  const TensorRef inverse = lowering.scratch(name + ".inverse", DType::kFp32, column);
  TileCode root(1);
  const TileOperand rsqrt = root.activation(ActFn::kRsqrt, root.input(0), 1, norm.epsilon);
  add_tile_code(lowering, inverse, {variance}, root, rsqrt);
  TileCode code(5);
  const TileOperand normal = code.multiply(code.subtract(code.input(0), code.input(1)), code.input(2));
  const TileOperand result = code.add(code.multiply(normal, code.input(3)), code.input(4));
  add_tile_code(lowering, {out.slot, x.dims}, {x, mean, inverse, norm.gain, norm.bias}, code, result);
}

}  // namespace

void lower_softmax(const NodeView& node, Lowering& lowering) {
  const RowsOf rows = softmax_rows(node);
  std::vector<std::size_t> axes(rows.count);
  std::iota(axes.begin(), axes.end(), rows.first);
  const RowMatrix in = with_last(lowering, node.node().name, lowering.tensor(node.id(0)), axes);
  const TensorRef out = lowering.result(node.node().outputs[0]);
  const TensorRef result =
      in.order.empty() ? out
                       : lowering.scratch(node.node().name + ".result", lowering.dtype(out), in.tensor.dims);
  if (elements_of(out.dims) == 0) return;
  if (node.node().op == "LogSoftmax")
    add_log_softmax(lowering, node.node().name, result, in);
  else
    add_softmax(lowering, {result, in.tensor, in.rows, in.columns});
  if (!in.order.empty()) add_permute(lowering, out, result, inverse_of(in.order));
}

void lower_layer_norm(const NodeView& node, Lowering& lowering) {
  const std::size_t axis = node.axis(node.integer("axis", -1), node.rank(0));
  const TensorRef in = lowering.tensor(node.id(0)), out = lowering.result(node.node().outputs[0]);
  const std::uint64_t columns = product_of(in.dims, axis, in.dims.size()),
                      rows = product_of(in.dims, 0, axis);
  const Dims row{1, static_cast<std::int64_t>(columns)};
  for (std::size_t i = 1; i < (node.has(2) ? 3U : 2U); ++i)
    node.require(
        node.type(i).elements() == columns, "E-ONX-010",
        fmt::format("has a gain or bias of shape {} for rows of {}", text_of(node.dims(i)), columns));
  NormOperands norm{.gain = bias_in_fp32(lowering, node.node().name + ".gain", node.id(1), row),
                    .bias = node.has(2) ? bias_in_fp32(lowering, node.node().name + ".bias", node.id(2), row)
                                        : lowering.filled(node.node().name + ".zeros", DType::kFp32, row, 0),
                    .epsilon = node.number("epsilon", 1e-5)};
  if (columns > kWidestRow && !node.wants(1) && !node.wants(2))
    return add_long_norm(lowering, node.node().name, out,
                         {in.slot, {static_cast<std::int64_t>(rows), row.back()}}, norm);
  for (std::size_t k = 1; k < 3; ++k) {
    if (!node.wants(k)) continue;
    const TensorRef column = lowering.result(node.node().outputs[k]);
    node.require(lowering.dtype(column) == DType::kFp32, "E-ONX-010", "stores statistics that are not fp32");
    (k == 1 ? norm.mean : norm.inverse) = column;
  }
  add_layer_norm(lowering, {out, in, rows, columns}, norm);
}

void lower_instance_norm(const NodeView& node, Lowering& lowering) {
  const std::string& name = node.node().name;
  const TensorRef in = lowering.tensor(node.id(0)), out = lowering.result(node.node().outputs[0]);
  const std::uint64_t rows = product_of(in.dims, 0, 2), columns = product_of(in.dims, 2, in.dims.size());
  const Dims row{1, static_cast<std::int64_t>(columns)};
  const auto filled = [&](const char* what, double value) {
    return lowering.filled(name + what, DType::kFp32, row, value);
  };
  TensorRef gain = lowering.tensor(node.id(1)), bias = lowering.tensor(node.id(2));
  if (columns > kWidestRow) {
    const Dims matrix{in.dims[0], in.dims[1], static_cast<std::int64_t>(columns)};
    gain.dims = bias.dims = {in.dims[1], 1};
    return add_long_norm(lowering, name, out, {in.slot, matrix},
                         {.gain = gain, .bias = bias, .epsilon = node.number("epsilon", 1e-5)});
  }
  const TensorRef normal = lowering.scratch(name + ".normal", lowering.dtype(in), in.dims),
                  zeros = filled(".zeros", 0), ones = filled(".ones", 1);
  add_layer_norm(lowering, {normal, in, rows, columns},
                 {.gain = ones, .bias = zeros, .epsilon = node.number("epsilon", 1e-5)});
  gain.dims.resize(in.dims.size() - 1, 1);
  bias.dims.resize(in.dims.size() - 1, 1);
  TileCode code(3);
  const TileOperand result = code.add(code.multiply(code.input(0), code.input(1)), code.input(2));
  add_tile_code(lowering, out, {normal, gain, bias}, code, result);
}

void lower_batch_norm(const NodeView& node, Lowering& lowering) {
  for (std::size_t i = 1; i < 5; ++i)
    node.require(node.is_constant(i), "E-ONX-010", "has statistics that are not constant");
  const TensorRef in = lowering.tensor(node.id(0)), out = lowering.result(node.node().outputs[0]);
  const Graph& graph = lowering.graph();
  const double epsilon = node.number("epsilon", 1e-5);
  const LazyArray gain = graph.value(node.id(1)).constant, bias = graph.value(node.id(2)).constant,
                  mean = graph.value(node.id(3)).constant, variance = graph.value(node.id(4)).constant;
  const auto factors = [=] {
    std::vector<double> all = gain().values;
    const Array of = variance();
    for (std::size_t c = 0; c < all.size(); ++c) all[c] /= std::sqrt(of.values[c] + epsilon);
    return all;
  };
  const auto shifts = [=] {
    const std::vector<double> by = factors(), from = mean().values;
    std::vector<double> all = bias().values;
    for (std::size_t c = 0; c < all.size(); ++c) all[c] -= from[c] * by[c];
    return all;
  };
  const TensorRef factor = channel_constant(lowering, node.node().name + ".factor", in.dims, factors),
                  shift = channel_constant(lowering, node.node().name + ".shift", in.dims, shifts);
  TileCode code(3);
  const TileOperand result = code.add(code.multiply(code.input(0), code.input(1)), code.input(2));
  add_tile_code(lowering, out, {in, factor, shift}, code, result);
}

void lower_reduction(const NodeView& node, Lowering& lowering) {
  const std::string& name = node.node().name;
  const std::string how = node.node().op.substr(6);
  const TensorRef in = lowering.tensor(node.id(0));
  const std::vector<std::size_t> axes = reduced_axes(node);
  if (axes.empty() && (how == "Sum" || how == "Mean" || how == "Max" || how == "Min"))
    return lowering.view(node.node().outputs[0], in);
  node.require(how != "Prod", "E-ONX-010", "multiplies the elements of a tensor of the run");
  node.require(is_floating(node.type(0).element) || how == "Max" || how == "Min", "E-ONX-010",
               "sums integers of the run");
  const TensorRef out = lowering.result(node.node().outputs[0]);
  node.require(elements_of(in.dims) > 0, "E-ONX-010", "reduces an empty tensor");
  const ReductionOp op = how == "Mean"  ? ReductionOp::kMean
                         : how == "Max" ? ReductionOp::kMax
                         : how == "Min" ? ReductionOp::kMin
                                        : ReductionOp::kSum;
  const bool plain = how == "Mean" || how == "Max" || how == "Min" || how == "Sum";
  // Leading dimensions: sums down the columns, by the tensor engine.
  const bool leading = axes.back() + 1 == axes.size() && axes.size() < in.dims.size();
  const std::uint64_t down = product_of(in.dims, 0, axes.size());
  if (plain && leading && lowering.dtype(out) == DType::kFp32 && elements_of(in.dims) / down <= 16384 &&
      down > 1 && elements_of(in.dims) / down > 1)
    return add_reduction(lowering, {out, in, down, elements_of(in.dims) / down}, op, Over::kRows);
  const RowMatrix rows = with_last(lowering, name, in, axes);
  const Dims column{static_cast<std::int64_t>(rows.rows), 1},
      matrix{static_cast<std::int64_t>(rows.rows), static_cast<std::int64_t>(rows.columns)};
  const TensorRef x{rows.tensor.slot, matrix}, y{out.slot, column};
  if (plain) return add_reduction(lowering, {y, x, rows.rows, rows.columns}, op);
  TensorRef terms = x;
  const auto map_terms = [&](ActFn fn) {
    terms = lowering.scratch(name + ".terms", DType::kFp32, matrix);
    add_activation(lowering, terms, x, fn);
  };
  const TensorRef sum = lowering.scratch(name + ".sum", DType::kFp32, column);
  if (how == "L1") map_terms(ActFn::kAbs);
  if (how == "L2" || how == "SumSquare") map_terms(ActFn::kSquare);
  if (how == "LogSumExp") {
    const TensorRef top = lowering.scratch(name + ".maximum", DType::kFp32, column);
    terms = lowering.scratch(name + ".terms", DType::kFp32, matrix);
    add_reduction(lowering, {top, x, rows.rows, rows.columns}, ReductionOp::kMax);
    TileCode shifted(2);
    const TileOperand exponential =
        shifted.activation(ActFn::kExp, shifted.subtract(shifted.input(0), shifted.input(1)));
    add_tile_code(lowering, terms, {x, top}, shifted, exponential);
    add_reduction(lowering, {sum, terms, rows.rows, rows.columns}, ReductionOp::kSum);
    TileCode code(2);
    const TileOperand result = code.add(code.activation(ActFn::kLog, code.input(0)), code.input(1));
    return add_tile_code(lowering, y, {sum, top}, code, result);
  }
  if (how == "L1" || how == "SumSquare")
    return add_reduction(lowering, {y, terms, rows.rows, rows.columns}, op);
  add_reduction(lowering, {sum, terms, rows.rows, rows.columns}, op);
  add_activation(lowering, y, sum, how == "L2" ? ActFn::kSqrt : ActFn::kLog);
}

}  // namespace tahoma::workloads::graph
