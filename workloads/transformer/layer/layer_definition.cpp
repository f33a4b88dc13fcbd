// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/layer_definition.h"

#include <cmath>
#include <vector>

#include "runtime/golden/golden_rule.h"

namespace tahoma::workloads {

namespace {

double unit() { return runtime::unit_roundoff(TransformerParams::kDType); }

Rows normalised(const Rows& x, const Rows& gain, double epsilon) {
  Rows y(x.rows(), x.cols());
  for (Eigen::Index r = 0; r < x.rows(); ++r) {
    const double mean = x.row(r).squaredNorm() / static_cast<double>(x.cols());
    y.row(r) = (x.row(r) / std::sqrt(mean + epsilon)).cwiseProduct(gain.row(0));
  }
  return y;
}

// `angles` [tokens, d]: cos of the pairs, then sin.
void rotate(Rows& heads, const Rows& angles) {
  const Eigen::Index d = angles.cols(), half = d / 2;
  for (Eigen::Index t = 0; t < heads.rows(); ++t)
    for (Eigen::Index h = 0; h < heads.cols(); h += d)
      for (Eigen::Index i = 0; i < half; ++i) {
        const double a = heads(t, h + i), b = heads(t, h + half + i), cos = angles(t, i),
                     sin = angles(t, half + i);
        heads(t, h + i) = a * cos - b * sin;
        heads(t, h + half + i) = b * cos + a * sin;
      }
}

Rows below(const Rows& first, const Rows& second) {
  Rows both(first.rows() + second.rows(), second.cols());
  if (first.rows() > 0) both.topRows(first.rows()) = first;
  both.bottomRows(second.rows()) = second;
  return both;
}

// Row t sees the first `before` + t + 1 keys.
Rows attend(const ModelShape& model, const Rows& q, const Rows& k, const Rows& v, Eigen::Index before) {
  const auto d = static_cast<Eigen::Index>(model.head_dim), group = static_cast<Eigen::Index>(model.group());
  Rows o(q.rows(), q.cols());
  for (Eigen::Index head = 0; head * d < q.cols(); ++head) {
    const Eigen::Index kv = head / group * d;
    for (Eigen::Index t = 0; t < q.rows(); ++t) {
      const Eigen::Index seen = before + t + 1;
      Eigen::VectorXd scores = k.block(0, kv, seen, d) * q.row(t).segment(head * d, d).transpose();
      scores /= std::sqrt(static_cast<double>(d));
      scores = (scores.array() - scores.maxCoeff()).exp().matrix();
      o.row(t).segment(head * d, d) = scores.transpose() * v.block(0, kv, seen, d) / scores.sum();
    }
  }
  return o;
}

Rows swiglu(const Rows& x, const Rows& gate, const Rows& up, const Rows& down) {
  const Rows g = x * gate;
  return (g.array() / (1 + (-g.array()).exp()) * (x * up).array()).matrix() * down;
}

Rows mixture(const ModelShape& model, const HostWeights& weights, const Rows& x, const ChosenExpert& chosen) {
  const Rows logits = x * matrix_of(weights.router), gate = matrix_of(weights.gate),
             up = matrix_of(weights.up), down = matrix_of(weights.down);
  const auto hidden = static_cast<Eigen::Index>(model.hidden), ffn = static_cast<Eigen::Index>(model.ffn),
             experts = static_cast<Eigen::Index>(model.experts);
  Rows weight = Rows::Zero(x.rows(), experts);
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    for (std::uint64_t k = 0; k < model.experts_per_token; ++k) {
      const auto e = static_cast<Eigen::Index>(chosen(static_cast<std::uint64_t>(row), k));
      weight(row, e) = std::exp(logits(row, e));
    }
    weight.row(row) /= weight.row(row).sum();
  }
  Rows y = Rows::Zero(x.rows(), x.cols());
  for (Eigen::Index e = 0; e < experts; ++e) {
    std::vector<Eigen::Index> rows;
    for (Eigen::Index row = 0; row < x.rows(); ++row)
      if (weight(row, e) > 0) rows.push_back(row);
    const Rows made = swiglu(x(rows, Eigen::all), gate.middleRows(e * hidden, hidden),
                             up.middleRows(e * hidden, hidden), down.middleRows(e * ffn, ffn));
    for (std::size_t i = 0; i < rows.size(); ++i)
      y.row(rows[i]) += weight(rows[i], e) * made.row(static_cast<Eigen::Index>(i));
  }
  return y;
}

// The contribution of a part to the stream, and its effect on the error.
void add(Stream& stream, const Rows& part, double roundings) {
  const auto columns = static_cast<double>(part.cols());
  for (Eigen::Index r = 0; r < part.rows(); ++r) {
    const double before = stream.x.row(r).squaredNorm() / columns, more = part.row(r).squaredNorm() / columns;
    const double of_part = 2 * stream.variance[r] + roundings * unit() * unit() / 3;
    const double absolute = stream.variance[r] * before + of_part * more;
    stream.x.row(r) += part.row(r);
    stream.variance[r] = absolute / (stream.x.row(r).squaredNorm() / columns);
  }
}

}  // namespace

Rows matrix_of(const runtime::HostTensor& tensor) {
  std::vector<float> narrow(tensor.elements());
  runtime::widen_window(tensor, {0, 0, tensor.rows(), tensor.columns()}, narrow.data());
  using Narrow = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Narrow>(narrow.data(), static_cast<Eigen::Index>(tensor.rows()),
                                  static_cast<Eigen::Index>(tensor.columns()))
      .cast<double>();
}

void apply_layer(const ModelShape& model, const HostWeights& weights, const Roundings& roundings,
                 const Cache& cache, Stream& stream, const ChosenExpert& chosen) {
  const auto tokens = static_cast<std::uint64_t>(stream.x.rows()),
             before = static_cast<std::uint64_t>(cache.k.rows());
  const Rows angles = matrix_of(rope_table(model, before, 1, tokens));
  const Rows a = normalised(stream.x, matrix_of(weights.attention_gain), model.epsilon);
  Rows q = a * matrix_of(weights.q), k = a * matrix_of(weights.k);
  rotate(q, angles);
  rotate(k, angles);
  const Rows o =
      attend(model, q, below(cache.k, k), below(cache.v, a * matrix_of(weights.v)), cache.k.rows());
  add(stream, o * matrix_of(weights.o), roundings.attention);
  const Rows b = normalised(stream.x, matrix_of(weights.mlp_gain), model.epsilon);
  const Rows y = model.experts > 0
                     ? mixture(model, weights, b, chosen)
                     : swiglu(b, matrix_of(weights.gate), matrix_of(weights.up), matrix_of(weights.down));
  add(stream, y, roundings.mlp);
}

runtime::WantedRow wanted_row(const Stream& stream, std::uint64_t number) {
  const auto row = static_cast<Eigen::Index>(number);
  const auto columns = static_cast<std::size_t>(stream.x.cols());
  const double size = std::sqrt(stream.x.row(row).squaredNorm() / static_cast<double>(columns));
  runtime::WantedRow wanted;
  wanted.want.assign(stream.x.row(row).begin(), stream.x.row(row).end());
  wanted.slack.assign(columns, runtime::kGoldenDeviations * std::sqrt(stream.variance[row]) * size);
  wanted.scale.assign(columns, size);
  return wanted;
}

}  // namespace tahoma::workloads
