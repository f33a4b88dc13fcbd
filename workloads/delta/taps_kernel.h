// SPDX-License-Identifier: Apache-2.0
// A convolution over the last tokens, each feature by itself: y = silu(sum over j of weights[j] x_j + bias),
// x_j the rows of the j-th tap, in fp32.
#pragma once

#include <vector>

#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

// The rows of a tap: the first `missing` ones are zero, the others are those of x.
struct Tap {
  runtime::HbmView x;
  std::uint64_t missing = 0;
};

// y [rows, columns] and the taps are bf16, weights [taps, columns] fp32; a further row is the bias.
void emit_taps(runtime::Kernel& kernel, const model::MachineParams& machine, const std::vector<Tap>& taps,
               const runtime::HbmView& weights, const runtime::HbmView& y);

}  // namespace tahoma::workloads
