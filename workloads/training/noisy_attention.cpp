// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/noisy_attention.h"

#include <cmath>

namespace tahoma::workloads {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::RowVectorXd, Eigen::VectorXd;

// One query of one head: its probabilities over the keys it sees, and the variance of its scores.
struct Query {
  Index t, head, kv, d;  // columns of its head, and of its keys'
  VectorXd p, score_variance;

  Query(const ModelShape& model, const NoisyHeads& heads, Index token, Index number)
      : t(token), d(static_cast<Index>(model.head_dim)) {
    head = number * d;
    kv = number / static_cast<Index>(model.group()) * d;
    const RowVectorXd q = heads.q.value.row(t).segment(head, d);
    const MatrixXd k = keys(heads.k);
    const double scale = 1 / std::sqrt(static_cast<double>(d));
    p = scale * (k * q.transpose());
    p = (p.array() - p.maxCoeff()).exp().matrix();
    p /= p.sum();
    score_variance =
        scale * scale *
        (q.squaredNorm() * heads.k.variance.head(t + 1) + heads.q.variance[t] * k.rowwise().squaredNorm());
  }
  MatrixXd keys(const Noisy& matrix) const { return matrix.value.block(0, kv, t + 1, d); }
};

template <class Body>
void for_queries(const ModelShape& model, const NoisyHeads& heads, Body&& body) {
  for (Index number = 0; number < static_cast<Index>(model.heads); ++number)
    for (Index t = 0; t < heads.q.value.rows(); ++t) body(Query(model, heads, t, number));
}

Noisy zeros_like(const Noisy& x) {
  return {Rows::Zero(x.value.rows(), x.value.cols()), VectorXd::Zero(x.variance.size())};
}

}  // namespace

// Variances of a row's heads are averaged.
Noisy attended(const ModelShape& model, const NoisyHeads& heads) {
  Noisy o = zeros_like(heads.q);
  for_queries(model, heads, [&](const Query& at) {
    const MatrixXd v = at.keys(heads.v);
    const RowVectorXd out = at.p.transpose() * v;
    o.value.row(at.t).segment(at.head, at.d) = out;
    const VectorXd squares = at.p.cwiseAbs2(),
                   apart = (v.rowwise() - out).rowwise().squaredNorm() / static_cast<double>(at.d),
                   size = v.rowwise().squaredNorm() / static_cast<double>(at.d);
    o.variance[at.t] += (squares.dot(heads.v.variance.head(at.t + 1)) +
                         squares.cwiseProduct(apart).dot(at.score_variance) + rounding(squares.dot(size))) /
                        static_cast<double>(model.heads);
  });
  round(o);
  return o;
}

NoisyHeads attended_back(const ModelShape& model, const NoisyHeads& heads, const Noisy& o, const Noisy& d_o) {
  NoisyHeads back{zeros_like(heads.q), zeros_like(heads.k), zeros_like(heads.v)};
  const double of_q = 1 / static_cast<double>(model.heads), of_k = 1 / static_cast<double>(model.kv_heads);
  for_queries(model, heads, [&](const Query& at) {
    const Index seen = at.t + 1;
    const auto d = static_cast<double>(at.d);
    const double scale = 1 / std::sqrt(d);
    const MatrixXd k = at.keys(heads.k), v = at.keys(heads.v);
    const RowVectorXd q = heads.q.value.row(at.t).segment(at.head, at.d),
                      out = o.value.row(at.t).segment(at.head, at.d),
                      dout = d_o.value.row(at.t).segment(at.head, at.d);
    const VectorXd dp = v * dout.transpose();
    const double delta = out.dot(dout);
    const VectorXd ds = at.p.array() * (dp.array() - delta);
    const VectorXd dp_variance =
        v.rowwise().squaredNorm() * d_o.variance[at.t] + dout.squaredNorm() * heads.v.variance.head(seen);
    const double delta_variance =
        out.squaredNorm() * d_o.variance[at.t] + dout.squaredNorm() * o.variance[at.t];
    const VectorXd squares = at.p.cwiseAbs2();
    const VectorXd ds_variance = (squares.array() * (dp_variance.array() + delta_variance) +
                                  ds.array().square() * (at.score_variance.array() + rounding(1)))
                                     .matrix();
    back.q.value.row(at.t).segment(at.head, at.d) = scale * (ds.transpose() * k);
    back.q.variance[at.t] +=
        of_q * scale * scale *
        (ds_variance.dot(k.rowwise().squaredNorm()) / d + ds.cwiseAbs2().dot(heads.k.variance.head(seen)));
    back.k.value.block(0, at.kv, seen, at.d) += scale * (ds * q);
    back.k.variance.head(seen) +=
        of_k * scale * scale *
        (ds_variance * (q.squaredNorm() / d) + ds.cwiseAbs2() * heads.q.variance[at.t]);
    back.v.value.block(0, at.kv, seen, at.d) += at.p * dout;
    back.v.variance.head(seen) +=
        of_k *
        (squares * d_o.variance[at.t] +
         (squares.array() * (at.score_variance.array() + rounding(1))).matrix() * (dout.squaredNorm() / d));
  });
  round(back.q);
  round(back.k);
  round(back.v);
  return back;
}

}  // namespace tahoma::workloads
