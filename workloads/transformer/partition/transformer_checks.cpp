// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/transformer_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/base/error.h"
#include "workloads/common/transposed_load.h"
#include "workloads/decode/decode_plan.h"
#include "workloads/transformer/partition/rank_placement.h"
#include "workloads/transformer/partition/share.h"
#include "workloads/transformer/partition/stage_layers.h"
#include "workloads/transformer/partition/tokens.h"

namespace tahoma::workloads {

namespace {

[[noreturn]] void refuse(const char* path, const std::string& text) {
  throw base::UserError("E-MDL-001", path, text);
}

void need(bool right, const char* path, const char* text) {
  if (!right) refuse(path, text);
}

void require_divides(const char* path, std::uint64_t part, const char* what, std::uint64_t whole) {
  if (whole % part != 0)
    refuse(path, fmt::format("expected a divisor of the {} {}, got {}", whole, what, part));
}

// `value` parts of `times` pieces each.
void require_pieces(const char* path, std::uint64_t value, std::uint64_t times, const char* why,
                    const char* what, std::uint64_t whole) {
  if (whole % (value * times) != 0)
    refuse(path, fmt::format("expected a number of which {} times ({}) divides the {} {}, got {}", times, why,
                             whole, what, value));
}

// One of two numbers must be a multiple of the other.
void require_related(const char* path, std::uint64_t ranks, const char* what, std::uint64_t whole) {
  if (whole % ranks != 0 && ranks % whole != 0)
    refuse(path, fmt::format("expected a divisor or a multiple of the {} {}, got {}", whole, what, ranks));
}

// Inherits the names of the parameters.
struct CaseChecks : TransformerParams {
  explicit CaseChecks(const TransformerParams& params) : TransformerParams(params) {}
  void all(const model::MachineParams& machine) const;

 private:
  void require_ffn(std::uint64_t lnc) const;
  void check_latent(const model::MachineParams& machine) const;
  void check_delta(const model::MachineParams& machine) const;
  void check_encoder() const;
  void check_sinks(const model::MachineParams& machine) const;
  void check_activations(const model::MachineParams& machine) const;
  void check_decode(const model::MachineParams& machine) const;
  void check_logits(const model::MachineParams& machine) const;
};

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
  const bool other_gates =
      !model.normalised_gates || model.gate_factor != 1 || model.gate_function != GateFunction::kSoftmax;
  if (model.experts == 0 && (model.shared_ffn > 0 || other_gates))
    refuse(model.shared_ffn > 0      ? "workload.model.shared_ffn"
           : !model.normalised_gates ? "workload.model.normalised_gates"
           : model.gate_factor != 1  ? "workload.model.gate_factor"
                                     : "workload.model.gate_function",
           "only a mixture of experts has it; workload.model.experts is 0");
  if (model.shared_gated && model.shared_ffn == 0)
    refuse("workload.model.shared_gated", "expected a shared expert; workload.model.shared_ffn is 0");
  const bool dense =
      model.dense_layers > 0 || model.expert_every > 1 || (model.experts > 0 && model.sublayers.have('-'));
  if (dense != (model.dense_ffn > 0) || (dense && model.experts == 0))
    refuse(dense && model.dense_ffn == 0 ? "workload.model.dense_ffn"
           : model.expert_every > 1      ? "workload.model.expert_every"
           : model.sublayers             ? "workload.model.sublayers"
                                         : "workload.model.dense_layers",
           "expected layers without experts, their hidden features, and workload.model.experts for the "
           "others, or none of these");
  if (model.expert_latent > 0 && (model.experts == 0 || model.gated_inputs || model.mlp_bias))
    refuse("workload.model.expert_latent", "expected 0 without experts, with gated inputs, or with biases");
  if (model.gated_inputs && (model.experts == 0 || model.experts_per_token > 1))
    refuse("workload.model.gated_inputs", "expected false without experts, or with several of a token");
  if (model.experts > 0 && parallel.sequence > 1 && phase == Phase::kPrefill)
    refuse_experts(
        "E-MDL-020", "workload.parallel.sequence",
        fmt::format("expected 1 for the prefill of a mixture of experts, got {}", parallel.sequence));
}

// Each physical core has as many heads of values.
void CaseChecks::check_delta(const model::MachineParams& machine) const {
  const DeltaRule& d = model.delta;
  const std::uint64_t cores = parallel.tensor * machine.chip.lnc;
  need(d.scans() || d.key_dim <= kMostKeyPart, "workload.model.delta.key_dim",
       "expected at most 128 with the delta rule");
  need(d.key_dim <= kMostKeyPart || d.key_dim % 2 == 0, "workload.model.delta.key_dim",
       "expected an even number beyond 128");
  need(d.scans() || (!d.tap_bias && d.least_rate == 0 && d.most_rate == 0), "workload.model.delta.rule",
       "expected mamba2 with a bias of the convolution, or limits of the steps");
  require_divides("workload.model.delta.key_heads", d.key_heads, "heads of workload.model.delta.value_heads",
                  d.value_heads);
  if (d.value_heads % cores != 0 || (d.key_heads % cores != 0 && cores % d.key_heads != 0))
    refuse(
        "workload.parallel.tensor",
        fmt::format("expected a degree whose {} cores divide the {} heads of values of the delta rule, and "
                    "share its {} heads of keys, got {}",
                    cores, d.value_heads, d.key_heads, parallel.tensor));
  if (parallel.sequence > 1)
    refuse("workload.parallel.sequence",
           fmt::format("expected 1 with workload.model.delta, got {}", parallel.sequence));
  if (cached > 0)
    refuse("workload.cached", fmt::format("expected 0 with workload.model.delta, got {}", cached));
  if (model.activations != kDType)
    refuse("workload.model.activations", "expected bf16 with workload.model.delta");
}

// Encoders have no decoding steps.
void CaseChecks::check_encoder() const {
  const bool prefill = phase == Phase::kPrefill;
  need(prefill || !model.norm_sums, "workload.model.norm_sums", "expected false in a decoding step");
  need(prefill || !model.bidirectional, "workload.model.bidirectional", "expected false in a decoding step");
  need(!logits || !model.norm_sums, "workload.model.norm_sums", "expected false with workload.logits");
  need(!model.norm_sums || (!model.pre_norm && !model.post_norm && !model.parallel),
       "workload.model.norm_sums", "expected false with other norms of the sublayers, or parallel ones");
  need(!model.bidirectional || (!model.latent && !model.sinks && !model.delta && model.window == 0),
       "workload.model.bidirectional",
       "expected false with latent attention, sinks, delta rules or a window");
  need(!model.bidirectional || (parallel.sequence == 1 && cached == 0), "workload.model.bidirectional",
       "expected false for groups that share sequences, and behind a cached context");
}

// Each group has as many of them, and heads of its own.
void check_padding_heads(const ModelShape& model) {
  const std::uint64_t padding = model.padding_heads;
  if (padding == 0) return;
  const bool alone = model.group() == 1;
  if (padding >= model.heads || model.latent || (!alone && padding % model.kv_heads != 0))
    refuse("workload.model.padding_heads",
           fmt::format("expected fewer than the {} heads of queries, a multiple of the {} heads of keys if "
                       "several share one, and 0 with latent attention; got {}",
                       model.heads, model.kv_heads, padding));
}

// A physical core scales the outputs of its own heads.
void CaseChecks::check_sinks(const model::MachineParams& machine) const {
  if (parallel.sequence > 1)
    refuse("workload.parallel.sequence",
           fmt::format("expected 1 with workload.model.sinks, got {}", parallel.sequence));
  const std::uint64_t cores = phase == Phase::kPrefill ? parallel.tensor * machine.chip.lnc : parallel.tensor;
  if (model.heads % cores != 0)
    refuse(
        "workload.parallel.tensor",
        fmt::format("expected a degree whose {} cores divide the {} heads with workload.model.sinks, got {}",
                    cores, model.heads, parallel.tensor));
}

// Latent attention has some of what other attention has.
void CaseChecks::check_latent(const model::MachineParams& machine) const {
  const LatentShape& l = model.latent;
  const auto need = [](bool right, const char* path, const std::string& text) {
    if (!right) refuse(path, text + " with workload.model.latent.kv_rank");
  };
  need(model.head_dim == l.head(), "workload.model.head_dim",
       fmt::format("expected the {} features of nope and rope, got {},", l.head(), model.head_dim));
  need(model.kv_heads == model.heads, "workload.model.kv_heads",
       fmt::format("expected the {} query heads, got {},", model.heads, model.kv_heads));
  need(l.rope % 2 == 0, "workload.model.latent.rope",
       fmt::format("expected an even number, got {},", l.rope));
  need(model.heads % parallel.tensor == 0, "workload.parallel.tensor",
       fmt::format("expected a divisor of the {} heads, got {},", model.heads, parallel.tensor));
  need(parallel.sequence == 1, "workload.parallel.sequence",
       fmt::format("expected 1, got {},", parallel.sequence));
  need(cached == 0, "workload.cached", fmt::format("expected 0, got {},", cached));
  need(model.activations == kDType, "workload.model.activations", "expected bf16");
  need(model.window == 0, "workload.model.window", fmt::format("expected 0, got {},", model.window));
  need(model.score_cap == 0, "workload.model.score_cap", "expected 0");
  need(!model.qkv_bias, "workload.model.qkv_bias", "expected false");
  need(!model.qk_norm, "workload.model.qk_norm", "expected false");
  need(model.rope.local_theta == 0, "workload.model.rope.local_theta", "expected 0");
  need(l.down() % machine.chip.lnc == 0, "workload.model.latent.kv_rank",
       fmt::format("expected q_rank + kv_rank + rope to be a multiple of the {} physical cores, got {},",
                   machine.chip.lnc, l.down()));
}

// Layers without a rule of their own.
void check_sublayers(const ModelShape& model, std::uint64_t simulated) {
  const Sublayers& all = model.sublayers;
  if (!all) return;
  const char* path = "workload.model.sublayers";
  if (!all.legal())
    refuse(path, fmt::format("expected M and *, each alone or with one E or - behind it, got {}", all.text));
  if (all.layers() < model.layers || all.layers() < simulated)
    refuse(path, fmt::format("expected the sublayers of {} layers, got those of {}",
                             std::max(model.layers, simulated), all.layers()));
  need(!all.have('M') || model.delta, path, "expected no M without workload.model.delta");
  need(!all.have('E') || model.experts > 0, path, "expected no E without workload.model.experts");
  need(model.global_every == 0 && model.dense_layers == 0 && model.expert_every == 1 && model.window == 0,
       path, "expected nothing with other kinds of layers");
  need(model.pre_norm && !model.post_norm && !model.parallel && !model.norm_sums, path,
       "expected nothing with other norms than those in front of sublayers, or with parallel ones");
}

void check_yarn(const ModelShape& model) {
  if (model.rope.scaling != RopeScaling::kYarn) return;
  if (model.rope.beta_fast < model.rope.beta_slow)
    refuse("workload.model.rope.beta_fast", fmt::format("expected at least beta_slow, {:g}; got {:g}",
                                                        model.rope.beta_slow, model.rope.beta_fast));
  if (model.theta <= 1)
    refuse("workload.model.theta", fmt::format("expected more than 1 with yarn, got {:g}", model.theta));
}

void check_rope(const ModelShape& model) {
  const RotaryAngles& rope = model.rope;
  const std::uint64_t turned = model.rotary_dim();
  if (rope.features > 0 && (model.latent || rope.features % 2 != 0 || rope.features > model.head_dim))
    refuse("workload.model.rope.features",
           fmt::format(
               "expected an even number of the {} features of a head, and 0 with latent attention, got {}",
               model.head_dim, rope.features));
  const std::vector<double> divisors = rope_divisors(rope.divisors);
  const bool positive = std::all_of(divisors.begin(), divisors.end(), [](double one) { return one > 0; });
  if (!rope.divisors.empty() &&
      (divisors.size() != turned / 2 || !positive || rope.scaling != RopeScaling::kNone))
    refuse("workload.model.rope.divisors",
           fmt::format("expected {} positive numbers, one for each pair of turned features, and no "
                       "workload.model.rope.scaling; got {}",
                       turned / 2, rope.divisors));
}

// Parts that only some combinations of layers have.
void check_parts(const ModelShape& model) {
  const bool plain = model.experts == 0;
  need(plain || !model.mlp_bias || (model.shared_ffn == 0 && model.dense_layers == 0),
       "workload.model.mlp_bias", "expected false beside a shared expert or layers without experts");
  need(!model.squared || (!model.gated && model.activation == isa::ActFn::kRelu), "workload.model.squared",
       "expected false with a gate, or with another activation than relu");
  need(model.gated || model.gate_limit == 0, "workload.model.gate_limit", "expected 0 without a gate");
  need(!model.latent || !model.sinks, "workload.model.sinks", "expected false with latent attention");
  need(!model.sinks || model.score_cap == 0, "workload.model.sinks", "expected false with capped scores");
  need(plain || !model.parallel, "workload.model.parallel", "expected false for a mixture of experts");
  need(!model.parallel || (model.pre_norm && !model.post_norm), "workload.model.parallel",
       "expected false without norms in front of the sublayers, or with norms behind them");
  need(!model.parallel_norm || model.parallel, "workload.model.parallel_norm",
       "expected false without parallel sublayers");
  need(!model.joint_qk_norm || (!model.qk_norm && !model.latent), "workload.model.joint_qk_norm",
       "expected false with norms of heads, or with latent attention");
  need(!model.joint_qk_norm || model.padding_heads == 0, "workload.model.padding_heads",
       "expected 0 with norms over all heads");
  need(!model.delta || (!model.latent && !model.qkv_bias && !model.sinks), "workload.model.delta.value_heads",
       "expected 0 with latent attention, biases of heads, or sinks");
  need(!model.attention_gate || (!model.latent && !model.qkv_bias && !model.sinks),
       "workload.model.attention_gate", "expected false with latent attention, biases of heads, or sinks");
  need(model.pre_norm || model.activations == TransformerParams::kDType, "workload.model.pre_norm",
       "expected true with activations in fp8");
  need(!model.latent || !model.o_bias, "workload.model.o_bias", "expected false with latent attention");
  need(!model.latent || model.rope.global, "workload.model.rope.global",
       "expected true with latent attention");
  need(!model.latent || model.rope.local, "workload.model.rope.local", "expected true with latent attention");
}

void CaseChecks::all(const model::MachineParams& machine) const {
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
  if (!model.latent && model.head_dim % 2 != 0)
    refuse("workload.model.head_dim",
           fmt::format("rotary embedding turns pairs of features; expected an even number, got {}",
                       model.head_dim));
  require_divides("workload.parallel.data", parallel.data, "sequences of workload.batch", batch);
  if (stages.empty())
    require_divides("workload.parallel.pipeline", parallel.pipeline,
                    "layers of workload.layers (workload.stages may divide them unequally)", layers);
  layers_of_stages(stages, layers, parallel.pipeline);
  require_divides("workload.microbatches", microbatches, "sequences of a replica", replica_sequences());
  require_related("workload.parallel.tensor", tp, "query heads", model.heads);
  require_related("workload.parallel.tensor", tp, "key heads", model.kv_heads);
  check_padding_heads(model);
  check_experts(model, parallel, phase);
  require_ffn(lnc);
  if (const std::uint64_t features = 32 * lnc; model.hidden % features != 0)
    refuse("workload.model.hidden",
           fmt::format("expected a multiple of {} (whole accesses of HBM), got {}", features, model.hidden));
  if (const std::uint64_t features = 32 * lnc; model.expert_latent % features != 0)
    refuse("workload.model.expert_latent",
           fmt::format("expected a multiple of {} (whole accesses of HBM), got {}", features,
                       model.expert_latent));
  check_activations(machine);
  if (model.latent) check_latent(machine);
  if (model.delta) check_delta(machine);
  check_encoder();
  check_sublayers(model, first_layer + layers);
  check_yarn(model);
  check_rope(model);
  check_parts(model);
  if (model.sinks) check_sinks(machine);
  if (logits) check_logits(machine);
  if (phase == Phase::kDecode) return check_decode(machine);
  // The last token that counts is on the group that has the last one.
  if (padding > 0 && padding >= TokenSharding(*this, 0).run)
    refuse("workload.padding", fmt::format("expected fewer than the {} tokens of a run of a sequence, got {}",
                                           TokenSharding(*this, 0).run, padding));
  if (parallel.sequence > 1 && cached > 0)
    refuse("workload.cached", fmt::format("expected 0 in a sequence-parallel prefill, got {}", cached));
  if (parallel.sequence > 1)
    require_pieces("workload.parallel.sequence", parallel.sequence, TokenSharding::kRuns * kTransposeRows,
                   "the rows of a group that are transposed at once, in each of its runs",
                   "tokens of a sequence", tokens);
  require_pieces("workload.overlap", overlap, tp * lnc, "the physical cores of a group",
                 "tokens of a group in a microbatch", rows());
  if (overlap > 1 && rows() / overlap % kTransposeRows != 0)
    refuse("workload.overlap",
           fmt::format("expected slices of a multiple of {} rows; got {} slices of {} rows", kTransposeRows,
                       overlap, rows()));
}

// The physical cores that share a feed-forward part have as many of its features each.
void CaseChecks::require_ffn(std::uint64_t lnc) const {
  const auto require_cores = [&](std::uint64_t ranks, const char* path, std::uint64_t features) {
    if (features % (ranks * lnc) != 0)
      refuse("workload.parallel.tensor",
             fmt::format("expected a degree whose {} physical cores that share it divide the {} features of "
                         "{}, got {}",
                         ranks * lnc, features, path, parallel.tensor));
  };
  require_cores(parallel.block(), "workload.model.ffn", model.ffn);
  require_cores(parallel.tensor, "workload.model.shared_ffn", model.shared_ffn);
  require_cores(parallel.tensor, "workload.model.dense_ffn", model.dense_ffn);
}

// Pairs of elements are transposed together, and rows that ranks exchange are whole accesses of HBM.
void CaseChecks::check_activations(const model::MachineParams& machine) const {
  if (model.activations == kDType) return;
  const auto refuse_type = [](const char* path, const std::string& text) {
    throw base::UserError("E-MDL-026", path, text);
  };
  const bool doubles = model.weights == isa::DType::kFp8E4M3 || model.weights == isa::DType::kFp8E5M2;
  if (model.activations != model.weights)
    refuse_type("workload.model.activations",
                fmt::format("expected bf16{} beside workload.model.weights, {}; got {}",
                            doubles ? fmt::format(" or {}", isa::name_of(model.weights)) : "",
                            isa::name_of(model.weights), isa::name_of(model.activations)));
  if (model.experts > 0)
    refuse_type("workload.model.activations", fmt::format("expected bf16 for a mixture of experts, got {}",
                                                          isa::name_of(model.activations)));
  const std::uint64_t features = 64 * machine.chip.lnc, of_rank = 2 * parallel.tensor * machine.chip.lnc;
  if (model.hidden % features != 0)
    refuse_type(
        "workload.model.hidden",
        fmt::format("expected a multiple of {} with activations in fp8 (whole accesses of HBM), got {}",
                    features, model.hidden));
  if (model.ffn % of_rank != 0)
    refuse_type(
        "workload.model.ffn",
        fmt::format(
            "expected a multiple of {} with activations in fp8 (pairs on every physical core), got {}",
            of_rank, model.ffn));
}

void CaseChecks::check_decode(const model::MachineParams& machine) const {
  const RankShare share(*this, machine.chip.lnc);
  const std::uint64_t together = model.latent ? share.heads : share.heads_per_kv,
                      features = model.latent ? model.latent.kv_rank : model.head_dim,
                      most = most_decode_group(machine, features, kDType);
  if (together > most)
    refuse("workload.model.kv_heads",
           fmt::format(
               "{} query heads of a rank share a head of keys and values; expected at most {} of {} features",
               together, most, features));
  if (parallel.sequence > 1) {
    if (model.window > 0 && model.window <= context)
      refuse("workload.parallel.sequence",
             fmt::format("expected 1 with a window of {} keys, fewer than the tokens of a sequence",
                         model.window));
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
void CaseChecks::check_logits(const model::MachineParams& machine) const {
  const auto refuse_logits = [](const char* path, const std::string& text) {
    throw base::UserError("E-MDL-025", path, text);
  };
  if (model.vocabulary == 0)
    refuse_logits("workload.model.vocabulary", "expected at least 1 with workload.logits, got 0");
  if (model.positions > 0 && before() + counted_rows() > model.positions)
    refuse_logits("workload.model.positions",
                  fmt::format("expected at least the {} tokens of a sequence, or 0, got {}",
                              before() + counted_rows(), model.positions));
  if (phase == Phase::kDecode) return;
  const std::uint64_t run = rows() / (overlap * machine.chip.lnc * parallel.tensor),
                      of_group = tokens / parallel.sequence;
  if (run > 0 && of_group > 0 && of_group % run != 0 && run % of_group != 0)
    refuse_logits("workload.tokens",
                  fmt::format("with workload.logits, expected a divisor or a multiple of the {} rows that a "
                              "core has of a slice, got {}{}",
                              run, of_group, parallel.sequence > 1 ? " on a group" : ""));
}

}  // namespace

void check_case(const TransformerParams& params, const model::MachineParams& machine) {
  CaseChecks(params).all(machine);
}

}  // namespace tahoma::workloads
