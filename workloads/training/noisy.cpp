// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/noisy.h"

#include <cmath>

#include "runtime/golden_rule.h"

namespace tahoma::workloads {

Noisy Noisy::exact(Rows value) {
  const Eigen::Index rows = value.rows();
  return {std::move(value), Eigen::VectorXd::Zero(rows)};
}

double rounding(double mean_square) {
  const double u = runtime::unit_roundoff(TransformerParams::kDType);
  return u * u / 3 * mean_square;
}

Eigen::VectorXd mean_square(const Rows& rows) {
  return rows.rowwise().squaredNorm() / static_cast<double>(rows.cols());
}

void round(Noisy& x, double times) { x.variance += rounding(times) * mean_square(x.value); }

Noisy times(const Noisy& x, const Rows& weights) {
  Noisy y{x.value * weights, x.variance * (weights.squaredNorm() / static_cast<double>(weights.cols()))};
  round(y);
  return y;
}

Noisy times_transposed(const Noisy& x, const Rows& weights) {
  Noisy y{x.value * weights.transpose(),
          x.variance * (weights.squaredNorm() / static_cast<double>(weights.rows()))};
  round(y);
  return y;
}

Noisy sum(const Noisy& a, const Noisy& b) {
  Noisy y{a.value + b.value, a.variance + b.variance};
  round(y);
  return y;
}

void Sum::add(const Noisy& x, const Noisy& y) {
  const Rows products = x.value.transpose() * y.value;
  const Rows noise = x.value.cwiseAbs2().transpose() * y.variance * Eigen::RowVectorXd::Ones(y.value.cols()) +
                     Eigen::VectorXd::Ones(x.value.cols()) * (x.variance.transpose() * y.value.cwiseAbs2());
  if (value.size() == 0) {
    value = products;
    variance = noise;
    return;
  }
  value += products;
  variance += noise;
}

Noisy normalised(const Noisy& x, const Rows& gain, double epsilon) {
  const Eigen::VectorXd mean = mean_square(x.value).array() + epsilon;
  Noisy y{(x.value.array().colwise() / mean.array().sqrt()).matrix() * gain.row(0).asDiagonal(),
          x.variance.cwiseQuotient(mean) * (gain.squaredNorm() / static_cast<double>(gain.cols()))};
  round(y);
  return y;
}

Noisy normalised_back(const Noisy& x, const Rows& gain, double epsilon, const Noisy& dy, Sum& gain_gradient) {
  const Eigen::ArrayXd rstd = (mean_square(x.value).array() + epsilon).rsqrt();
  const auto columns = static_cast<double>(gain.cols());
  const Rows n = (x.value.array().colwise() * rstd).matrix(), h = dy.value * gain.row(0).asDiagonal();
  const Eigen::ArrayXd along = h.cwiseProduct(n).rowwise().sum().array() / columns;
  Noisy dx;
  dx.value = ((h.array() - n.array().colwise() * along).colwise() * rstd).matrix();
  const Eigen::ArrayXd of_x = x.variance.array() * rstd.square();  // relative
  dx.variance = (rstd.square() * dy.variance.array() * (gain.squaredNorm() / columns) +
                 2 * mean_square(dx.value).array() * of_x)
                    .matrix();
  const Rows products = dy.value.cwiseProduct(n);
  const Rows noise = n.cwiseAbs2().transpose() * dy.variance +
                     dy.value.cwiseAbs2().transpose() * of_x.matrix() +
                     rounding(1) * products.cwiseAbs2().colwise().sum().transpose();
  const Rows sum = products.colwise().sum();
  gain_gradient.value = gain_gradient.value.size() == 0 ? sum : Rows(gain_gradient.value + sum);
  gain_gradient.variance = gain_gradient.variance.size() == 0
                               ? Rows(noise.transpose())
                               : Rows(gain_gradient.variance + noise.transpose());
  return dx;
}

Noisy gated(const Noisy& gate, const Noisy& up) {
  const Eigen::ArrayXXd s = 1 / (1 + (-gate.value.array()).exp()), silu = gate.value.array() * s,
                        slope = s * (1 + gate.value.array() * (1 - s));
  Noisy y{(silu * up.value.array()).matrix(), {}};
  y.variance = mean_square((slope * up.value.array()).matrix()).cwiseProduct(gate.variance) +
               mean_square(silu.matrix()).cwiseProduct(up.variance);
  round(y);
  return y;
}

GatedGradients gated_back(const Noisy& gate, const Noisy& up, const Noisy& dy) {
  const Eigen::ArrayXXd g = gate.value.array(), s = 1 / (1 + (-g).exp()), silu = g * s,
                        slope = s * (1 + g * (1 - s)), bend = s * (1 - s) * (2 + g * (1 - 2 * s)),
                        d = dy.value.array(), u = up.value.array();
  GatedGradients back;
  back.gate.value = (d * u * slope).matrix();
  back.gate.variance = mean_square((u * slope).matrix()).cwiseProduct(dy.variance) +
                       mean_square((d * slope).matrix()).cwiseProduct(up.variance) +
                       mean_square((d * u * bend).matrix()).cwiseProduct(gate.variance);
  back.up.value = (d * silu).matrix();
  back.up.variance = mean_square(silu.matrix()).cwiseProduct(dy.variance) +
                     mean_square((d * slope).matrix()).cwiseProduct(gate.variance);
  round(back.gate);
  round(back.up);
  return back;
}

Noisy turned(const Noisy& heads, const Rows& angles, bool back) {
  const Eigen::Index d = angles.cols(), half = d / 2;
  Noisy y = heads;
  for (Eigen::Index h = 0; h < heads.value.cols(); h += d) {
    const auto a = heads.value.middleCols(h, half).array(),
               b = heads.value.middleCols(h + half, half).array();
    const auto cos = angles.leftCols(half).array();
    const Eigen::ArrayXXd sin = (back ? -1 : 1) * angles.rightCols(half).array();
    y.value.middleCols(h, half) = (a * cos - b * sin).matrix();
    y.value.middleCols(h + half, half) = (b * cos + a * sin).matrix();
  }
  round(y, 2);  // its products, and their sum
  return y;
}

}  // namespace tahoma::workloads
