// SPDX-License-Identifier: Apache-2.0
// Definitions of softmax, layer norm and RMS norm, in double, on the inputs as the machine received them.
#pragma once

#include <string>
#include <vector>

#include "runtime/golden/golden.h"
#include "runtime/run/placement.h"

namespace tahoma::workloads {

using runtime::GoldenResult, runtime::HostTensor, runtime::MadeBy;

GoldenResult check_softmax(const HostTensor& x, const HostTensor& y, const MadeBy& made_by);
GoldenResult check_softmax_backward(const HostTensor& y, const HostTensor& dy, const HostTensor& dx,
                                    const MadeBy& made_by);

// x, y [rows, columns], g, b [1, columns], mean, rstd [rows, 1].
struct LayerNormValues {
  const HostTensor &x, &g, &b;
  double epsilon;
};
GoldenResult check_layer_norm(const LayerNormValues& in, const HostTensor& y, const MadeBy& made_by);
GoldenResult check_layer_norm_mean(const LayerNormValues& in, const HostTensor& mean, const MadeBy& made_by);
GoldenResult check_layer_norm_rstd(const LayerNormValues& in, const HostTensor& rstd, const MadeBy& made_by);

// `mean` and `rstd` are those saved by layer norm; without them the norm is RMS norm, which computes them
// from x and epsilon.
struct NormBackwardValues {
  const HostTensor &x, &dy, &g;
  const HostTensor *mean = nullptr, *rstd = nullptr;
  double epsilon = 0;
};
GoldenResult check_norm_backward(const NormBackwardValues& in, const HostTensor& dx, const MadeBy& made_by);
// Gradients of the gain (from the normalised x) and of the bias: row i is the sum over the rows of parts[i].
enum class Gradient : std::uint8_t { kGain, kBias };
GoldenResult check_norm_gradient(const NormBackwardValues& in, Gradient gradient,
                                 const std::vector<runtime::Part>& parts, const HostTensor& got,
                                 const MadeBy& made_by);

}  // namespace tahoma::workloads
