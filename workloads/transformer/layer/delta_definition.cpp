// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/delta_definition.h"

#include <cmath>
#include <limits>

namespace tahoma::workloads {

namespace {

using Eigen::Index, Eigen::RowVectorXd, Eigen::VectorXd;

Noisy features_of(const Noisy& x, Index first, Index count) {
  return {x.value.middleCols(first, count), x.variance.middleCols(first, count)};
}

// silu of the sum over the last tokens, behind those of the cache or zeros.
Noisy convolved(const Noisy& x, const Rows& taps, const Rows& past, const Rows& bias) {
  const Index more = taps.rows() - 1;
  const Rows before = past.rows() > 0 ? past : Rows(Rows::Zero(more, x.value.cols()));
  const Noisy all = behind(before, x);
  Noisy sum = Noisy::exact(Rows::Zero(x.value.rows(), x.value.cols()));
  for (Index j = 0; j <= more; ++j) {
    const auto weight = taps.row(j).asDiagonal();
    sum.value += all.value.middleRows(j, x.value.rows()) * weight;
    sum.variance += all.variance.middleRows(j, x.value.rows()) * taps.row(j).cwiseAbs2().asDiagonal();
  }
  if (bias.size() > 0) sum.value.rowwise() += bias.row(0);
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
  double skip = 0;      // of Mamba-2, which writes all of a value

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

// With the rule of Mamba-2: the state takes b v, and the output has a part of v. The machine rounds values
// times rates.
Noisy scanned(const Head& head, State state) {
  Noisy o = Noisy::exact(Rows::Zero(head.v.value.rows(), head.v.value.cols()));
  for (Index t = 0; t < head.v.value.rows(); ++t) {
    state.decay(std::exp(head.decay.value(t)), head.decay.variance(t));
    const Rows v = head.v.value.row(t), noise = head.v.variance.row(t);
    const double b = head.rate.value(t);
    state.add(head.k.value.row(t), head.k.variance.row(t),
              {b * v, b * b * noise + (head.rate.variance(t) + rounding(1) * b * b) * v.cwiseAbs2()});
    const Noisy made = state.read(head.q.value.row(t), head.q.variance.row(t));
    o.value.row(t) = made.value + head.skip * v;
    o.variance.row(t) = made.variance + head.skip * head.skip * noise;
  }
  return o;
}

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

// softplus(a + shift) within limits, and the decays that follow.
struct Steps {
  Numbers rate, decay;
};
Steps steps(const Noisy& a, Index head, double shift, double rate, const DeltaRule& d) {
  const Eigen::ArrayXd x = a.value.col(head).array() + shift, s = 1 / (1 + (-x).exp()),
                       most = Eigen::ArrayXd::Constant(
                           x.size(), d.most_rate > 0 ? d.most_rate : std::numeric_limits<double>::infinity()),
                       step = (1 + x.exp()).log().max(d.least_rate).min(most),
                       noise = s.square() * a.variance.col(head).array();
  return {{step.matrix(), noise.matrix()}, {(rate * step).matrix(), (rate * rate * noise).matrix()}};
}

Noisy side_by_side(const Noisy& a, const Noisy& b) {
  Noisy both{Rows(a.value.rows(), a.value.cols() + b.value.cols()),
             Rows(a.value.rows(), a.value.cols() + b.value.cols())};
  both.value << a.value, b.value;
  both.variance << a.variance, b.variance;
  return both;
}

// The parts of a layer behind its convolution.
struct Mixed {
  Noisy q, k, v, z, numbers;
};

// Of the rule of Mamba-2: a norm over the gated outputs of the heads that share keys.
Noisy scan_mixed(const ModelShape& model, const HostWeights& w, const Cache& cache, const Mixed& m) {
  const DeltaRule& d = model.delta;
  const auto key = static_cast<Index>(d.key_dim), width = static_cast<Index>(d.value_dim),
             sharing = static_cast<Index>(d.value_heads / d.key_heads);
  const Rows shift = matrix_of(w.delta_shift), rate = matrix_of(w.delta_rate), gain = matrix_of(w.delta_gain),
             skip = matrix_of(w.delta_skip);
  Noisy all;
  for (Index g = 0; g < static_cast<Index>(d.key_heads); ++g) {
    Noisy group;
    for (Index h = g * sharing; h < (g + 1) * sharing; ++h) {
      const Steps of_head = steps(m.numbers, h, shift(0, h), rate(0, h), d);
      const Head head{features_of(m.q, g * key, key),
                      features_of(m.k, g * key, key),
                      features_of(m.v, h * width, width),
                      of_head.rate,
                      of_head.decay,
                      skip(0, h)};
      const Rows state =
          cache.k.rows() > 0 ? Rows(cache.k.middleRows(h * key, key)) : Rows(Rows::Zero(key, width));
      const Noisy o =
          gated(features_of(m.z, h * width, width), scanned(head, {state, Rows::Zero(key, width)}));
      group = h == g * sharing ? o : side_by_side(group, o);
    }
    const Noisy normed =
        normalised(group, gain.middleCols(g * sharing * width, sharing * width), model.epsilon);
    all = g == 0 ? normed : side_by_side(all, normed);
  }
  return all;
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
  const auto mixed_of = [&](const runtime::HostTensor& matrix, const runtime::HostTensor& taps,
                            const runtime::HostTensor& bias, Index first, Index count) {
    return convolved(times(a, matrix_of(matrix)), matrix_of(taps), past(first, count),
                     d.tap_bias ? matrix_of(bias) : Rows{});
  };
  const Mixed m{mixed_of(w.delta_q, w.delta_taps_q, w.delta_bias_q, 0, keys),
                mixed_of(w.delta_k, w.delta_taps_k, w.delta_bias_k, keys, keys),
                mixed_of(w.delta_v, w.delta_taps_v, w.delta_bias_v, 2 * keys, values),
                times(a, matrix_of(w.delta_z)), times(a, matrix_of(w.delta_a))};
  if (d.scans()) return scan_mixed(model, w, cache, m);
  const Noisy b = times(a, matrix_of(w.delta_b));
  const Rows shift = matrix_of(w.delta_shift), rate = matrix_of(w.delta_rate), gain = matrix_of(w.delta_gain);
  Noisy mixed = Noisy::exact(Rows::Zero(a.value.rows(), values));
  for (Index h = 0; h < heads; ++h) {
    const Index of_key = h / sharing * key;
    const Head head{of_length(features_of(m.q, of_key, key), 1 / std::sqrt(static_cast<double>(d.key_dim))),
                    of_length(features_of(m.k, of_key, key), 1), features_of(m.v, h * width, width),
                    rates(b, h), decays(m.numbers, h, shift(0, h), rate(0, h))};
    const Rows state =
        cache.k.rows() > 0 ? Rows(cache.k.middleRows(h * key, key)) : Rows(Rows::Zero(key, width));
    const Noisy made = gated(features_of(m.z, h * width, width),
                             normalised(head.outputs({state, Rows::Zero(key, width)}), gain, model.epsilon));
    mixed.value.middleCols(h * width, width) = made.value;
    mixed.variance.middleCols(h * width, width) = made.variance;
  }
  return mixed;
}

}  // namespace tahoma::workloads
