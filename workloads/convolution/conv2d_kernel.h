// SPDX-License-Identifier: Apache-2.0
// A convolution as an implicit GEMM on one core: y[i, o] = activation(bias[o] + sum over k, s, t of w[o, k,
// s, t] x[i, k, r * stride + s - padding, c * stride + t - padding]), where x is 0 outside its image. Weights
// in HBM have a row of output channels for each input channel and tap (transposed in advance, as A of a GEMM)
// and stay in SBUF. Images are streamed in blocks, and the output rows of large ones in bands. Each tap is a
// matmul of the image shifted by the tap's position, onto the pixels for which it is inside the image, so
// padding costs neither memory nor products. Up to four banks accumulate side by side while four others are
// evacuated. Sums are fp32.
//
// Not supported: dilation, channel groups, filters that are not square, paddings beyond (filter - 1) / 2,
// output rows wider than a PSUM bank.
#pragma once

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::workloads {

struct Conv2dShape {
  std::uint64_t images = 1, in = 0, out = 0, height = 0, width = 0, filter = 3, stride = 1, padding = 0;
  isa::DType dtype = isa::DType::kBf16;  // of x, w and y; the bias is fp32
  bool relu = false;

  std::uint64_t taps() const { return filter * filter; }
  std::uint64_t out_height() const { return (height + 2 * padding - filter) / stride + 1; }
  std::uint64_t out_width() const { return (width + 2 * padding - filter) / stride + 1; }
};

// Throws UserError E-RUN-095 if a filter, a padding or a row does not fit.
void check_conv2d(const model::MachineParams& machine, const Conv2dShape& shape);

// Arguments: x [images * in, height * width], w [in * taps, out], bias [out, 1], y [images * out, pixels of
// y]. Throws UserError E-RUN-095 if SBUF cannot hold a band of an image beside the weights of a tile of
// channels.
isa::Program conv2d_program(const model::MachineParams& machine, const Conv2dShape& shape);

}  // namespace tahoma::workloads
