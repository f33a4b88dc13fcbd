// SPDX-License-Identifier: Apache-2.0
// Values of the definition with what a machine that rounds its activations may add to them: of each row the
// variance of an element's error. Roundings to the dtype are taken as independent and uniform, u^2 / 3 of an
// element's square each; errors of different elements as independent, so that a product with weights carries
// a row's variance by the weights' mean squared column, and a sum over rows adds them up.
#pragma once

#include <Eigen/Core>

#include "workloads/transformer/definition.h"

namespace tahoma::workloads {

struct Noisy {
  Rows value;
  Eigen::VectorXd variance;  // by row, of an element

  static Noisy exact(Rows value);
  Noisy middle_rows(Eigen::Index first, Eigen::Index count) const {
    return {value.middleRows(first, count), variance.segment(first, count)};
  }
};

// Variance of one rounding to the activations' dtype of something with this mean square.
double rounding(double mean_square);
Eigen::VectorXd mean_square(const Rows& rows);
void round(Noisy& x, double times = 1);

Noisy times(const Noisy& x, const Rows& weights);             // x w, rounded once
Noisy times_transposed(const Noisy& x, const Rows& weights);  // x w^T, rounded once
Noisy sum(const Noisy& a, const Noisy& b);                    // rounded once

// Sum over rows of x^T y, not rounded, with the variance of each element.
struct Sum {
  Rows value, variance;
  void add(const Noisy& x, const Noisy& y);
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

// Heads [tokens, heads d] turn by the angles of the table [tokens, d]; back: by the negative ones.
Noisy turned(const Noisy& heads, const Rows& angles, bool back);

}  // namespace tahoma::workloads
