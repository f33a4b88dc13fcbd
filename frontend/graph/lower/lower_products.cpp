// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "frontend/graph/lower/lower_nodes.h"
#include "frontend/graph/lower/product_steps.h"
#include "frontend/graph/lower/strided_copy.h"
#include "frontend/graph/lower/tile_kernel.h"
#include "workloads/convolution/conv2d_kernel.h"

namespace tahoma::workloads::graph {

namespace {

void require_wide(const NodeView& node, const Lowering& lowering, const TensorRef& tensor) {
  const isa::DType dtype = lowering.dtype(tensor);
  node.require(isa::is_float(dtype) && isa::size_of(dtype) >= 2, "E-ONX-010",
               fmt::format("multiplies {}; supported are fp32, bf16 and fp16", isa::name_of(dtype)));
}

// Weights [in, out of a group, taps] of a transposed convolution as [out, in of a group, taps] of the
// convolution that it is, taps from last to first.
Array turned_weights(const Array& w, const ConvolutionOf& of) {
  const std::int64_t in = of.in / of.groups, out = of.out / of.groups;
  std::int64_t taps = 1;
  for (const WindowAxis& axis : of.axes) taps *= axis.filter;
  Array all{{w.type.element, {of.out, in, taps}}, std::vector<double>(w.values.size())};
  for (std::int64_t g = 0; g < of.groups; ++g)
    for (std::int64_t k = 0; k < in; ++k)
      for (std::int64_t o = 0; o < out; ++o)
        for (std::int64_t t = 0; t < taps; ++t)
          all.values[static_cast<std::size_t>(((g * out + o) * in + k) * taps + t)] =
              w.values[static_cast<std::size_t>(((g * in + k) * out + o) * taps + taps - 1 - t)];
  return all;
}

// A constant matrix with rows and columns exchanged.
LazyArray exchanged(const LazyArray& values) {
  return [values] {
    const Array from = values();
    const auto rows = static_cast<std::size_t>(from.type.dims[0]),
               columns = static_cast<std::size_t>(from.type.dims[1]);
    Array to{{from.type.element, {from.type.dims[1], from.type.dims[0]}},
             std::vector<double>(from.values.size())};
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) to.values[c * rows + r] = from.values[r * columns + c];
    return to;
  };
}

}  // namespace

bool product_can_fuse(const NodeView& node) {
  if (node.node().op == "MatMul") return true;
  if (node.number("alpha", 1) != 1) return false;
  const Dims& b = node.dims(1);
  const std::int64_t n = b[node.integer("transB", 0) != 0 ? 0 : 1];
  // A row that is added to every row, unscaled, is part of the product.
  return !node.has(2) || node.number("beta", 1) == 0 ||
         (node.number("beta", 1) == 1 && node.type(2).elements() == static_cast<std::uint64_t>(n) &&
          node.dims(2).back() == n);
}

namespace {

ProductStep matmul_step(const NodeView& node, Lowering& lowering) {
  const TensorRef a = lowering.tensor(node.id(0)), b = lowering.tensor(node.id(1));
  Dims a_dims = a.dims, b_dims = b.dims;
  if (a_dims.size() == 1) a_dims.insert(a_dims.begin(), 1);
  if (b_dims.size() == 1) b_dims.push_back(1);
  ProductStep p;
  p.a = a;
  p.b = b;
  p.m = a_dims[a_dims.size() - 2];
  p.n = b_dims.back();
  p.k = a_dims.back();
  const Dims a_batch(a_dims.begin(), a_dims.end() - 2), b_batch(b_dims.begin(), b_dims.end() - 2);
  if (elements_of(b_batch) == 1) {  // all rows by one matrix
    p.m *= static_cast<std::int64_t>(elements_of(a_batch));
    return p;
  }
  p.batches.clear();
  for_each_index(broadcast(node, a_batch, b_batch), [&](const Dims& index, std::size_t number) {
    p.batches.push_back({static_cast<std::int64_t>(broadcast_offset(a_batch, index)) * p.m * p.k,
                         static_cast<std::int64_t>(broadcast_offset(b_batch, index)) * p.k * p.n,
                         static_cast<std::int64_t>(number) * p.m * p.n});
  });
  return p;
}

ProductStep gemm_step(const NodeView& node, Lowering& lowering) {
  ProductStep p;
  p.a = lowering.tensor(node.id(0));
  p.a_by_rows = node.integer("transA", 0) == 0;
  p.m = p.a.dims[p.a_by_rows ? 0 : 1];
  p.k = p.a.dims[p.a_by_rows ? 1 : 0];
  const bool across = node.integer("transB", 0) != 0;
  p.n = node.dims(1)[across ? 0 : 1];
  if (across && node.is_constant(1)) {
    p.b = lowering.constant(node.node().name + ".b", lowering.dtype(p.a), {p.k, p.n},
                            exchanged(lowering.graph().value(node.id(1)).constant));
  } else {
    p.b = lowering.tensor(node.id(1));
    p.b_by_rows = across;
  }
  return p;
}

}  // namespace

void add_node_product(const NodeView& node, Lowering& lowering, const ProductEnd& end) {
  const std::string& name = node.node().name;
  const bool gemm = node.node().op == "Gemm";
  ProductStep p = gemm ? gemm_step(node, lowering) : matmul_step(node, lowering);
  require_wide(node, lowering, p.a);
  if (gemm && node.has(2) && node.number("beta", 1) != 0)
    p.bias = bias_in_fp32(lowering, name + ".bias", node.id(2), {1, p.n});
  if (end.bias) p.bias = bias_in_fp32(lowering, name + ".bias", *end.bias, {1, p.n});
  p.activation = end.activation;
  if (end.residual) p.residual = lowering.tensor(*end.residual);
  p.out = lowering.result(end.out);
  if (elements_of(p.out.dims) > 0) add_product(lowering, p);
}

void lower_matmul(const NodeView& node, Lowering& lowering) {
  add_node_product(node, lowering, {node.node().outputs[0], {}, isa::ActFn::kCopy, {}});
}

void lower_gemm(const NodeView& node, Lowering& lowering) {
  if (product_can_fuse(node)) return lower_matmul(node, lowering);
  ProductStep p = gemm_step(node, lowering);
  require_wide(node, lowering, p.a);
  p.out = lowering.scratch(node.node().name + ".product", isa::DType::kFp32, {p.m, p.n});
  add_product(lowering, p);
  const double alpha = node.number("alpha", 1), beta = node.number("beta", 1);
  const bool adds = node.has(2) && beta != 0;
  std::vector<TensorRef> operands{p.out};
  if (adds) operands.push_back(lowering.tensor(node.id(2)));
  TileCode code(static_cast<std::uint32_t>(operands.size()));
  TileOperand result = code.multiply(code.input(0), TileOperand::of(alpha));
  if (adds) result = code.add(result, code.multiply(code.input(1), TileOperand::of(beta)));
  add_tile_code(lowering, lowering.result(node.node().outputs[0]), operands, code, result);
}

namespace {

// Few input channels leave most rows of the array, and some DMA engines, idle. Copies of the image that are
// shifted by each row of the filter become channels, and the filter has one row: as many passes fewer as it
// had rows. The order of the weights stays.
void stack_rows(const NodeView& node, Lowering& lowering, ConvolutionStep& step) {
  ConvolutionOf& c = step.of;
  WindowAxis& down = c.axes[0];
  const std::int64_t rows = down.out(), width = c.axes[1].size, taps = down.filter, height = down.size;
  const TensorRef stacked = lowering.scratch(node.node().name + ".rows", lowering.dtype(step.x),
                                             {c.images, c.in * taps, rows, width});
  const TensorRef zero = lowering.filled(node.node().name + ".zero", lowering.dtype(step.x), {1}, 0);
  std::vector<StridedCopy> copies;
  const std::int64_t plane = rows * width, image = c.in * taps * plane;
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    const std::int64_t shift = tap * down.dilation - down.before;
    const OutputRange inside = outputs_inside(down, tap, 0, rows);
    const std::int64_t first = inside.first, end = inside.first + inside.count;
    const auto zeros = [&](std::int64_t from, std::int64_t to) {
      if (to > from)
        copies.push_back({{stacked.slot, tap * plane + from * width},
                          {zero.slot, 0},
                          {{c.images, image, 0}, {c.in, taps * plane, 0}, {(to - from) * width, 1, 0}}});
    };
    zeros(0, first);
    zeros(end, rows);
    copies.push_back({{stacked.slot, tap * plane + first * width},
                      {step.x.slot, (first * down.stride + shift) * width},
                      {{c.images, image, c.in * height * width},
                       {c.in, taps * plane, height * width},
                       {end - first, width, down.stride * width},
                       {width, 1, 1}}});
  }
  add_copies(lowering, std::move(copies));
  c.in *= taps;
  down = WindowAxis{rows};
  step.x = stacked;
}

}  // namespace

void add_node_convolution(const NodeView& node, Lowering& lowering, const ConvolutionEnd& end) {
  ConvolutionStep step;
  step.of = convolution_of(node);
  step.x = lowering.tensor(node.id(0));
  require_wide(node, lowering, step.x);
  const Value& weights = lowering.graph().value(node.id(1));
  step.weights = weights.type;
  step.constant = weights.constant;
  if (!weights.constant) step.tensor = lowering.tensor(node.id(1));
  if (node.has(2)) step.bias = node.id(2);
  step.relu = end.relu;
  if (end.residual) step.residual = lowering.tensor(*end.residual);
  step.out = lowering.result(end.out);
  const ConvolutionOf& c = step.of;
  if (c.axes.size() == 2 && c.groups == 1 && c.axes[0].filter > 1 && c.in < isa::kDmaEngines &&
      c.in * c.axes[0].filter <= conv2d_channels(lowering.machine().chip.core))
    stack_rows(node, lowering, step);
  add_convolution(node, lowering, step);
}

void lower_conv(const NodeView& node, Lowering& lowering) {
  add_node_convolution(node, lowering, {node.node().outputs[0], false, {}});
}

void lower_conv_transpose(const NodeView& node, Lowering& lowering) {
  const ConvolutionOf of = transposed_convolution_of(node);
  node.require(node.is_constant(1), "E-ONX-010", "has weights that are not constant");
  const TensorRef x = lowering.tensor(node.id(0));
  require_wide(node, lowering, x);
  ConvolutionStep step;
  step.of = of;
  // Zeros between the pixels of x: as many as the stride of the outputs.
  Dims spread{of.images, of.in};
  const std::vector<std::int64_t> strides =
      node.list("strides", std::vector<std::int64_t>(of.axes.size(), 1));
  for (const WindowAxis& axis : of.axes) spread.push_back(axis.size);
  step.x = lowering.scratch(node.node().name + ".spread", lowering.dtype(x), spread);
  const TensorRef zero = lowering.filled(node.node().name + ".zero", lowering.dtype(x), {1}, 0);
  StridedCopy fill{
      {step.x.slot, 0}, {zero.slot, 0}, {{static_cast<std::int64_t>(elements_of(spread)), 1, 0}}},
      place{{step.x.slot, 0}, {x.slot, 0}, {}};
  const std::vector<std::int64_t> to = row_major_strides(spread), from = row_major_strides(x.dims);
  for (std::size_t d = 0; d < x.dims.size(); ++d)
    place.dims.push_back({x.dims[d], d < 2 ? to[d] : to[d] * strides[d - 2], from[d]});
  add_copies(lowering, {fill, place});
  step.weights = node.type(1);
  step.constant = [of, values = lowering.graph().value(node.id(1)).constant] {
    return turned_weights(values(), of);
  };
  if (node.has(2)) step.bias = node.id(2);
  step.out = lowering.result(node.node().outputs[0]);
  add_convolution(node, lowering, step);
}

}  // namespace tahoma::workloads::graph
