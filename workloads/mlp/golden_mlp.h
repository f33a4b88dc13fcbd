// SPDX-License-Identifier: Apache-2.0
// The golden definition of a feed-forward layer, and its tolerance (runtime/golden/golden.h has the rule).
//
// The reference is double throughout. Each hidden element h has the errors of its sums, through the steepest
// slope of the activation, and the deviations of its own rounding. These are independent between elements, so
// they add up to |error of h|_4 |w|_4 in y, where |x|_4 is the 4-norm of the row or column. The errors of y's
// own sum are added; its R is |want| + k |h|_4 |w|_4. The units in the last place of the activation and the
// product may be shared by all elements and count in full. The scale of an element's relative error is |h|_4
// |w|_4.
#pragma once

#include "isa/core/instruction.h"
#include "runtime/golden/golden.h"

namespace tahoma::workloads {

// y = h down + down_bias with h = activation(x gate) * (x up), or activation(x up + up_bias) without a gate:
// x, y [tokens, features], gate, up [features, hidden], down [hidden, features], biases fp32 with one column.
struct MlpTensors {
  const runtime::HostTensor& x;
  const runtime::HostTensor* gate;  // null: none, as the biases
  const runtime::HostTensor &up, &down;
  const runtime::HostTensor *up_bias, *down_bias;
};
runtime::GoldenResult check_mlp(const MlpTensors& tensors, isa::ActFn activation,
                                const runtime::HostTensor& y, const runtime::MadeBy& made_by);

}  // namespace tahoma::workloads
