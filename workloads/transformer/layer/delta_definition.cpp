// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/delta_definition.h"

#include <cmath>

namespace tahoma::workloads {

namespace {

using Eigen::Index, Eigen::RowVectorXd, Eigen::VectorXd;

Noisy features_of(const Noisy& x, Index first, Index count) {
  return {x.value.middleCols(first, count), x.variance.middleCols(first, count)};
}

// silu of the sum over the last tokens, behind those of the cache or zeros.
Noisy convolved(const Noisy& x, const Rows& taps, const Rows& past) {
  const Index more = taps.rows() - 1;
  const Rows before = past.rows() > 0 ? past : Rows(Rows::Zero(more, x.value.cols()));
  const Noisy all = behind(before, x);
  Noisy sum = Noisy::exact(Rows::Zero(x.value.rows(), x.value.cols()));
  for (Index j = 0; j <= more; ++j) {
    const auto weight = taps.row(j).asDiagonal();
    sum.value += all.value.middleRows(j, x.value.rows()) * weight;
    sum.variance += all.variance.middleRows(j, x.value.rows()) * taps.row(j).cwiseAbs2().asDiagonal();
  }
  return gated(sum, Noisy::exact(Rows::Ones(x.value.rows(), x.value.cols())));
}

// factor x / |x| of each row.
Noisy of_length(const Noisy& x, double factor) {
  const VectorXd roots =
      factor * (x.value.rowwise().squaredNorm().array() + double{kKeyEpsilon}).rsqrt().matrix();
  Noisy y{roots.asDiagonal() * x.value, roots.cwiseAbs2().asDiagonal() * x.variance};
  round(y);
  return y;
}

// The numbers of a head and their variances, by token.
struct Numbers {
  VectorXd value, variance;
};

// A state, and the variance of its elements. The machine rounds copies of states, of keys, and of changes.
struct State {
  Rows value, variance;

  void decay(double factor, double noise) {
    variance = factor * factor * (variance + noise * value.cwiseAbs2());
    value *= factor;
  }
  // x S
  Noisy read(const RowVectorXd& x, const RowVectorXd& noise) const {
    const RowVectorXd squares = x.cwiseAbs2();
    return {x * value,
            squares * variance + noise * value.cwiseAbs2() + rounding(2) * (squares * value.cwiseAbs2())};
  }
  void add(const RowVectorXd& k, const RowVectorXd& noise, const Noisy& change) {
    const Rows changes = change.value.cwiseAbs2();
    value += k.transpose() * change.value;
    variance += k.cwiseAbs2().transpose() * change.variance + noise.transpose() * changes +
                rounding(2) * (k.cwiseAbs2().transpose() * changes);
  }
};

struct Head {
  Noisy q, k, v;
  Numbers rate, decay;  // of a state, as its logarithm

  Noisy outputs(State state) const {
    Noisy o = Noisy::exact(Rows::Zero(v.value.rows(), v.value.cols()));
    for (Index t = 0; t < v.value.rows(); ++t) {
      state.decay(std::exp(decay.value(t)), decay.variance(t));
      const Noisy found = state.read(k.value.row(t), k.variance.row(t));
      const Rows difference = v.value.row(t) - found.value;
      const double b = rate.value(t);
      const Noisy change{b * difference,
                         b * b * (v.variance.row(t) + found.variance) +
                             (rate.variance(t) + rounding(1) * b * b) * difference.cwiseAbs2()};
      state.add(k.value.row(t), k.variance.row(t), change);
      const Noisy made = state.read(q.value.row(t), q.variance.row(t));
      o.value.row(t) = made.value;
      o.variance.row(t) = made.variance;
    }
    return o;
  }
};

// Sigmoids of the numbers.
Numbers rates(const Noisy& b, Index head) {
  const Eigen::ArrayXd s = 1 / (1 + (-b.value.col(head).array()).exp());
  return {s.matrix(), ((s * (1 - s)).square() * b.variance.col(head).array()).matrix()};
}

// rate softplus(a + shift)
Numbers decays(const Noisy& a, Index head, double shift, double rate) {
  const Eigen::ArrayXd x = a.value.col(head).array() + shift, s = 1 / (1 + (-x).exp());
  return {(rate * (1 + x.exp()).log()).matrix(),
          ((rate * s).square() * a.variance.col(head).array()).matrix()};
}

}  // namespace

Noisy delta_mixed(const ModelShape& model, const HostWeights& w, const Cache& cache, const Noisy& a) {
  const DeltaRule& d = model.delta;
  const auto key = static_cast<Index>(d.key_dim), width = static_cast<Index>(d.value_dim),
             keys = static_cast<Index>(d.keys()), values = static_cast<Index>(d.values()),
             heads = static_cast<Index>(d.value_heads), sharing = heads / static_cast<Index>(d.key_heads);
  const auto past = [&](Index first, Index count) {
    return cache.v.rows() > 0 ? Rows(cache.v.middleCols(first, count)) : Rows{};
  };
  const Noisy q = convolved(times(a, matrix_of(w.delta_q)), matrix_of(w.delta_taps_q), past(0, keys)),
              k = convolved(times(a, matrix_of(w.delta_k)), matrix_of(w.delta_taps_k), past(keys, keys)),
              v = convolved(times(a, matrix_of(w.delta_v)), matrix_of(w.delta_taps_v),
                            past(2 * keys, values)),
              z = times(a, matrix_of(w.delta_z)), b = times(a, matrix_of(w.delta_b)),
              numbers = times(a, matrix_of(w.delta_a));
  const Rows shift = matrix_of(w.delta_shift), rate = matrix_of(w.delta_rate), gain = matrix_of(w.delta_gain);
  Noisy mixed = Noisy::exact(Rows::Zero(a.value.rows(), values));
  for (Index h = 0; h < heads; ++h) {
    const Index of_key = h / sharing * key;
    const Head head{of_length(features_of(q, of_key, key), 1 / std::sqrt(static_cast<double>(d.key_dim))),
                    of_length(features_of(k, of_key, key), 1), features_of(v, h * width, width), rates(b, h),
                    decays(numbers, h, shift(0, h), rate(0, h))};
    const Rows state =
        cache.k.rows() > 0 ? Rows(cache.k.middleRows(h * key, key)) : Rows(Rows::Zero(key, width));
    const Noisy made = gated(features_of(z, h * width, width),
                             normalised(head.outputs({state, Rows::Zero(key, width)}), gain, model.epsilon));
    mixed.value.middleCols(h * width, width) = made.value;
    mixed.variance.middleCols(h * width, width) = made.variance;
  }
  return mixed;
}

}  // namespace tahoma::workloads
