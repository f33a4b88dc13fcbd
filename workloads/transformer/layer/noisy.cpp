// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/noisy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "isa/core/small_float.h"
#include "runtime/golden/golden_rule.h"

namespace tahoma::workloads {

namespace {

using Array = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Noisy noisy(const Array& value, const Array& variance) { return {value.matrix(), variance.matrix()}; }

// 1 / sqrt(mean(x^2) + epsilon) of each row.
Eigen::ArrayXd roots(const Rows& x, double epsilon) {
  return (x.rowwise().squaredNorm().array() / static_cast<double>(x.cols()) + epsilon).rsqrt();
}

// The distance of neighbouring numbers of an fp8 type.
template <class Type>
double step_of(double value) {
  const int least = 1 - static_cast<int>(Type::kBias), exponent = value == 0 ? least : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, least) - static_cast<int>(Type::kMantissa));
}

double step_at(double value, isa::DType dtype) {
  return dtype == isa::DType::kFp8E4M3 ? step_of<isa::Fp8E4M3>(value) : step_of<isa::Fp8E5M2>(value);
}

}  // namespace

Noisy Noisy::exact(const Rows& value) { return {value, Rows::Zero(value.rows(), value.cols())}; }

double rounding(double times) {
  const double u = runtime::unit_roundoff(TransformerParams::kDType);
  return times * u * u / 3;
}

void round(Noisy& x, double times) { x.variance += rounding(times) * x.value.cwiseAbs2(); }

Noisy quantised(const Noisy& x, isa::DType dtype) {
  if (dtype == TransformerParams::kDType) return x;
  constexpr double kMeanError =
      0.7978845608028654;  // sqrt(2 / pi): of a normal distribution's absolute value
  Noisy y = x;
  for (Eigen::Index i = 0; i < x.value.size(); ++i) {
    std::byte bytes[sizeof(float)];
    isa::store_from_fp32(bytes, dtype, static_cast<float>(x.value.data()[i]));
    y.value.data()[i] = static_cast<double>(isa::load_as_fp32(bytes, dtype));
    y.variance.data()[i] += step_at(x.value.data()[i], dtype) * kMeanError * std::sqrt(x.variance.data()[i]);
  }
  return y;
}

Noisy times(const Noisy& x, const Rows& weights, double partial_roundings) {
  const Rows squares = weights.cwiseAbs2();
  Noisy y{x.value * weights, x.variance * squares};
  if (partial_roundings > 0)
    y.variance += rounding(partial_roundings) * (x.value.cwiseAbs2() * squares + y.value.cwiseAbs2());
  round(y);
  return y;
}

Noisy times_transposed(const Noisy& x, const Rows& weights, double partial_roundings) {
  return times(x, weights.transpose(), partial_roundings);
}

Noisy sum(const Noisy& a, const Noisy& b) {
  Noisy y{a.value + b.value, a.variance + b.variance};
  round(y);
  return y;
}

void Sum::add(const Rows& more, const Rows& noise) {
  if (value.size() == 0) {
    value = more;
    variance = noise;
    return;
  }
  value += more;
  variance += noise;
}

void Sum::add(const Noisy& x, const Noisy& y) {
  add(x.value.transpose() * y.value,
      x.value.cwiseAbs2().transpose() * y.variance + x.variance.transpose() * y.value.cwiseAbs2());
}

Noisy normalised(const Noisy& x, const Rows& gain, double epsilon) {
  const Eigen::VectorXd rstd = roots(x.value, epsilon).matrix();
  const auto scaled = gain.row(0).asDiagonal();
  const Eigen::RowVectorXd squares = gain.row(0).cwiseAbs2();
  Noisy y{rstd.asDiagonal() * x.value * scaled,
          rstd.cwiseAbs2().asDiagonal() * x.variance * squares.asDiagonal()};
  round(y);
  return y;
}

// dx = rstd (h - n mean(h n)) with n = x rstd, h = dy gain.
Noisy normalised_back(const Noisy& x, const Rows& gain, double epsilon, const Noisy& dy, Sum& gain_gradient) {
  const Eigen::ArrayXd rstd = roots(x.value, epsilon);
  const auto columns = static_cast<double>(gain.cols());
  const Array n = x.value.array().colwise() * rstd, n_noise = x.variance.array().colwise() * rstd.square(),
              h = dy.value.array().rowwise() * gain.row(0).array(),
              h_noise = dy.variance.array().rowwise() * gain.row(0).array().square();
  const Eigen::ArrayXd along = (h * n).rowwise().sum() / columns,
                       along_noise = (h.square() * n_noise + n.square() * h_noise).rowwise().sum() /
                                     (columns * columns);
  const Array inner = h - n.colwise() * along,
              noise = h_noise + n_noise.colwise() * along.square() + n.square().colwise() * along_noise;
  const Array products = dy.value.array() * n;
  gain_gradient.add(products.colwise().sum().matrix(),
                    (n.square() * dy.variance.array() + dy.value.array().square() * n_noise +
                     rounding(1) * products.square())  // the array adds them up in the dtype
                        .colwise()
                        .sum()
                        .matrix());
  return noisy(inner.colwise() * rstd, noise.colwise() * rstd.square());
}

Noisy with_row(Noisy x, const Rows& biases, Eigen::Index row) {
  if (biases.size() == 0) return x;
  x.value.rowwise() += biases.row(row);
  x.variance.rowwise() += rounding(1) * biases.row(row).cwiseAbs2();
  return x;
}

Noisy layer_normalised(const Noisy& x, const Rows& gain, const Rows& bias, double epsilon) {
  const Noisy centred{x.value.colwise() - x.value.rowwise().mean(), x.variance};
  return with_row(normalised(centred, gain, epsilon), bias);
}

Noisy gated(const Noisy& gate, const Noisy& up, isa::ActFn activation) {
  const Array g = gate.value.array(), u = up.value.array();
  Array value, slope;
  if (activation == isa::ActFn::kSilu) {
    const Array s = 1 / (1 + (-g).exp());
    value = g * s;
    slope = s * (1 + g * (1 - s));
  } else if (activation == isa::ActFn::kGeluSigmoid) {
    const double steep = 1.702;
    const Array s = 1 / (1 + (-steep * g).exp());
    value = g * s;
    slope = s * (1 + steep * g * (1 - s));
  } else if (activation == isa::ActFn::kRelu) {
    value = g.max(0.0);
    slope = (g > 0).cast<double>();
  } else if (activation == isa::ActFn::kGelu) {
    const Array below = g.unaryExpr([](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); });
    value = g * below;
    slope = below + g * (-g.square() / 2).exp() / std::sqrt(2 * std::numbers::pi);
  } else {
    // g (1 + tanh(w)) / 2 with w = sqrt(2 / pi) (g + 0.044715 g^3)
    const double root = std::sqrt(2 / std::numbers::pi), cubic = 0.044715;
    const Array t = (root * (g + cubic * g.cube())).tanh();
    value = g * (1 + t) / 2;
    slope = (1 + t) / 2 + g * (1 - t.square()) / 2 * root * (1 + 3 * cubic * g.square());
  }
  Noisy y =
      noisy(value * u, (slope * u).square() * gate.variance.array() + value.square() * up.variance.array());
  round(y);
  return y;
}

Noisy squared_relu(const Noisy& x) {
  const Array kept = x.value.array().max(0.0);
  Noisy y = noisy(kept.square(), (2 * kept).square() * x.variance.array());
  round(y);
  return y;
}

Noisy limited(Noisy x, double least, double most) {
  x.variance = (x.value.array() > least && x.value.array() < most).select(x.variance, 0.0);
  x.value = x.value.cwiseMin(most).cwiseMax(least);
  return x;
}

Noisy gated_within(double limit, Noisy gate, Noisy up, isa::ActFn activation) {
  gate = limited(std::move(gate), -std::numeric_limits<double>::infinity(), limit);
  up = limited(std::move(up), -limit, limit);
  up.value.array() += 1;
  return gated(gate, up, activation);
}

Noisy bounded(const Noisy& x, double cap) {
  const Array t = (x.value.array() / cap).tanh();
  return noisy(cap * t, (1 - t.square()).square() * x.variance.array());
}

GatedGradients gated_back(const Noisy& gate, const Noisy& up, const Noisy& dy) {
  const Array g = gate.value.array(), u = up.value.array(), d = dy.value.array(), s = 1 / (1 + (-g).exp()),
              silu = g * s, slope = s * (1 + g * (1 - s)), bend = s * (1 - s) * (2 + g * (1 - 2 * s));
  GatedGradients back{
      noisy(d * u * slope, (u * slope).square() * dy.variance.array() +
                               (d * slope).square() * up.variance.array() +
                               (d * u * bend).square() * gate.variance.array()),
      noisy(d * silu, silu.square() * dy.variance.array() + (d * slope).square() * gate.variance.array())};
  round(back.gate);
  round(back.up);
  return back;
}

Noisy behind(const Rows& exact, Noisy rows) {
  if (exact.rows() == 0) return rows;
  const Noisy first = Noisy::exact(exact);
  Noisy both{Rows(exact.rows() + rows.value.rows(), exact.cols()),
             Rows(exact.rows() + rows.value.rows(), exact.cols())};
  both.value << first.value, rows.value;
  both.variance << first.variance, rows.variance;
  return both;
}

Noisy rotated(const Noisy& heads, const Rows& angles, bool back, std::uint64_t features) {
  const Eigen::Index half = angles.cols() / 2,
                     pitch = features > 0 ? static_cast<Eigen::Index>(features) : angles.cols();
  Noisy y = heads;
  const Array cos = angles.leftCols(half), sin = (back ? -1 : 1) * angles.rightCols(half).array();
  for (Eigen::Index h = 0; h < heads.value.cols(); h += pitch) {
    const Array a = heads.value.middleCols(h, half), b = heads.value.middleCols(h + half, half);
    // Products are rounded, and so is their sum.
    const Array a_noise = heads.variance.middleCols(h, half).array() + rounding(1) * a.square(),
                b_noise = heads.variance.middleCols(h + half, half).array() + rounding(1) * b.square();
    y.value.middleCols(h, half) = (a * cos - b * sin).matrix();
    y.value.middleCols(h + half, half) = (b * cos + a * sin).matrix();
    y.variance.middleCols(h, half) = (a_noise * cos.square() + b_noise * sin.square()).matrix();
    y.variance.middleCols(h + half, half) = (b_noise * cos.square() + a_noise * sin.square()).matrix();
    y.variance.middleCols(h, 2 * half) += rounding(1) * y.value.middleCols(h, 2 * half).cwiseAbs2();
  }
  return y;
}

}  // namespace tahoma::workloads
