// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/transformer_params.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "runtime/run/placement.h"
#include "workloads/common/transposed_load.h"
#include "workloads/moe/routing_kernel.h"
#include "workloads/transformer/partition/handover.h"
#include "workloads/transformer/partition/rank_placement.h"
#include "workloads/transformer/partition/tokens.h"

namespace tahoma::workloads {

namespace {

using base::chosen;

[[noreturn]] void refuse(const char* path, const std::string& text) {
  throw base::UserError("E-MDL-001", path, text);
}

void require_divides(const char* path, std::uint64_t part, const char* what, std::uint64_t whole) {
  if (whole % part != 0)
    refuse(path, fmt::format("expected a divisor of the {} {}, got {}", whole, what, part));
}

// One of two numbers must be a multiple of the other.
void require_related(const char* path, std::uint64_t ranks, const char* what, std::uint64_t whole) {
  if (whole % ranks != 0 && ranks % whole != 0)
    refuse(path, fmt::format("expected a divisor or a multiple of the {} {}, got {}", whole, what, ranks));
}

// Inputs that a training step does not have.
const TransformerFiles::File kModelFiles[] = {
    {"q_bias", "with qkv_bias: [layers, 1, heads head_dim] of fp32", {}},
    {"k_bias", "with qkv_bias: [layers, 1, kv_heads head_dim] of fp32", {}},
    {"v_bias", "with qkv_bias: [layers, 1, kv_heads head_dim] of fp32", {}},
    {"q_norm", "with qk_norm: [layers, 1, head_dim] of fp32", {}},
    {"k_norm", "with qk_norm: [layers, 1, head_dim] of fp32", {}},
    {"ids", "with logits: [batch, tokens] of int32, in a decoding step [batch, 1]", {}},
    {"embedding", "with logits: [vocabulary, hidden]", {}},
    {"final_gain", "with logits: [1, hidden] of fp32", {}},
    {"head", "with logits: [hidden, vocabulary]", {}}};

void check_experts(const ModelShape& model, const ParallelDegrees& parallel, Phase phase) {
  const auto refuse_experts = [](const char* code, const char* path, const std::string& text) {
    throw base::UserError(code, path, text);
  };
  if (parallel.tensor % parallel.expert != 0 || model.feed_forwards() % parallel.expert != 0)
    refuse_experts("E-MDL-020", "workload.parallel.expert",
                   fmt::format("expected a divisor of the tensor degree {} and of the {} experts, got {}",
                               parallel.tensor, model.feed_forwards(), parallel.expert));
  if (model.experts > 0 && model.experts_per_token > model.experts)
    refuse_experts("E-MDL-021", "workload.model.experts_per_token",
                   fmt::format("expected at most the {} experts there are, got {}", model.experts,
                               model.experts_per_token));
  if (model.experts > 0 && parallel.sequence > 1 && phase == Phase::kPrefill)
    refuse_experts(
        "E-MDL-020", "workload.parallel.sequence",
        fmt::format("expected 1 for the prefill of a mixture of experts, got {}", parallel.sequence));
}

}  // namespace

void RotaryAngles::declare(base::ParamTree& t) {
  t.add("scaling", scaling, RopeScaling::kNone, kRopeScalings,
        "angles of the rotary embedding for long contexts", chosen());
  t.add("factor", factor, 1.0, {1.0, 1e4}, "how much smaller the scaled angles are", chosen());
  t.add("low_frequency_factor", low_frequency_factor, 1.0, {1e-3, 1e3},
        "llama3: wavelengths above original_context / this are scaled", chosen());
  t.add("high_frequency_factor", high_frequency_factor, 4.0, {1e-3, 1e3},
        "llama3: wavelengths below original_context / this are not scaled", chosen());
  t.add("original_context", original_context, std::uint64_t{8192}, {1, std::uint64_t{1} << 24},
        "llama3: tokens of a sequence in the original training", chosen());
}

void ModelShape::declare(base::ParamTree& t) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  t.add("name", name, std::string("custom"), {}, "name of the model in reports", chosen());
  t.add("layers", layers, std::uint64_t{1}, {1, 1000}, "layers of the whole model", chosen());
  t.add("hidden", hidden, std::uint64_t{4096}, {64, kMost}, "features of a token", chosen());
  t.add("heads", heads, std::uint64_t{32}, {1, 1024}, "heads of queries", chosen());
  t.add("kv_heads", kv_heads, std::uint64_t{8}, {1, 1024}, "heads of keys and values", chosen());
  t.add("head_dim", head_dim, std::uint64_t{128}, {16, 128}, "features of a head", chosen());
  t.add("ffn", ffn, std::uint64_t{14336}, {16, kMost}, "hidden features of the feed-forward part", chosen());
  t.add("vocabulary", vocabulary, std::uint64_t{0}, {0, kMost}, "rows of the embedding, for the footprint",
        chosen());
  t.add("experts", experts, std::uint64_t{0}, {0, 512},
        "experts of a layer, of which each token uses some; 0: one feed-forward part for all tokens",
        chosen());
  t.add("experts_per_token", experts_per_token, std::uint64_t{2}, {1, kMostChosen}, "experts of a token",
        chosen());
  t.add("epsilon", epsilon, 1e-5, {0.0, 1.0}, "added to the mean square in a norm", chosen());
  t.add("theta", theta, 500000.0, {1.0, 1e9}, "base of the rotary embedding's angles", chosen());
  t.group("rope", rope);
  t.add("weights", weights, isa::DType::kBf16,
        {isa::DType::kBf16, isa::DType::kFp8E4M3, isa::DType::kFp8E5M2, isa::DType::kFp8E3M4},
        "element type of the matrices of the layers; activations, router, embedding and logits' matrix are "
        "bf16",
        chosen());
  t.add("qkv_bias", qkv_bias, false, "queries, keys and values have a bias", chosen());
  t.add("qk_norm", qk_norm, false, "each head of queries and keys passes an RMS norm before its rotation",
        chosen());
}

double ModelShape::layer_weights() const {
  const auto d = [](std::uint64_t n) { return static_cast<double>(n); };
  return d(hidden) * d(head_dim) * d(2 * heads + 2 * kv_heads) + 3 * d(hidden) * d(ffn) * d(feed_forwards()) +
         d(hidden) * d(experts) + 2 * d(hidden);
}

double ModelShape::token_weights() const {
  const std::uint64_t idle = experts > 0 ? experts - experts_per_token : 0;
  return layer_weights() - 3 * static_cast<double>(hidden * ffn) * static_cast<double>(idle);
}

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
  t.add("overlap", overlap, std::uint64_t{1}, {1, 64},
        "prefill: slices of the tokens; while one is exchanged, others are computed", chosen());
  t.add("microbatches", microbatches, std::uint64_t{1}, {1, Handover::kMost},
        "number of parts of a replica's sequences; a stage computes one while the next computes the previous "
        "one",
        chosen());
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
  t.add("algorithm", algorithm, Algorithm::kBest, runtime::collective::algorithm_choice(),
        "algorithm of the collectives: auto, best, or the name of one that performs them all", chosen());
}

void TransformerParams::check(const model::MachineParams& machine) const {
  Seating::check_order(placement);
  if (parallel.ranks() > Seating::logical_cores(machine))
    throw base::UserError(
        "E-MDL-002", "workload.parallel",
        fmt::format(
            "tensor {} x sequence {} x data {} x pipeline {} are {} ranks; the machine has {} logical "
            "cores of {}",
            parallel.tensor, parallel.sequence, parallel.data, parallel.pipeline, parallel.ranks(),
            Seating::logical_cores(machine), machine.chip.lnc));
  const std::uint64_t lnc = machine.chip.lnc, tp = parallel.tensor;
  require_divides("workload.model.kv_heads", model.kv_heads, "query heads", model.heads);
  require_divides("workload.parallel.data", parallel.data, "sequences of workload.batch", batch);
  require_divides("workload.parallel.pipeline", parallel.pipeline, "layers of workload.layers", layers);
  require_divides("workload.microbatches", microbatches, "sequences of a replica", replica_sequences());
  require_related("workload.parallel.tensor", tp, "query heads", model.heads);
  require_related("workload.parallel.tensor", tp, "key heads", model.kv_heads);
  check_experts(model, parallel, phase);
  require_divides("workload.parallel.tensor", parallel.block() * lnc,
                  "hidden features of workload.model.ffn (by physical cores)", model.ffn);
  require_divides("workload.model.hidden", 32 * lnc, "hidden features (whole accesses of HBM)", model.hidden);
  if (logits) check_logits(machine);
  if (phase == Phase::kDecode) return check_decode(machine);
  if (parallel.sequence > 1)
    require_divides("workload.parallel.sequence", parallel.sequence * TokenSharding::kRuns * kTransposeRows,
                    "tokens of a sequence (by groups, runs of a group, and rows that are transposed at once)",
                    tokens);
  require_divides("workload.overlap", overlap * tp * lnc,
                  "tokens of a group in a microbatch (by slices and physical cores)", rows());
  if (overlap > 1 && rows() / overlap % kTransposeRows != 0)
    refuse("workload.overlap",
           fmt::format("expected slices of a multiple of {} rows; got {} slices of {} rows", kTransposeRows,
                       overlap, rows()));
}

void TransformerParams::check_decode(const model::MachineParams& machine) const {
  if (parallel.sequence > 1) {
    if (context == 0) refuse("workload.parallel.sequence", "expected 1 with empty caches");
    require_divides("workload.parallel.sequence", parallel.sequence, "tokens of workload.context", context);
    if (model.head_dim % 32 != 0)
      refuse("workload.parallel.sequence",
             fmt::format("expected 1 with heads of {} features, which are not whole accesses of HBM",
                         model.head_dim));
  }
  if (parallel.pipeline == 1) return;
  for (std::uint64_t h = 0; h < machine.chip.lnc; ++h) {
    const std::uint64_t of_core = runtime::part_of(rows(), machine.chip.lnc, h).count,
                        ranks = parallel.tensor;
    const std::uint64_t run = of_core * model.hidden / ranks;
    if ((of_core % ranks == 0 || ranks % of_core == 0) && of_core * model.hidden == run * ranks &&
        run % 32 == 0)
      continue;
    throw base::UserError(
        "E-MDL-010", "workload.parallel.tensor",
        fmt::format(
            "{} rows of {} features, a microbatch on one physical core of each of {} ranks, are handed "
            "over in runs of whole accesses of HBM, one a rank; expected a power of two as degree, and "
            "fewer microbatches or ranks",
            of_core, model.hidden, ranks));
  }
}

// In a prefill the ranks of a group gather the last rows of their runs (prefill/last_tokens.h).
void TransformerParams::check_logits(const model::MachineParams& machine) const {
  const auto refuse_logits = [](const char* path, const std::string& text) {
    throw base::UserError("E-MDL-025", path, text);
  };
  if (model.vocabulary == 0)
    refuse_logits("workload.model.vocabulary", "expected at least 1 with workload.logits, got 0");
  if (phase == Phase::kDecode) return;
  if (parallel.sequence > 1)
    refuse_logits("workload.parallel.sequence",
                  fmt::format("expected 1 for a prefill with workload.logits, got {}", parallel.sequence));
  const std::uint64_t run = rows() / (overlap * machine.chip.lnc * parallel.tensor);
  if (run > 0 && tokens % run != 0 && run % tokens != 0)
    refuse_logits(
        "workload.tokens",
        fmt::format("with workload.logits, expected a divisor or a multiple of the {} rows that a core has "
                    "of a slice, got {}",
                    run, tokens));
}

double TransformerParams::useful_flops() const {
  const auto d = [](std::uint64_t n) { return static_cast<double>(n); };
  const double weights = model.token_weights() - 2 * d(model.hidden);
  const double pairs =
      phase == Phase::kDecode ? d(batch) * d(context + 1) : d(batch) * d(tokens) * d(tokens + 1) / 2;
  const double attention = 4 * d(model.heads) * d(model.head_dim) * pairs;
  const double products = d(layers) * (2 * weights * d(all_rows()) + attention);
  return products + (logits ? 2 * d(model.hidden) * d(model.vocabulary) * d(batch) : 0);
}

std::string TransformerParams::describe() const {
  const std::string work = phase == Phase::kDecode
                               ? fmt::format("decode of {} sequences at {} tokens", batch, context)
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
  if (parallel.pipeline > 1) degrees += fmt::format(" x pipeline {}", parallel.pipeline);
  if (microbatches > 1) degrees += fmt::format(", {} microbatches", microbatches);
  const std::string weights =
      model.weights == kDType ? "" : fmt::format(", weights {}", isa::name_of(model.weights));
  return fmt::format("{}, {} of {} layers{}{}{}, {}, {}", model.name, layers, model.layers,
                     logits ? " with embedding and logits" : "", weights, mixture, work, degrees);
}

}  // namespace tahoma::workloads
