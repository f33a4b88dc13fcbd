// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/transformer_params.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "workloads/transformer/partition/handover.h"
#include "workloads/transformer/partition/stage_layers.h"
#include "workloads/transformer/partition/transformer_checks.h"

namespace tahoma::workloads {

namespace {

using base::chosen;

// Inputs that a training step does not have.
const TransformerFiles::File kModelFiles[] = {
    {"q_bias", "with qkv_bias: [layers, 1, heads head_dim] of fp32", {}},
    {"k_bias", "with qkv_bias: [layers, 1, kv_heads head_dim] of fp32", {}},
    {"v_bias", "with qkv_bias: [layers, 1, kv_heads head_dim] of fp32", {}},
    {"o_bias", "with o_bias: [layers, 1, hidden] of fp32", {}},
    {"gate_bias", "with mlp_bias and gated: [layers, 1, ffn] of fp32, of experts [layers, experts, ffn]", {}},
    {"up_bias", "with mlp_bias: as gate_bias", {}},
    {"down_bias", "with mlp_bias: [layers, 1, hidden] of fp32, of experts [layers, experts, hidden]", {}},
    {"router_bias", "with mlp_bias, of experts: [layers, 1, experts] of fp32", {}},
    {"sinks", "with sinks: [layers, 1, heads] of fp32", {}},
    {"attention_norm_bias", "with norm layer_bias: [layers, 1, hidden] of fp32", {}},
    {"mlp_norm_bias", "with norm layer_bias: [layers, 1, hidden] of fp32", {}},
    {"q_a",
     "with model.latent.q_rank: [layers, hidden, q_rank]; q is then [layers, q_rank, heads head_dim]",
     {}},
    {"q_a_gain", "with model.latent.q_rank: [layers, 1, q_rank] of fp32", {}},
    {"kv_a", "with model.latent: [layers, hidden, kv_rank + rope]", {}},
    {"kv_a_gain", "with model.latent: [layers, 1, kv_rank] of fp32", {}},
    {"kv_b", "with model.latent: [layers, kv_rank, heads (nope + values)]", {}},
    {"expert_in", "with model.expert_latent: [layers, hidden, expert_latent]", {}},
    {"expert_out", "with model.expert_latent: [layers, expert_latent, hidden]", {}},
    {"dense_gate",
     "with model.dense_layers: [layers, hidden, dense_ffn], of which layers with experts use nothing",
     {}},
    {"dense_up", "as dense_gate", {}},
    {"dense_down", "with model.dense_layers: [layers, dense_ffn, hidden]", {}},
    {"q_norm", "with qk_norm: [layers, 1, head_dim] of fp32", {}},
    {"k_norm", "with qk_norm: [layers, 1, head_dim] of fp32", {}},
    {"joint_q_norm", "with joint_qk_norm: [layers, 1, heads head_dim] of fp32", {}},
    {"joint_k_norm", "with joint_qk_norm: [layers, 1, kv_heads head_dim] of fp32", {}},
    {"attention_post_gain", "with post_norm: [layers, 1, hidden] of fp32", {}},
    {"mlp_post_gain", "with post_norm: [layers, 1, hidden] of fp32", {}},
    {"ids", "with logits: [batch, tokens] of int32, in a decoding step [batch, 1]", {}},
    {"embedding", "with logits: [vocabulary, hidden]", {}},
    {"positions", "with logits and model.positions: [positions, hidden]", {}},
    {"head_bias", "with logits and logit_bias: [1, vocabulary] of fp32", {}},
    {"delta_q", "with model.delta: [layers, hidden, key_heads key_dim]", {}},
    {"delta_k", "as delta_q", {}},
    {"delta_v", "with model.delta: [layers, hidden, value_heads value_dim]", {}},
    {"delta_z", "as delta_v", {}},
    {"delta_b", "with model.delta, not of mamba2: [layers, hidden, value_heads]", {}},
    {"delta_a", "with model.delta: [layers, hidden, value_heads]", {}},
    {"delta_o", "with model.delta: [layers, value_heads value_dim, hidden]", {}},
    {"delta_taps_q", "with model.delta: [layers, taps, key_heads key_dim] of fp32", {}},
    {"delta_taps_k", "as delta_taps_q", {}},
    {"delta_taps_v", "with model.delta: [layers, taps, value_heads value_dim] of fp32", {}},
    {"delta_rate", "with model.delta: [layers, 1, value_heads] of fp32, -exp(A)", {}},
    {"delta_shift", "with model.delta: [layers, 1, value_heads] of fp32", {}},
    {"delta_bias_q", "with model.delta.tap_bias: [layers, 1, key_heads key_dim] of fp32", {}},
    {"delta_bias_k", "as delta_bias_q", {}},
    {"delta_bias_v", "with model.delta.tap_bias: [layers, 1, value_heads value_dim] of fp32", {}},
    {"delta_skip", "with mamba2: [layers, 1, value_heads] of fp32", {}},
    {"delta_gain",
     "with model.delta: [layers, 1, value_dim] of fp32, of mamba2 [layers, 1, value_heads value_dim]",
     {}},
    {"delta_states", "with model.delta: [layers, batch value_heads key_dim, value_dim] of fp32", {}},
    {"delta_past",
     "with model.delta: [layers, (taps - 1) batch, 2 key_heads key_dim + value_heads value_dim]",
     {}},
    {"attention_gate", "with attention_gate: [layers, hidden, heads head_dim]", {}},
    {"final_gain", "with logits: [1, hidden] of fp32", {}},
    {"final_bias", "with logits and norm layer_bias: [1, hidden] of fp32", {}},
    {"head", "with logits: [hidden, vocabulary]", {}}};

}  // namespace

void ParallelDegrees::declare(base::ParamTree& t) {
  t.add("tensor", tensor, std::uint64_t{1}, {1, 1024},
        "logical cores that share the weights of a layer; between its parts each has a share of the tokens",
        chosen());
  t.add("expert", expert, std::uint64_t{1}, {1, 1024},
        "blocks of tensor-parallel ranks, each with some of the experts of a mixture, which its ranks share",
        chosen());
  t.add("sequence", sequence, std::uint64_t{1}, {1, 64},
        "tensor-parallel groups that share the tokens of every sequence", chosen());
  t.add("data", data, std::uint64_t{1}, {1, 1024}, "replicas, each with its own sequences", chosen());
  t.add("pipeline", pipeline, std::uint64_t{1}, {1, 64}, "stages, each with its own layers", chosen());
}

void TransformerFiles::declare(base::ParamTree& t) {
  for (File& file : all)
    t.add_files(
        file.name, file.path,
        fmt::format("a .npy file, or FILE.safetensors#TENSOR: {}; empty: from the seed", file.what).c_str(),
        chosen());
}

const std::string& TransformerFiles::of(std::string_view name) const {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const File& file) { return file.name == name; });
  TAHOMA_INVARIANT(found != all.end(), "an input that is not declared");
  return found->path;
}

void TransformerParams::declare(base::ParamTree& t) {
  declare_case(t);
  inputs.all.insert(inputs.all.end(), std::begin(kModelFiles), std::end(kModelFiles));
  t.group("inputs", inputs);
  t.add("phase", phase, Phase::kPrefill, kPhases,
        "phase: all tokens of the sequences, or the next one of each", chosen());
  t.add("context", context, std::uint64_t{0}, {0, std::uint64_t{1} << 20},
        "decode: tokens of a sequence in the cache before this one", chosen());
  t.add("first_layer", first_layer, std::uint64_t{0}, {0, 1000},
        "number in the model of the first simulated layer, which decides which of them are local", chosen());
  t.add("cached", cached, std::uint64_t{0}, {0, std::uint64_t{1} << 20},
        "prefill: tokens of a sequence in the cache before its tokens, which then are a chunk of a longer "
        "prompt",
        chosen());
  t.add(
      "padding", padding, std::uint64_t{0}, {0, std::uint64_t{1} << 20},
      "prefill: tokens at the end of each sequence that fill it up to a number that the cores can share; the "
      "logits are those of the token before them",
      chosen());
  t.add("overlap", overlap, std::uint64_t{1}, {1, 64},
        "prefill: slices of the tokens; while one is exchanged, others are computed", chosen());
  t.add("microbatches", microbatches, std::uint64_t{1}, {1, Handover::kMost},
        "number of parts of a replica's sequences; a stage computes one while the next computes the previous "
        "one",
        chosen());
  t.add("stages", stages, std::string(), {},
        "simulated layers of each stage of a pipeline, such as 2,2,1; empty: equally many", chosen());
  t.add("logits", logits, false,
        "begin with token ids and their embedding, and end with the last norm and the logits of the last "
        "token of "
        "each sequence",
        chosen());
  t.add("routing", routing, RoutingChoice::kBalanced, kRoutingChoices,
        "experts of the tokens without workload.inputs.routing: equally many tokens for each, or at random "
        "with the first ones more often",
        chosen());
  t.add("skew", skew, 1.0, {0.0, 10.0}, "skewed routing: expert e is drawn in proportion to (e + 1)^-skew",
        chosen());
}

void TransformerParams::declare_case(base::ParamTree& t) {
  t.group("model", model);
  t.group("parallel", parallel);
  t.add("layers", layers, std::uint64_t{1}, {1, 200}, "layers that are simulated", chosen());
  t.add("batch", batch, std::uint64_t{1}, {1, 65536}, "sequences of the whole machine", chosen());
  t.add("tokens", tokens, std::uint64_t{512}, {1, std::uint64_t{1} << 20},
        "tokens of a sequence; a decoding step has its context", chosen());
  t.add("placement", placement, std::string("core,x,y,z"), {},
        "order in which ranks fill the machine: the axis along which they count first, then the others",
        chosen());
  t.add("algorithm", algorithm, runtime::collective::Algorithm::kBest,
        runtime::collective::algorithm_choice(),
        "algorithm of the collectives: auto, best, or the name of one that performs them all", chosen());
}

void TransformerParams::check(const model::MachineParams& machine) const { check_case(*this, machine); }

std::vector<std::uint64_t> TransformerParams::stage_layers() const {
  return layers_of_stages(stages, layers, parallel.pipeline);
}

runtime::Part TransformerParams::layers_of_stage(std::uint64_t stage) const {
  runtime::Part part;
  for (const std::uint64_t count : stage_layers()) {
    part.count = count;
    if (stage-- == 0) break;
    part.first += count;
  }
  return part;
}

std::uint64_t TransformerParams::longest_stage() const {
  const std::vector<std::uint64_t> counts = stage_layers();
  const std::uint64_t others = std::max(model.layers, layers) - layers;
  return *std::max_element(counts.begin(), counts.end()) +
         (others + parallel.pipeline - 1) / parallel.pipeline;
}

// Sums over all new tokens of a sequence, if each sees at most so many keys; 0: all.
double TransformerParams::keys_seen(std::uint64_t window) const {
  const auto d = [](std::uint64_t n) { return static_cast<double>(n); };
  const std::uint64_t queries = counted_rows(), most = window == 0 ? before() + queries : window;
  // The first `growing` queries see one key more than the one before.
  const std::uint64_t growing = std::min(queries, most > before() ? most - before() : 0);
  return d(growing) * d(before()) + d(growing) * d(growing + 1) / 2 + d(queries - growing) * d(most);
}

double TransformerParams::useful_flops() const {
  const auto d = [](std::uint64_t n) { return static_cast<double>(n); };
  double weights = 0;  // that a token uses, in all layers
  for (std::uint64_t l = first_layer; l < first_layer + layers; ++l) weights += model.used_weights(l);
  double pairs = 0;  // of a query and a key, in all layers
  // A key and a value have so many elements. A decoding step reads latent vectors instead of them.
  const std::uint64_t scored = !model.latent             ? 2 * model.head_dim
                               : phase == Phase::kDecode ? model.latent.cached() + model.latent.kv_rank
                                                         : model.latent.head() + model.latent.values;
  double states = 0;  // multiply-accumulates with those of delta rules
  for (std::uint64_t l = first_layer; l < first_layer + layers; ++l)
    if (model.has_delta(l))
      states += d(batch * counted_rows()) * model.delta.products();
    else
      pairs += d(batch) *
               (model.bidirectional ? d(counted_rows() * counted_rows()) : keys_seen(model.window_of(l)));
  const double products =
      2 * states + 2 * weights * d(batch * counted_rows()) + 2 * d(model.counted_heads()) * d(scored) * pairs;
  return products + (logits ? 2 * d(model.hidden) * d(model.vocabulary) * d(batch) : 0);
}

std::string TransformerParams::describe() const {
  const std::string work =
      phase == Phase::kDecode ? fmt::format("decode of {} sequences at {} tokens", batch, context)
      : cached > 0            ? fmt::format("prefill of {} x {} tokens behind {}", batch, tokens, cached)
                              : fmt::format("prefill of {} x {} tokens", batch, tokens);
  const std::string mixture =
      model.experts == 0
          ? ""
          : fmt::format(
                ", {} of {} experts, {}, in {} blocks", model.experts_per_token, model.experts,
                inputs.of("routing").empty() ? base::name_in(kRoutingChoices, routing) : "routed as given",
                parallel.expert);
  std::string degrees = fmt::format("tensor {}", parallel.tensor);
  if (parallel.sequence > 1) degrees += fmt::format(" x sequence {}", parallel.sequence);
  degrees += fmt::format(" x data {}", parallel.data);
  if (parallel.pipeline > 1)
    degrees += fmt::format(" x pipeline {}{}", parallel.pipeline,
                           stages.empty() ? "" : fmt::format(" of {} layers", stages));
  if (microbatches > 1) degrees += fmt::format(", {} microbatches", microbatches);
  const std::string weights = model.weights == kDType ? ""
                              : model.activations == model.weights
                                  ? fmt::format(", weights and activations {}", isa::name_of(model.weights))
                                  : fmt::format(", weights {}", isa::name_of(model.weights));
  return fmt::format("{}, {} of {} layers{}{}{}, {}, {}", model.name, layers, model.layers,
                     logits ? " with embedding and logits" : "", weights, mixture, work, degrees);
}

}  // namespace tahoma::workloads
