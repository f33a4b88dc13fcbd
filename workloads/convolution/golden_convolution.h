// SPDX-License-Identifier: Apache-2.0
// The golden definition of a convolution, and its tolerance (runtime/golden/golden.h has the rule).
//
// The reference is Eigen's double product of the weights and the unfolded image. n = channels * taps + 1, or
// twice that for fp32. A machine may process channels and taps in any order. Partial sums in an order that is
// independent of the values remain, with the same probability, within six times the root of the summed
// squares of the products around their share of the result, so R = |want| + 6 |products|, which is also the
// scale of an element's relative error.
#pragma once

#include <cstdint>

#include "runtime/golden/golden.h"

namespace tahoma::workloads {

// y[i, o, r, c] = f(bias[o] + sum over channels k and taps (s, t) of w[o, k, s, t] x[i, k, r * stride + s -
// padding, c * stride + t - padding]) with x = 0 outside its image, and f the identity or max(., 0). x
// [images, in, height, width], w [out, in, filter, filter], bias [out] and y [images, out, (height + 2
// padding - filter) / stride + 1, the same of width]. Row and column of `made_by` are those of y viewed as a
// matrix.
struct ConvolutionGeometry {
  std::uint64_t stride = 1, padding = 0;
  bool relu = false;
};
runtime::GoldenResult check_convolution(const runtime::HostTensor& x, const runtime::HostTensor& w,
                                        const runtime::HostTensor& bias, const runtime::HostTensor& y,
                                        const runtime::MadeBy& made_by,
                                        const ConvolutionGeometry& geometry = {});

}  // namespace tahoma::workloads
