// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/noisy_attention.h"

#include <algorithm>
#include <cmath>

namespace tahoma::workloads {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::RowVectorXd, Eigen::VectorXd;

// What is attended to: by each query the keys in its window (0: all), and the sinks, if there are any.
struct AttendedHeads {
  const ModelShape& model;
  const HeadSizes& sizes;
  const NoisyHeads& heads;
  std::uint64_t window;
  const Rows& sinks;
};

// One query of one head: its probabilities over its visible keys, and the variance of its scores.
struct Query {
  Index t, first, seen;          // visible keys from the first one on
  Index head, kv, d;             // first columns of its head, and of its keys'
  Index out, from, value_width;  // first columns of its output, and of its values'
  double scale;
  VectorXd p, score_variance;

  Query(const AttendedHeads& all, Index token, Index number)
      : t(token),
        first(0),
        seen(all.heads.k.value.rows() - all.heads.q.value.rows() + token + 1),
        head(number * static_cast<Index>(all.sizes.d)),
        kv(number / static_cast<Index>(all.sizes.group) * static_cast<Index>(all.sizes.d)),
        d(static_cast<Index>(all.sizes.d)),
        out(number * static_cast<Index>(all.sizes.values)),
        from(number / static_cast<Index>(all.sizes.group) * static_cast<Index>(all.sizes.values)),
        value_width(static_cast<Index>(all.sizes.values)),
        scale(all.model.score_scale()) {
    const auto& [model, sizes, heads, window, sinks] = all;
    if (model.bidirectional) seen = heads.k.value.rows();
    if (window > 0) {
      first = std::max<Index>(0, seen - static_cast<Index>(window));
      seen -= first;
    }
    const RowVectorXd q = row(heads.q.value);
    const MatrixXd k = keys(heads.k.value);
    p = scale * (k * q.transpose());
    VectorXd slope = VectorXd::Ones(seen);
    if (model.score_cap > 0) {
      const VectorXd t = (p / model.score_cap).array().tanh().matrix();
      slope = (1 - t.array().square()).square().matrix();
      p = model.score_cap * t;
    }
    const double largest = p.maxCoeff();
    p = (p.array() - largest).exp().matrix();
    p /= p.sum() + (sinks.size() > 0 ? std::exp(sinks(0, number) - largest) : 0);
    score_variance = scale * scale *
                     (keys(heads.k.variance) * q.cwiseAbs2().transpose() +
                      k.cwiseAbs2() * row(heads.q.variance).transpose());
    score_variance = score_variance.cwiseProduct(slope);
  }
  MatrixXd keys(const Rows& matrix) const { return matrix.block(first, kv, seen, d); }
  RowVectorXd row(const Rows& matrix) const { return matrix.row(t).segment(head, d); }
  auto block(Rows& matrix) const { return matrix.block(first, kv, seen, d); }
  auto segment(Rows& matrix) const { return matrix.row(t).segment(head, d); }
  MatrixXd values(const Rows& matrix) const { return matrix.block(first, from, seen, value_width); }
  auto output(Rows& matrix) const { return matrix.row(t).segment(out, value_width); }
};

template <class Body>
void for_queries(const AttendedHeads& all, Body&& body) {
  for (Index number = 0; number < static_cast<Index>(all.sizes.heads); ++number)
    for (Index t = 0; t < all.heads.q.value.rows(); ++t) body(Query(all, t, number));
}

HeadSizes sizes_of(const ModelShape& model) {
  return {model.heads, model.group(), model.head_dim, model.head_dim};
}

Noisy zeros_like(const Noisy& x) { return Noisy::exact(Rows::Zero(x.value.rows(), x.value.cols())); }

}  // namespace

// An error in a probability changes its row by p (v - o). In addition to its score's error it is rounded to
// the dtype.
Noisy attended(const ModelShape& model, const NoisyHeads& heads, std::uint64_t window, const HeadSizes& sizes,
               const Rows& sinks) {
  Noisy o = Noisy::exact(Rows::Zero(heads.q.value.rows(), static_cast<Index>(sizes.heads * sizes.values)));
  for_queries({model, sizes, heads, window, sinks}, [&](const Query& at) {
    const MatrixXd v = at.values(heads.v.value);
    const RowVectorXd out = at.p.transpose() * v;
    const VectorXd squares = at.p.cwiseAbs2(), moved = squares.cwiseProduct(at.score_variance);
    at.output(o.value) = out;
    at.output(o.variance) = squares.transpose() * at.values(heads.v.variance) +
                            moved.transpose() * (v.rowwise() - out).cwiseAbs2() +
                            rounding(1) * (squares.transpose() * v.cwiseAbs2());
  });
  round(o, sinks.size() > 0 ? 2 : 1);  // outputs without the sinks are rounded, too
  return o;
}

Noisy attended(const ModelShape& model, const NoisyHeads& heads, std::uint64_t window, const Rows& sinks) {
  return attended(model, heads, window, sizes_of(model), sinks);
}

// dS = P (dP - D), dP = dO V^T, D = dO o.
NoisyHeads attended_back(const ModelShape& model, const NoisyHeads& heads, const Noisy& o, const Noisy& d_o) {
  NoisyHeads back{zeros_like(heads.q), zeros_like(heads.k), zeros_like(heads.v)};
  for_queries({model, sizes_of(model), heads, 0, Rows{}}, [&](const Query& at) {
    const MatrixXd k = at.keys(heads.k.value), v = at.keys(heads.v.value);
    const RowVectorXd q = at.row(heads.q.value), out = at.row(o.value), dout = at.row(d_o.value),
                      dout_noise = at.row(d_o.variance);
    const VectorXd squares = at.p.cwiseAbs2(), dp = v * dout.transpose(),
                   ds = at.p.cwiseProduct((dp.array() - out.dot(dout)).matrix());
    const VectorXd dp_noise =
        v.cwiseAbs2() * dout_noise.transpose() + at.keys(heads.v.variance) * dout.cwiseAbs2().transpose();
    const double d_noise = out.cwiseAbs2().dot(dout_noise) + dout.cwiseAbs2().dot(at.row(o.variance));
    const VectorXd p_noise = squares.cwiseProduct((at.score_variance.array() + rounding(1)).matrix()),
                   ds_noise = squares.cwiseProduct((dp_noise.array() + d_noise).matrix()) +
                              ds.cwiseAbs2().cwiseProduct((at.score_variance.array() + rounding(1)).matrix());
    const double scale = at.scale, square = scale * scale;
    at.segment(back.q.value) = scale * (ds.transpose() * k);
    at.segment(back.q.variance) = square * (ds_noise.transpose() * k.cwiseAbs2() +
                                            ds.cwiseAbs2().transpose() * at.keys(heads.k.variance));
    at.block(back.k.value) += scale * (ds * q);
    at.block(back.k.variance) +=
        square * (ds_noise * q.cwiseAbs2() + ds.cwiseAbs2() * at.row(heads.q.variance));
    at.block(back.v.value) += at.p * dout;
    at.block(back.v.variance) += squares * dout_noise + p_noise * dout.cwiseAbs2();
  });
  round(back.q);
  round(back.k);
  round(back.v);
  return back;
}

}  // namespace tahoma::workloads
