// SPDX-License-Identifier: Apache-2.0
// Values of the definition with what a machine that rounds its activations may add to them: of each element
// the variance of its error. Roundings to the dtype are taken as independent and uniform, at most u^2 / 3 of
// the element's square each; errors of different elements as independent, so that variances go through
// products and sums by the squares of what the values go through by.
//
// Left out: roundings to fp32, and what all elements of a row share (a norm's root, a softmax's sum), which
// are small beside these.
#pragma once

#include <Eigen/Core>

#include "workloads/transformer/layer/layer_definition.h"

namespace tahoma::workloads {

struct Noisy {
  Rows value, variance;
  static Noisy exact(const Rows& value);
};

// Variance of so many roundings to the activations' dtype, of an element of 1.
double rounding(double times);
void round(Noisy& x, double times = 1);

Noisy times(const Noisy& x, const Rows& weights);             // x w, rounded once
Noisy times_transposed(const Noisy& x, const Rows& weights);  // x w^T, rounded once
Noisy sum(const Noisy& a, const Noisy& b);                    // rounded once

// Sum over rows of x^T y, not rounded, with the variance of each element.
struct Sum {
  Rows value, variance;
  void add(const Noisy& x, const Noisy& y);
  void add(const Rows& value, const Rows& variance);
};

// norm(x) * gain and back: dx (not rounded), and what it adds to the gain's gradient [1, columns].
Noisy normalised(const Noisy& x, const Rows& gain, double epsilon);
Noisy normalised_back(const Noisy& x, const Rows& gain, double epsilon, const Noisy& dy, Sum& gain_gradient);

// silu(gate) * up and back.
Noisy gated(const Noisy& gate, const Noisy& up);
struct GatedGradients {
  Noisy gate, up;
};
GatedGradients gated_back(const Noisy& gate, const Noisy& up, const Noisy& dy);

// Heads [tokens, heads d] rotated by the angles of the table [tokens, d]; back: by the negative ones.
Noisy rotated(const Noisy& heads, const Rows& angles, bool back);

}  // namespace tahoma::workloads
