// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/layer_definition.h"

#include <cmath>
#include <utility>
#include <vector>

#include "runtime/golden/golden_rule.h"
#include "workloads/transformer/layer/delta_definition.h"
#include "workloads/transformer/layer/latent_definition.h"
#include "workloads/transformer/layer/noisy_attention.h"

namespace tahoma::workloads {

namespace {

Noisy gated_of(const ModelShape& model, const Noisy& gate, const Noisy& up) {
  return model.gate_limit > 0 ? gated_within(model.gate_limit, gate, up, model.activation)
                              : gated(gate, up, model.activation);
}

// The rows of a tensor; none of a tensor that the model does not have.
Rows rows_of(const runtime::HostTensor& tensor) { return tensor.shape.empty() ? Rows{} : matrix_of(tensor); }

// The weights of a feed-forward part, or its biases; without elements: none.
struct FeedForwardRows {
  Rows gate, up, down;
};

// Hidden features without a gate.
Noisy activated(const ModelShape& model, const Noisy& up) {
  if (model.squared) return squared_relu(up);
  return gated(up, Noisy::exact(Rows::Ones(up.value.rows(), up.value.cols())), model.activation);
}

// The feed-forward part on rows, with this row of each bias.
Noisy feed_forward_of(const ModelShape& model, const Noisy& x, const FeedForwardRows& weights,
                      double partial_roundings, const FeedForwardRows& biases = {}, Eigen::Index row = 0) {
  const Noisy product = with_row(times(x, weights.up), biases.up, row),
              hidden = model.gated
                           ? gated_of(model, with_row(times(x, weights.gate), biases.gate, row), product)
                           : activated(model, product);
  return with_row(times(quantised(hidden, model.activations), weights.down, partial_roundings), biases.down,
                  row);
}

// The feed-forward part of a layer without experts.
Noisy plain_feed_forward(const ModelShape& model, const HostWeights& w, const Noisy& x,
                         double partial_roundings) {
  return feed_forward_of(model, x, {rows_of(w.gate), matrix_of(w.up), matrix_of(w.down)}, partial_roundings,
                         {rows_of(w.gate_bias), rows_of(w.up_bias), rows_of(w.down_bias)});
}

// Sigmoids s of the chosen experts' logits, or s_e / sum of s_j. With d s_j = s_j (1 - s_j) d logit_j,
// d gate_e = gate_e (d s_e / s_e - sum of d s_j / sum of s_j).
void take_sigmoids(const ModelShape& model, const Eigen::RowVectorXd& kept, Eigen::Index row,
                   const Noisy& logits, Noisy& gates) {
  const Eigen::ArrayXXd s = kept.array() / (1 + (-logits.value.row(row).array()).exp()),
                        noise = logits.variance.row(row).array(), moved = (s * (1 - s)).square() * noise;
  if (!model.normalised_gates) {
    gates.value.row(row) = s.matrix();
    gates.variance.row(row) = moved.matrix();
    return;
  }
  const double sum = s.sum();
  gates.value.row(row) = (s / sum).matrix();
  gates.variance.row(row) =
      ((s / sum).square() * ((1 - s).square() * noise * (1 - 2 * s / sum) + moved.sum() / (sum * sum)))
          .matrix();
}

// The gates of the chosen experts of each row, a softmax over their logits or over all; 0 for the others.
Noisy gates_of(const ModelShape& model, const Noisy& logits, const ChosenExpert& chosen) {
  Noisy gates = Noisy::exact(Rows::Zero(logits.value.rows(), logits.value.cols()));
  for (Eigen::Index row = 0; row < logits.value.rows(); ++row) {
    Eigen::RowVectorXd kept = Eigen::RowVectorXd::Zero(logits.value.cols());
    for (std::uint64_t k = 0; k < model.experts_per_token; ++k)
      kept(static_cast<Eigen::Index>(chosen(static_cast<std::uint64_t>(row), k))) = 1;
    if (model.gate_function == GateFunction::kSigmoid) {
      take_sigmoids(model, kept, row, logits, gates);
      continue;
    }
    gates.value.row(row) = logits.value.row(row).array().exp().matrix();
    if (model.normalised_gates) gates.value.row(row).array() *= kept.array();
    gates.value.row(row) /= gates.value.row(row).sum();
    // d gate_e = gate_e (d logit_e - sum of gate_j d logit_j).
    const auto g = gates.value.row(row).array();
    const auto noise = logits.variance.row(row).array();
    const double shared = (g.square() * noise).sum();
    gates.variance.row(row) = (g.square() * (noise * (1 - 2 * g) + shared) * kept.array()).matrix();
    gates.value.row(row).array() *= kept.array();
  }
  gates.value *= model.gate_factor;
  gates.variance *= model.gate_factor * model.gate_factor;
  return gates;
}

// Each row times its gate of the expert, rounded.
void scale_rows(Noisy& own, const Noisy& gates, const std::vector<Eigen::Index>& rows, Eigen::Index expert) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const double g = gates.value(rows[i], expert), noise = gates.variance(rows[i], expert);
    own.variance.row(at) = g * g * own.variance.row(at) + noise * own.value.row(at).cwiseAbs2();
    own.value.row(at) *= g;
  }
  round(own);
}

Noisy mixture(const ModelShape& model, const HostWeights& weights, const Noisy& x, const ChosenExpert& chosen,
              double partial_roundings) {
  const FeedForwardRows biases{rows_of(weights.gate_bias), rows_of(weights.up_bias),
                               rows_of(weights.down_bias)};
  const Noisy gates =
      gates_of(model, with_row(times(x, matrix_of(weights.router)), rows_of(weights.router_bias)), chosen);
  const Rows gate = rows_of(weights.gate), up = matrix_of(weights.up), down = matrix_of(weights.down);
  const bool latent = model.expert_latent > 0;
  const Noisy seen = latent ? times(x, matrix_of(weights.expert_in)) : x;
  const auto hidden = static_cast<Eigen::Index>(model.expert_width()),
             ffn = static_cast<Eigen::Index>(model.ffn), experts = static_cast<Eigen::Index>(model.experts);
  Noisy y = Noisy::exact(Rows::Zero(seen.value.rows(), seen.value.cols()));
  for (Eigen::Index e = 0; e < experts; ++e) {
    std::vector<Eigen::Index> rows;
    for (Eigen::Index row = 0; row < x.value.rows(); ++row)
      if (gates.value(row, e) > 0) rows.push_back(row);
    Noisy own{seen.value(rows, Eigen::all), seen.variance(rows, Eigen::all)};
    if (model.gated_inputs) scale_rows(own, gates, rows, e);
    const Noisy made =
        feed_forward_of(model, own,
                        {.gate = model.gated ? Rows(gate.middleRows(e * hidden, hidden)) : Rows{},
                         .up = up.middleRows(e * hidden, hidden),
                         .down = down.middleRows(e * ffn, ffn)},
                        partial_roundings, biases, e);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      const double g = model.gated_inputs ? 1 : gates.value(rows[i], e),
                   noise = model.gated_inputs ? 0 : gates.variance(rows[i], e);
      y.value.row(rows[i]) += g * made.value.row(at);
      // The product with the gate is rounded, and so is the sum over a token's experts.
      y.variance.row(rows[i]) +=
          g * g * made.variance.row(at) + (noise + rounding(2) * g * g) * made.value.row(at).cwiseAbs2();
    }
  }
  return latent ? times(y, matrix_of(weights.expert_out), partial_roundings) : y;
}

// The shared expert. Its gate is computed in fp32.
Noisy shared_expert(const ModelShape& model, const HostWeights& weights, const Noisy& x,
                    double partial_roundings) {
  Noisy y = feed_forward_of(
      model, x, {rows_of(weights.shared_gate), matrix_of(weights.shared_up), matrix_of(weights.shared_down)},
      partial_roundings);
  if (!model.shared_gated) return y;
  const Noisy logit = times(x, matrix_of(weights.shared_router));
  for (Eigen::Index row = 0; row < y.value.rows(); ++row) {
    const double gate = 1 / (1 + std::exp(-logit.value(row, 0))), slope = gate * (1 - gate);
    y.variance.row(row) = gate * gate * y.variance.row(row) +
                          slope * slope * logit.variance(row, 0) * y.value.row(row).cwiseAbs2();
    y.value.row(row) *= gate;
  }
  return y;
}

// The feed-forward part. Each rank rounds the sum of its part of both kinds of experts.
Noisy feed_forward(const ModelShape& model, const HostWeights& weights, const Noisy& x,
                   const ChosenExpert& chosen, double partial_roundings) {
  if (model.experts == 0 || weights.dense) return plain_feed_forward(model, weights, x, partial_roundings);
  Noisy mixed = mixture(model, weights, x, chosen, partial_roundings);
  if (model.shared_ffn == 0) return mixed;
  round(mixed);
  return sum(mixed, shared_expert(model, weights, x, partial_roundings + 1));
}

Noisy with_norm(Noisy heads, const ModelShape& model, bool wanted, const runtime::HostTensor& gain,
                const runtime::HostTensor& joint_gain) {
  if (model.joint_qk_norm) return normalised(heads, matrix_of(joint_gain), model.epsilon);
  if (!wanted) return heads;
  const auto d = static_cast<Eigen::Index>(model.head_dim);
  for (Eigen::Index first = 0; first < heads.value.cols(); first += d) {
    const Noisy head = normalised({heads.value.middleCols(first, d), heads.variance.middleCols(first, d)},
                                  matrix_of(gain), model.epsilon);
    heads.value.middleCols(first, d) = head.value;
    heads.variance.middleCols(first, d) = head.variance;
  }
  return heads;
}

// o sigmoid(gates). The sigmoid is rounded, and so is the product.
Noisy gated_by(const Noisy& o, const Noisy& gates) {
  const Eigen::ArrayXXd s = 1 / (1 + (-gates.value.array()).exp());
  Noisy y{(o.value.array() * s).matrix(),
          (s.square() * o.variance.array() +
           o.value.array().square() * (s * (1 - s)).square() * gates.variance.array())
              .matrix()};
  round(y, 2);
  return y;
}

// The outputs of heads that have keys and values of their own.
Noisy heads_attended(const ModelShape& model, const HostWeights& weights, const Cache& cache, const Noisy& a,
                     const Rows& angles, std::uint64_t tokens) {
  const auto heads_of = [&](const runtime::HostTensor& w, const runtime::HostTensor& bias) {
    Noisy heads = with_row(times(a, matrix_of(w)), rows_of(bias));
    return model.qkv_limit > 0 ? limited(std::move(heads), -model.qkv_limit, model.qkv_limit) : heads;
  };
  const Noisy q = with_norm(heads_of(weights.q, weights.q_bias), model, weights.head_norms, weights.q_norm,
                            weights.joint_q_norm),
              k = with_norm(heads_of(weights.k, weights.k_bias), model, weights.head_norms, weights.k_norm,
                            weights.joint_k_norm);
  const auto turned = [&](const Noisy& all) {
    const bool rotates = weights.local ? model.rope.local : model.rope.global;
    return rotates ? rotated(all, angles, false, model.head_dim) : all;
  };
  NoisyHeads heads{turned(q), behind(cache.k, turned(k)),
                   behind(cache.v, heads_of(weights.v, weights.v_bias))};
  if (model.bidirectional && tokens > 0)
    for (Noisy* all : {&heads.k, &heads.v}) {
      const auto rows = static_cast<Eigen::Index>(tokens);
      *all = {all->value.topRows(rows), all->variance.topRows(rows)};
    }
  const Noisy o = attended(model, heads, weights.local ? model.window : 0,
                           model.sinks ? matrix_of(weights.sinks) : Rows{});
  return model.attention_gate ? gated_by(o, times(a, matrix_of(weights.attention_gate))) : o;
}

Noisy model_norm(const ModelShape& model, const Noisy& x, const runtime::HostTensor& gain,
                 const runtime::HostTensor& bias) {
  if (model.norm == NormKind::kRms) return normalised(x, matrix_of(gain), model.epsilon);
  return layer_normalised(x, matrix_of(gain), rows_of(bias), model.epsilon);
}

}  // namespace

Noisy logits_of(const ModelShape& model, const HostVocabulary& vocabulary, const Noisy& stream) {
  const Noisy logits = with_row(times(model_norm(model, stream, vocabulary.final_gain, vocabulary.final_bias),
                                      matrix_of(vocabulary.head)),
                                rows_of(vocabulary.head_bias));
  return model.logit_cap > 0 ? bounded(logits, model.logit_cap) : logits;
}

Rows matrix_of(const runtime::HostTensor& tensor) {
  std::vector<float> narrow(tensor.elements());
  runtime::widen_window(tensor, {0, 0, tensor.rows(), tensor.columns()}, narrow.data());
  using Narrow = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Narrow>(narrow.data(), static_cast<Eigen::Index>(tensor.rows()),
                                  static_cast<Eigen::Index>(tensor.columns()))
      .cast<double>();
}

void apply_layer(const ModelShape& model, const HostWeights& weights, const PartialRoundings& roundings,
                 const Cache& cache, Noisy& stream, const ChosenExpert& chosen) {
  const auto tokens = static_cast<std::uint64_t>(stream.value.rows()),
             before = static_cast<std::uint64_t>(cache.k.rows());
  const Rows angles =
      matrix_of(rope_table(model, before, 1, tokens, weights.local && model.rope.local_theta > 0));
  const auto post = [&](const Noisy& sublayer, const runtime::HostTensor& gain) {
    return model.post_norm ? normalised(sublayer, matrix_of(gain), model.epsilon) : sublayer;
  };
  const auto input = [&](const runtime::HostTensor& gain, const runtime::HostTensor& bias) {
    return model.pre_norm ? quantised(model_norm(model, stream, gain, bias), model.activations) : stream;
  };
  const Noisy a = input(weights.attention_gain, weights.attention_norm_bias);
  const Noisy o = weights.delta  ? delta_mixed(model, weights, cache, a)
                  : model.latent ? latent_attended(model, weights, cache, a, angles, roundings.absorbed)
                                 : heads_attended(model, weights, cache, a, angles, roundings.tokens);
  const Noisy projected =
      with_row(times(quantised(o, model.activations), matrix_of(weights.delta ? weights.delta_o : weights.o),
                     roundings.attention),
               rows_of(weights.o_bias));
  const Noisy beside = model.parallel_norm ? input(weights.mlp_gain, weights.mlp_norm_bias) : a;
  stream = sum(stream, post(projected, weights.attention_post_gain));
  if (!weights.feeds) return;
  if (model.norm_sums)
    stream = model_norm(model, stream, weights.attention_gain, weights.attention_norm_bias);
  const Noisy b = model.parallel ? beside : input(weights.mlp_gain, weights.mlp_norm_bias);
  stream = sum(stream, post(feed_forward(model, weights, b, chosen, roundings.mlp), weights.mlp_post_gain));
  if (model.norm_sums) stream = model_norm(model, stream, weights.mlp_gain, weights.mlp_norm_bias);
}

runtime::WantedRow wanted_row(const Noisy& stream, std::uint64_t number) {
  const auto row = static_cast<Eigen::Index>(number);
  const auto columns = static_cast<std::size_t>(stream.value.cols());
  const double size = std::sqrt(stream.value.row(row).squaredNorm() / static_cast<double>(columns));
  const Eigen::RowVectorXd slack = runtime::kGoldenDeviations * stream.variance.row(row).cwiseSqrt();
  runtime::WantedRow wanted;
  wanted.want.assign(stream.value.row(row).begin(), stream.value.row(row).end());
  wanted.slack.assign(slack.begin(), slack.end());
  wanted.scale.assign(columns, size);
  return wanted;
}

}  // namespace tahoma::workloads
