// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/definition/training_definition.h"

#include <fmt/format.h>

#include <cmath>

#include "runtime/golden/golden_rule.h"
#include "workloads/common/row_numbers.h"
#include "workloads/transformer/layer/noisy_attention.h"

namespace tahoma::workloads {

using Eigen::Index;
using runtime::GoldenResult, runtime::HostTensor;

namespace {

constexpr double kFp32 = 0x1p-24;

struct Weights {
  Rows attention_gain, q, k, v, o, mlp_gain, gate, up, down;
  explicit Weights(const HostWeights& w)
      : attention_gain(matrix_of(w.attention_gain)),
        q(matrix_of(w.q)),
        k(matrix_of(w.k)),
        v(matrix_of(w.v)),
        o(matrix_of(w.o)),
        mlp_gain(matrix_of(w.mlp_gain)),
        gate(matrix_of(w.gate)),
        up(matrix_of(w.up)),
        down(matrix_of(w.down)) {}
};
struct LayerSums {
  Sum attention_gain, q, k, v, o, mlp_gain, gate, up, down;
};

// The intermediate values of a layer's forward pass for one sequence.
struct Tape {
  Noisy x, normed, o, middle, normed_mlp, gate, up, hidden;
  NoisyHeads heads;
};

struct Step {
  const TrainingParams& params;
  const ModelShape& model;
  Rows angles;
  double sums;  // roundings of a sum over the ranks
  std::vector<Weights> weights;
  Rows final_gain, head;
  std::vector<LayerSums> layers;
  Sum final_gain_sum, head_sum;

  Tape forward(const Weights& w, const Noisy& x) const;
  Noisy next(const Weights& w, const Tape& t) const;
  Noisy back(const Weights& w, const Tape& t, const Noisy& dy, LayerSums& to) const;
};

Tape Step::forward(const Weights& w, const Noisy& x) const {
  Tape t;
  t.x = x;
  t.normed = normalised(x, w.attention_gain, model.epsilon);
  t.heads = {rotated(times(t.normed, w.q), angles, false), rotated(times(t.normed, w.k), angles, false),
             times(t.normed, w.v)};
  t.o = attended(model, t.heads);
  t.middle = sum(x, times(t.o, w.o, sums));
  t.normed_mlp = normalised(t.middle, w.mlp_gain, model.epsilon);
  t.gate = times(t.normed_mlp, w.gate);
  t.up = times(t.normed_mlp, w.up);
  t.hidden = gated(t.gate, t.up);
  return t;
}

Noisy Step::next(const Weights& w, const Tape& t) const {
  return sum(t.middle, times(t.hidden, w.down, sums));
}

Noisy Step::back(const Weights& w, const Tape& t, const Noisy& dy, LayerSums& to) const {
  to.down.add(t.hidden, dy);
  const GatedGradients inner = gated_back(t.gate, t.up, times_transposed(dy, w.down));
  to.gate.add(t.normed_mlp, inner.gate);
  to.up.add(t.normed_mlp, inner.up);
  const Noisy normed_mlp =
      sum(times_transposed(inner.gate, w.gate, sums), times_transposed(inner.up, w.up, sums));
  const Noisy middle = sum(dy, normalised_back(t.middle, w.mlp_gain, model.epsilon, normed_mlp, to.mlp_gain));
  to.o.add(t.o, middle);
  NoisyHeads heads = attended_back(model, t.heads, t.o, times_transposed(middle, w.o));
  heads.q = rotated(heads.q, angles, true);
  heads.k = rotated(heads.k, angles, true);
  to.q.add(t.normed, heads.q);
  to.k.add(t.normed, heads.k);
  to.v.add(t.normed, heads.v);
  const Noisy normed = sum(sum(times_transposed(heads.q, w.q, sums), times_transposed(heads.k, w.k, sums)),
                           times_transposed(heads.v, w.v, sums));
  return sum(middle, normalised_back(t.x, w.attention_gain, model.epsilon, normed, to.attention_gain));
}

struct Loss {
  Rows loss, variance;
  Noisy gradient;  // of the logits
};

Loss loss_of(const Noisy& logits, const Eigen::VectorXi& labels, double scale) {
  const Index rows = logits.value.rows();
  Loss made{Rows(rows, 1), Rows(rows, 1), logits};
  for (Index r = 0; r < rows; ++r) {
    const double most = logits.value.row(r).maxCoeff();
    Eigen::RowVectorXd p = (logits.value.row(r).array() - most).exp();
    const double sum = p.sum();
    p /= sum;
    // The errors of the exponentials: workloads/loss/cross_entropy_definition.h.
    const double of_sum = 16 * kFp32 * (1 + logits.value.row(r).cwiseAbs().maxCoeff());
    made.gradient.variance.row(r) =
        scale * scale *
        p.cwiseAbs2().cwiseProduct((logits.variance.row(r).array() + of_sum * of_sum).matrix());
    made.loss(r, 0) = std::log(sum) + most - logits.value(r, labels[r]);
    p[labels[r]] -= 1;
    made.variance(r, 0) = p.cwiseAbs2().dot(logits.variance.row(r)) + of_sum * of_sum;
    made.gradient.value.row(r) = scale * p;
  }
  round(made.gradient, 2);  // that of its exponential, and that of the result
  return made;
}

std::vector<Sum> in_order(Step& step) {
  using Member = Sum LayerSums::*;
  std::vector<Sum> all;
  for (const Member member :
       {&LayerSums::attention_gain, &LayerSums::q, &LayerSums::k, &LayerSums::v, &LayerSums::o,
        &LayerSums::mlp_gain, &LayerSums::gate, &LayerSums::up, &LayerSums::down})
    for (LayerSums& layer : step.layers) all.push_back(std::move(layer.*member));
  all.push_back(std::move(step.final_gain_sum));
  all.push_back(std::move(step.head_sum));
  return all;
}

GoldenResult check_matrix(const HostTensor& got, const Rows& want, const Rows& slack, const char* rule) {
  return runtime::check_rows(
      got,
      [&](std::uint64_t row) {
        runtime::WantedRow wanted;
        const auto r = static_cast<Index>(row);
        const double size = std::sqrt(want.squaredNorm() / static_cast<double>(want.size()));
        wanted.want.assign(want.row(r).begin(), want.row(r).end());
        wanted.slack.assign(slack.row(r).begin(), slack.row(r).end());
        wanted.scale.assign(wanted.want.size(), size);
        return wanted;
      },
      kFp32, rule,
      [](std::uint64_t, std::uint64_t) { return std::string("the cores that have a shard of it"); });
}

Rows deviations(const Rows& variance) { return runtime::kGoldenDeviations * variance.cwiseSqrt(); }

// Calls body(one of got's tensors, its gradient) for each; the first mismatch names the tensor.
template <class Check>
GoldenResult check_all(const WantedStep& wanted, const ModelTensors& got, Check&& check) {
  GoldenResult all;
  std::size_t number = 0;
  for_tensors(got, [&](const char* name, std::size_t layer, const HostTensor& tensor) {
    GoldenResult one = check(tensor, wanted.gradients[number++]);
    if (one.failed()) one.first_mismatch = fmt::format("{} of layer {}: {}", name, layer, one.first_mismatch);
    if (number == 1)
      all = one;
    else
      all.add(one);
  });
  return all;
}

}  // namespace

WantedStep wanted_step(const TrainingParams& params, const TrainingCase& values, double sums) {
  Step step{.params = params,
            .model = params.model(),
            .angles = matrix_of(values.table),
            .sums = sums,
            .weights = {},
            .final_gain = {},
            .head = {},
            .layers = {},
            .final_gain_sum = {},
            .head_sum = {}};
  for (const HostWeights& layer : values.weights.layers) step.weights.emplace_back(layer);
  step.final_gain = matrix_of(values.weights.final_gain);
  step.head = matrix_of(values.weights.head);
  step.layers.resize(step.weights.size());
  const Rows x = matrix_of(values.x);
  const auto tokens = static_cast<Index>(params.forward.tokens);
  WantedStep wanted{Rows(x.rows(), 1), Rows(x.rows(), 1), {}};
  for (Index first = 0; first < x.rows(); first += tokens) {
    Noisy stream = Noisy::exact(x.middleRows(first, tokens));
    std::vector<Tape> tapes;
    for (const Weights& w : step.weights) {
      tapes.push_back(step.forward(w, stream));
      stream = step.next(w, tapes.back());
    }
    const Noisy normed = normalised(stream, step.final_gain, step.model.epsilon);
    Eigen::VectorXi labels(tokens);
    for (Index t = 0; t < tokens; ++t)
      labels[t] = row_number(values.labels, static_cast<std::uint64_t>(first + t));
    const Loss loss = loss_of(times(normed, step.head), labels, 1 / static_cast<double>(x.rows()));
    wanted.loss.middleRows(first, tokens) = loss.loss;
    wanted.loss_variance.middleRows(first, tokens) = loss.variance;
    step.head_sum.add(normed, loss.gradient);
    Noisy gradient = normalised_back(stream, step.final_gain, step.model.epsilon,
                                     times_transposed(loss.gradient, step.head), step.final_gain_sum);
    round(gradient);
    for (std::size_t l = step.weights.size(); l-- > 0;)
      gradient = step.back(step.weights[l], tapes[l], gradient, step.layers[l]);
  }
  wanted.gradients = in_order(step);
  return wanted;
}

GoldenResult check_losses(const WantedStep& wanted, const HostTensor& got) {
  return check_matrix(got, wanted.loss, deviations(wanted.loss_variance),
                      "allowed deviations of independent roundings of the activations");
}

GoldenResult check_gradients(const WantedStep& wanted, const ModelTensors& got) {
  return check_all(wanted, got, [](const HostTensor& tensor, const Sum& gradient) {
    return check_matrix(
        tensor, gradient.value, deviations(gradient.variance),
        "allowed deviations of independent roundings of the activations, summed over the tokens");
  });
}

GoldenResult check_weights(const WantedStep& wanted, const AdamSettings& adam, const ModelTensors& before,
                           const ModelTensors& got) {
  std::vector<const HostTensor*> old;
  for_tensors(before, [&](const char*, std::size_t, const HostTensor& tensor) { old.push_back(&tensor); });
  std::size_t number = 0;
  // Both corrections cancel in a first step: the update is g / (|g| + epsilon).
  const auto moved = [&](const Eigen::ArrayXXd& g) -> Eigen::ArrayXXd {
    return adam.rate * g / (g.abs() + adam.epsilon);
  };
  return check_all(wanted, got, [&](const HostTensor& tensor, const Sum& gradient) {
    const Rows p = matrix_of(*old[number++]);
    const Eigen::ArrayXXd g = gradient.value.array(), off = deviations(gradient.variance).array(),
                          step = moved(g),
                          slack = (moved(g + off) - step).abs().max((moved(g - off) - step).abs());
    const Rows want = ((1 - adam.rate * adam.decay) * p.array() - step).matrix();
    // The errors of the optimizer's own arithmetic: workloads/optimizer/adam_definition.cpp.
    const Rows own = (16 * kFp32 * (step.abs() + p.array().abs())).matrix();
    return check_matrix(tensor, want, slack.matrix() + own,
                        "what allowed deviations of the gradient's error do to the optimizer's step");
  });
}

}  // namespace tahoma::workloads
