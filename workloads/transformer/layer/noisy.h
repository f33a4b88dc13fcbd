// SPDX-License-Identifier: Apache-2.0
// Values of the definition with the possible error of a machine that rounds its activations: for each
// element, the variance of its error. Roundings to the dtype are assumed independent and uniform, at most u^2
// / 3 of the element's square each, and errors of different elements independent, so that products and sums
// propagate variances with the squares of their factors.
//
// Not included: roundings to fp32, and errors that all elements of a row share (a norm's root, a softmax's
// sum), which are small in comparison.
#pragma once

#include <Eigen/Core>

#include "workloads/transformer/partition/transformer_params.h"

namespace tahoma::workloads {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Noisy {
  Rows value, variance;
  static Noisy exact(const Rows& value);
};

// Variance of that many roundings to the activations' dtype, for an element of 1.
double rounding(double times);
void round(Noisy& x, double times = 1);

// Rounded to a type that may be far coarser than the errors. An error then seldom changes the rounded value,
// but if it does, by a whole step: with an error e and a step s, the variance is s |e|, with |e| the mean of
// a normal distribution.
Noisy quantised(const Noisy& x, isa::DType dtype);

// x w and x w^T, rounded once. A product that ranks share is the sum of their partial sums, which may cancel:
// its `partial_roundings` are relative to the root of the sum of the squared terms.
Noisy times(const Noisy& x, const Rows& weights, double partial_roundings = 0);
Noisy times_transposed(const Noisy& x, const Rows& weights, double partial_roundings = 0);
Noisy sum(const Noisy& a, const Noisy& b);    // rounded once
Noisy behind(const Rows& exact, Noisy rows);  // exact rows, such as those of a cache, before others

// x, and + a row of a matrix of biases, rounded once; unchanged without elements.
Noisy with_row(Noisy x, const Rows& biases, Eigen::Index row = 0);

// Sum over rows of x^T y, not rounded, with the variance of each element.
struct Sum {
  Rows value, variance;
  void add(const Noisy& x, const Noisy& y);
  void add(const Rows& value, const Rows& variance);
};

// norm(x) * gain and its gradient: dx (not rounded), and the contribution to the gain's gradient [1,
// columns].
Noisy normalised(const Noisy& x, const Rows& gain, double epsilon);
Noisy normalised_back(const Noisy& x, const Rows& gain, double epsilon, const Noisy& dy, Sum& gain_gradient);

// (x - mean) / sqrt(variance + epsilon) * gain + bias of each row, without a bias of no columns.
Noisy layer_normalised(const Noisy& x, const Rows& gain, const Rows& bias, double epsilon);

// activation(gate) * up, and the gradient of silu(gate) * up.
Noisy gated(const Noisy& gate, const Noisy& up, isa::ActFn activation = isa::ActFn::kSilu);
// relu(x)^2
Noisy squared_relu(const Noisy& x);
// At least `least` and at most `most`; an element that is cut is exact.
Noisy limited(Noisy x, double least, double most);
// activation(min(gate, limit)) * (min(max(up, -limit), limit) + 1)
Noisy gated_within(double limit, Noisy gate, Noisy up, isa::ActFn activation);
struct GatedGradients {
  Noisy gate, up;
};
GatedGradients gated_back(const Noisy& gate, const Noisy& up, const Noisy& dy);

// cap tanh(x / cap), not rounded.
Noisy bounded(const Noisy& x, double cap);

// Heads [tokens, heads features] whose first features rotate by angles of the table [tokens, d]; the gradient
// rotates by the negative angles. Features 0: as many as d.
Noisy rotated(const Noisy& heads, const Rows& angles, bool back, std::uint64_t features = 0);

}  // namespace tahoma::workloads
