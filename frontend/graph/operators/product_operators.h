// SPDX-License-Identifier: Apache-2.0
// Matrix products and convolutions.
#pragma once

#include "frontend/graph/operators/operator_definition.h"

namespace tahoma::workloads::graph {

std::vector<TensorType> infer_matmul(const NodeView& node);
std::vector<Wanted> define_matmul(const NodeView& node, const Inputs& in,
                                  const std::vector<TensorType>& outputs);

std::vector<TensorType> infer_gemm(const NodeView& node);
std::vector<Wanted> define_gemm(const NodeView& node, const Inputs& in,
                                const std::vector<TensorType>& outputs);

// One spatial dimension of a convolution or a pool.
struct WindowAxis {
  std::int64_t size = 1, filter = 1, stride = 1, dilation = 1, before = 0, after = 0;
  bool up = false;  // the number of outputs is rounded up (pools)
  std::int64_t out() const;
};
// Of the spatial dimensions of input 0, with these sizes of the filter; E-ONX-005.
std::vector<WindowAxis> windows_of(const NodeView& node, const Dims& filter);

struct ConvolutionOf {
  std::int64_t images, in, out, groups;
  std::vector<WindowAxis> axes;
};
ConvolutionOf convolution_of(const NodeView& node);  // E-ONX-004, 005
// A transposed convolution as the convolution of its input with zeros between the pixels: sizes are those of
// the spread input. E-ONX-005.
ConvolutionOf transposed_convolution_of(const NodeView& node);
std::vector<TensorType> infer_conv_transpose(const NodeView& node);
std::vector<Wanted> define_conv_transpose(const NodeView& node, const Inputs& in,
                                          const std::vector<TensorType>& outputs);
std::vector<TensorType> infer_conv(const NodeView& node);
std::vector<Wanted> define_conv(const NodeView& node, const Inputs& in,
                                const std::vector<TensorType>& outputs);

// MaxPool, AveragePool, GlobalMaxPool, GlobalAveragePool.
std::vector<WindowAxis> pool_windows(const NodeView& node);
std::vector<TensorType> infer_pool(const NodeView& node);
std::vector<Wanted> define_pool(const NodeView& node, const Inputs& in,
                                const std::vector<TensorType>& outputs);

}  // namespace tahoma::workloads::graph
