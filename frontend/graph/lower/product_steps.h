// SPDX-License-Identifier: Apache-2.0
// Steps of matrix products and convolutions, by the tuned kernels of workloads/gemm and
// workloads/convolution.
#pragma once

#include <optional>

#include "frontend/graph/lower/graph_lowering.h"
#include "frontend/graph/operators/product_operators.h"

namespace tahoma::workloads::graph {

// out[b] = a[b] b[b] + bias: matrices of batches that begin at these elements.
struct ProductStep {
  TensorRef a, b, out;
  std::optional<TensorRef> bias;  // fp32 [1, n]
  isa::ActFn activation = isa::ActFn::kCopy;
  std::optional<TensorRef> residual;  // as out
  std::int64_t m = 1, n = 1, k = 1;
  bool a_by_rows = true;   // a is [m, k]; otherwise [k, m]
  bool b_by_rows = false;  // b is [n, k]; otherwise [k, n]
  struct Batch {
    std::int64_t a = 0, b = 0, out = 0;
  };
  std::vector<Batch> batches{{}};
};
void add_product(Lowering& lowering, const ProductStep& product);

// Of the outputs [first, end), those for which a tap of the window is inside the image.
struct OutputRange {
  std::int64_t first, count;
};
OutputRange outputs_inside(const WindowAxis& axis, std::int64_t tap, std::int64_t first, std::int64_t end);

// The values of a bias as fp32: a constant's, or those of a tensor that is fp32 or becomes so in a step.
TensorRef bias_in_fp32(Lowering& lowering, const std::string& name, ValueId id, const Dims& dims);

// What a product computes on the way out of PSUM: activation(product + bias) + residual, stored as `out`.
struct ProductEnd {
  ValueId out = 0;
  std::optional<ValueId> bias;  // a constant row
  isa::ActFn activation = isa::ActFn::kCopy;
  std::optional<ValueId> residual;
};
bool product_can_fuse(const NodeView& node);  // a MatMul or Gemm that scales nothing
void add_node_product(const NodeView& node, Lowering& lowering, const ProductEnd& end);

// A convolution by its node. Weights that are computed in the run are transposed in a step of their own.
struct ConvolutionEnd {
  ValueId out = 0;
  bool relu = false;
  std::optional<ValueId> residual;  // of the shape of out
};
void add_node_convolution(const NodeView& node, Lowering& lowering, const ConvolutionEnd& end);

// The same for any convolution of one or two dimensions: weights [out, in of a group, taps].
struct ConvolutionStep {
  ConvolutionOf of;
  TensorRef x, out;
  TensorType weights;
  LazyArray constant;  // of the weights; none: they are a tensor
  std::optional<TensorRef> tensor;
  std::optional<ValueId> bias;
  bool relu = false;
  std::optional<TensorRef> residual;
};
void add_convolution(const NodeView& node, Lowering& lowering, const ConvolutionStep& step);

}  // namespace tahoma::workloads::graph
