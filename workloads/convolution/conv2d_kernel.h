// SPDX-License-Identifier: Apache-2.0
// A convolution as an implicit GEMM on one core: y[i, o] = activation(bias[o] + residual[i, o, r, c] + sum
// over k, s, t of w[o, k, s, t] x[i, k, r * stride + s * dilation - before, c * stride + t * dilation -
// before]), where x is 0 outside its image and each dimension has its own filter, stride, dilation and
// padding. Weights in HBM have a row of output channels for each input channel and tap (transposed in
// advance, as A of a GEMM) and stay in SBUF. Images are streamed in blocks, and the output rows of large
// ones in bands. Each tap is a matmul of the image shifted by the tap's position, onto the pixels for which
// it is inside the image, so padding costs neither memory nor products. Few input channels leave rows of the
// array idle: copies of the image that are shifted by rows of the filter then become channels. Up to four
// banks accumulate side by side while four others are evacuated. Sums are fp32. A residual, of y's shape and
// type, is one more product, with an identity.
//
// A convolution with groups of channels is one whose weights are zero between groups, or one for each of the
// groups, whose channels are a window of those of x and y.
#pragma once

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

// One dimension of an image.
struct ConvAxis {
  std::uint64_t size = 1, filter = 1, stride = 1, dilation = 1;
  std::uint64_t before = 0, after = 0;                                 // padding
  std::uint64_t reach() const { return (filter - 1) * dilation + 1; }  // of the filter
  std::uint64_t out() const { return (size + before + after - reach()) / stride + 1; }
};

struct Conv2dShape {
  std::uint64_t images = 1, in = 0, out = 0;
  ConvAxis rows, columns;
  isa::DType dtype = isa::DType::kBf16;  // of x, w and y; the bias is fp32
  bool relu = false, residual = false;
  // Channels from one image to the next in HBM, if x or y have more than the convolution; 0: `in`, `out`.
  std::uint64_t in_pitch = 0, out_pitch = 0;

  std::uint64_t taps() const { return rows.filter * columns.filter; }
  std::uint64_t out_height() const { return rows.out(); }
  std::uint64_t out_width() const { return columns.out(); }
  std::uint64_t x_pitch() const { return in_pitch > 0 ? in_pitch : in; }
  std::uint64_t y_pitch() const { return out_pitch > 0 ? out_pitch : out; }
};

// x [(images - 1) * x_pitch + in, height * width], w [in * taps, out], bias fp32 [out, 1], y [(images - 1) *
// y_pitch + out, pixels of y], residual as y.
struct Conv2dViews {
  runtime::HbmView x, w, bias, y;
  runtime::HbmView residual{};  // if the shape has one
};

// Appends it to a kernel that may contain other work. Takes all of PSUM and up to most of SBUF. Throws what
// conv2d_program() throws.
void emit_conv2d(runtime::Kernel& kernel, const model::MachineParams& machine, const Conv2dShape& shape,
                 const Conv2dViews& views);

// Throws UserError E-RUN-095 if a filter does not fit.
void check_conv2d(const Conv2dShape& shape);

// The channels of a tile, in and out: as many as the array has rows and columns and SBUF has partitions.
unsigned conv2d_channels(const model::CoreParams& core);

// Without a residual. Arguments: x [images * in, height * width], w [in * taps, out], bias [out, 1], y
// [images * out, pixels of y]. Throws UserError E-RUN-095 if SBUF cannot hold a band of an image beside the
// weights of a tile of channels.
isa::Program conv2d_program(const model::MachineParams& machine, const Conv2dShape& shape);

}  // namespace tahoma::workloads
