// SPDX-License-Identifier: Apache-2.0
// A shared expert beside the others, and gates that are a softmax over all experts: golden references on
// ranks, in both phases; planted errors; laws of the definition; work and footprint in closed form; refused
// cases.
#include <catch2/catch.hpp>

#include "tests/support/program/transformer_run.h"
#include "workloads/transformer/layer/layer_definition.h"
#include "workloads/transformer/model_footprint.h"

using namespace tahoma;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::params_with,
    tests::verdict, tests::zeroed;
using workloads::HostWeights, workloads::Noisy, workloads::Rows, workloads::TransformerParams;

namespace {

const Settings kMixtureOfEight{{"model.experts", "8"}, {"model.experts_per_token", "3"}, {"model.ffn", "64"}};
const Settings kShared =
    with(kMixtureOfEight,
         {{"model.normalised_gates", "false"}, {"model.shared_ffn", "128"}, {"model.shared_gated", "true"}});
const Settings kSharedStep{{"phase", "decode"}, {"context", "20"}};

Settings shared(const Settings& more) { return with(kShared, more); }

// The feed-forward part's contribution to the stream: the layer's output less that of the same layer whose
// part is zero.
Rows contribution(const TransformerParams& params, const HostWeights& weights, const Rows& x) {
  Noisy stream = Noisy::exact(x), without = stream;
  const workloads::ChosenExpert chosen = [](std::uint64_t row, std::uint64_t k) { return (row + 3 * k) % 8; };
  workloads::apply_layer(params.model, weights, {}, {}, stream, chosen);
  HostWeights silent = weights;
  for (runtime::HostTensor HostWeights::*tensor : {&HostWeights::down, &HostWeights::shared_down})
    std::fill((silent.*tensor).values.begin(), (silent.*tensor).values.end(), std::byte{0});
  workloads::apply_layer(params.model, silent, {}, {}, without, chosen);
  return stream.value - without.value;
}

void clear(runtime::HostTensor& tensor) {
  std::fill(tensor.values.begin(), tensor.values.end(), std::byte{0});
}

double difference(const Rows& a, const Rows& b) { return (a - b).cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("shared expert: a prefill on one core, and on two that share a rank", "[transformer]") {
  check_layers(chips(1, 1), shared({{"tokens", "40"}}));
  check_layers(chips(1, 2), shared({{"tokens", "40"}, {"routing", "skewed"}}));
}

TEST_CASE("shared expert: a prefill over blocks of two ranks, two layers, in slices", "[transformer]") {
  check_layers(chips(1, 2), shared({{"tokens", "128"},
                                    {"overlap", "2"},
                                    {"layers", "2"},
                                    {"model.layers", "2"},
                                    {"parallel.tensor", "4"},
                                    {"parallel.expert", "2"}}));
}

TEST_CASE("shared expert: a decoding step, fewer sequences than cores", "[transformer]") {
  check_layers(chips(1, 2), shared(with(kSharedStep, {{"batch", "1"}})));
  check_layers(
      chips(1, 2),
      shared(with(kSharedStep, {{"batch", "7"}, {"parallel.tensor", "4"}, {"parallel.expert", "2"}})));
}

TEST_CASE("shared expert: without a gate, and gates of all experts without it", "[transformer]") {
  check_layers(chips(1, 1), shared({{"tokens", "32"}, {"model.shared_gated", "false"}}));
  check_layers(chips(1, 1), shared(with(kSharedStep, {{"batch", "4"}, {"model.shared_gated", "false"}})));
  check_layers(chips(1, 1), with(kMixtureOfEight, {{"tokens", "32"}, {"model.normalised_gates", "false"}}));
  check_layers(chips(1, 1), with(kMixtureOfEight, {{"tokens", "32"},
                                                   {"model.normalised_gates", "false"},
                                                   {"model.experts_per_token", "8"}}));
}

TEST_CASE("shared expert: stages of a pipeline, with microbatches", "[transformer]") {
  const Settings stages = shared({{"layers", "2"},
                                  {"model.layers", "2"},
                                  {"batch", "4"},
                                  {"microbatches", "2"},
                                  {"parallel.tensor", "2"},
                                  {"parallel.pipeline", "2"}});
  check_layers(chips(1, 1), with(stages, {{"tokens", "32"}}));
  check_layers(chips(1, 1), with(stages, kSharedStep));
}

TEST_CASE("shared expert: wrong weights of it or of its gate are found", "[transformer]") {
  for (const Settings& phase : {Settings{{"tokens", "32"}}, with(kSharedStep, {{"batch", "4"}})}) {
    CHECK(verdict(shared(phase), {}) == "passed");
    for (const char* name : {"shared_router_weights", "gate_up_weights", "down_weights"})
      CHECK(verdict(shared(phase), zeroed(name)).find("golden") != std::string::npos);
  }
}

TEST_CASE("shared expert: gates of the chosen experts differ from gates of all", "[transformer]") {
  const Settings layer = with(kMixtureOfEight, {{"tokens", "16"}});
  const TransformerParams chosen = params_with(with(kTiny, layer)),
                          all = params_with(with(kTiny, with(layer, {{"model.normalised_gates", "false"}})));
  const workloads::HostCase values = workloads::host_case(chosen, 1);
  const Rows x = workloads::matrix_of(values.x);
  // Gates of all add up to less than 1, by a factor that is one for each row.
  const Rows a = contribution(chosen, values.weights[0], x), b = contribution(all, values.weights[0], x);
  for (Eigen::Index row = 0; row < a.rows(); ++row) {
    const double factor = b.row(row).dot(a.row(row)) / a.row(row).squaredNorm();
    CHECK(factor > 0);
    CHECK(factor < 1);
    CHECK((b.row(row) - factor * a.row(row)).norm() < 1e-9 * a.row(row).norm());
  }
  // They are the same if a token uses all experts.
  const Settings every = with(layer, {{"model.experts_per_token", "8"}});
  CHECK(difference(contribution(params_with(with(kTiny, every)), values.weights[0], x),
                   contribution(params_with(with(kTiny, with(every, {{"model.normalised_gates", "false"}}))),
                                values.weights[0], x)) < 1e-9);
}

TEST_CASE("shared expert: the definition is that of a dense part, times the sigmoid of its gate",
          "[transformer]") {
  const TransformerParams dense = params_with(with(kTiny, {{"tokens", "16"}, {"model.ffn", "128"}})),
                          gated = params_with(with(kTiny, shared({{"tokens", "16"}})));
  const workloads::HostCase values = workloads::host_case(gated, 1);
  const Rows x = workloads::matrix_of(values.x);
  HostWeights alone = values.weights[0];
  clear(alone.down);
  HostWeights as_dense = alone;
  as_dense.gate = alone.shared_gate;
  as_dense.up = alone.shared_up;
  as_dense.down = alone.shared_down;
  const Rows whole = contribution(dense, as_dense, x);
  TransformerParams ungated = gated;
  ungated.model.shared_gated = false;
  CHECK(difference(contribution(ungated, alone, x), whole) < 1e-9);
  // A gate whose logit is 0 halves it.
  clear(alone.shared_router);
  CHECK(difference(contribution(gated, alone, x), 0.5 * whole) < 1e-9);
}

TEST_CASE("shared expert: work and footprint count it once for all tokens", "[transformer]") {
  const TransformerParams without = params_with(with(kTiny, with(kMixtureOfEight, {{"tokens", "64"}}))),
                          gated = params_with(with(kTiny, shared({{"tokens", "64"}})));
  const double expert = 3.0 * 256 * 128 + 256;
  CHECK(gated.useful_flops() - without.useful_flops() == Approx(2 * 64 * expert));
  const auto weights = [](const TransformerParams& params) {
    return workloads::footprint_of(params, chips(1, 1)).weights;
  };
  CHECK(weights(gated) - weights(without) == Approx(2 * expert));
}

TEST_CASE("experts of latent vectors: a token uses fewer weights, and both products", "[transformer]") {
  const auto mixture = with(kMixtureOfEight, {{"tokens", "64"}});
  const TransformerParams whole = params_with(with(kTiny, mixture)),
                          latent = params_with(with(kTiny, with(mixture, {{"model.expert_latent", "64"}})));
  const workloads::ModelShape& m = whole.model;
  const auto d = [](std::uint64_t n) { return static_cast<double>(n); };
  const double fewer = 3 * d((m.hidden - 64) * m.ffn), products = 2 * 64 * d(m.hidden);
  CHECK(whole.useful_flops() - latent.useful_flops() ==
        Approx(2 * 64 * (d(m.experts_per_token) * fewer - products)));
}

TEST_CASE("padded heads: they count as no work", "[transformer]") {
  const TransformerParams real = params_with(with(kTiny, {{"model.heads", "8"}, {"model.kv_heads", "4"}})),
                          padded = params_with(with(kTiny, {{"model.heads", "12"},
                                                            {"model.kv_heads", "4"},
                                                            {"model.padding_heads", "4"}}));
  CHECK(padded.useful_flops() == real.useful_flops());
}

TEST_CASE("shared expert: what only a mixture has, or cannot be divided, is refused", "[transformer]") {
  const auto refused = [](const Settings& settings) {
    return tests::refusal(chips(1, 1), with(kTiny, settings));
  };
  CHECK(refused(shared({{"tokens", "64"}})) == "accepted");
  CHECK(refused({{"model.shared_ffn", "128"}}) == "E-MDL-001 workload.model.shared_ffn");
  CHECK(refused({{"model.normalised_gates", "false"}}) == "E-MDL-001 workload.model.normalised_gates");
  CHECK(refused(with(kMixtureOfEight, {{"model.shared_gated", "true"}})) ==
        "E-MDL-001 workload.model.shared_gated");
  CHECK(refused(shared({{"tokens", "64"}, {"parallel.tensor", "4"}, {"model.shared_ffn", "130"}})) ==
        "E-MDL-001 workload.parallel.tensor");
}
