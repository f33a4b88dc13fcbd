// SPDX-License-Identifier: Apache-2.0
// Activation functions for golden definitions: in double from their mathematical definition, with two
// quantities for the slack: the largest growth of an error of the argument, and the error that the function's
// own row (isa/table/activation_functions.h) allows.
#pragma once

#include "isa/core/instruction.h"

namespace tahoma::workloads {

struct GoldenActivation {
  isa::ActFn fn;
  double (*value)(double x);
  double slope;  // upper bound of |f'|
};

// One of copy, relu, gelu, gelu_apprx_tanh, gelu_apprx_sigmoid, silu, sigmoid, tanh (invariant).
const GoldenActivation& golden_activation(isa::ActFn fn);

// A value known to within `slack`.
struct Approximate {
  double value = 0, slack = 0;
};

// Rounds after one fp32 addition.
Approximate added(const Approximate& x, double term);
Approximate activated(const Approximate& x, const GoldenActivation& by);

}  // namespace tahoma::workloads
