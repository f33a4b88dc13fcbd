// SPDX-License-Identifier: Apache-2.0
#include "studies/model/search/layout_bounds.h"

#include <algorithm>

#include "report/summary/peak_flops.h"
#include "studies/model/config/families.h"
#include "studies/model/config/layer_pattern.h"
#include "studies/model/model_case.h"

namespace tahoma::runtime {

namespace {

double d(std::uint64_t n) { return static_cast<double>(n); }

constexpr double kBytes = 2;  // of an element of caches and of the logits' matrix, bf16

// Elements of the weights that a token uses, without the embedding, of which it reads one row.
double weights_of_token(const ModelConfig& c) {
  const double products = c.family->gated ? 3 : 2;
  return d(c.layers) * c.attention_weights() +
         products * d(c.hidden) * d(c.layers_without_experts()) * d(c.dense_ffn) +
         d(c.layers - c.layers_without_experts() - c.layers_without_feed_forward()) *
             (products * d(c.hidden) * c.experts_of_token() + d(c.hidden) * d(c.experts));
}

// Features of a key and a value, of all heads. A decoding step of latent attention has more.
double score_width(const ModelConfig& c) {
  return d(c.heads) * d(c.head_dim + (c.latent.kv_rank > 0 ? c.latent.values : c.head_dim));
}

double layers_with_keys(const ModelConfig& c) {
  return d(c.delta.value_heads > 0 ? layer_kinds(c, 1).global : c.layers);
}

// Bytes of the states of a sequence, in all layers that have some instead of keys; fp32.
double states_of_sequence(const ModelConfig& c) {
  return 4 * (d(c.layers) - layers_with_keys(c)) *
         d(c.delta.value_heads * c.delta.key_dim * c.delta.value_dim);
}

double bytes_of_weight(const ModelPoint& p) { return d(isa::size_of(p.layout.weights)); }

struct Work {
  double bytes = 0, flops = 0;
};

// A phase has this work: the layers' part, and that of the logits.
struct PhaseWork {
  double weights = 0, caches = 0,
         flops = 0;  // bytes of the layers' weights, once on each replica; their FLOPs
  Work logits;
};

PhaseWork prefill_work(const ModelConfig& c, const ModelPoint& p) {
  const double weights = weights_of_token(c), logits = d(c.hidden) * d(c.vocabulary),
               replicas = d(p.layout.data), sequences = replicas * d(p.demand.prompts),
               copies = replicas * d(p.layout.sequence), prompt = d(p.demand.prompt), width = score_width(c);
  return {bytes_of_weight(p) * copies * weights,
          0,
          sequences * (2 * weights * prompt + 2 * width * pairs_of_layers(c, 0, p.demand.prompt)),
          {kBytes * replicas * logits, sequences * 2 * logits}};
}

PhaseWork decode_work(const ModelConfig& c, const ModelPoint& p) {
  const double weights = weights_of_token(c), logits = d(c.hidden) * d(c.vocabulary),
               sharing = d(p.layout.sequence), copies = d(p.layout.data) * sharing, batch = d(p.demand.batch),
               keys = pairs_of_layers(c, p.demand.context,
                                      1);  // with the new one of each layer, which is not read
  return {bytes_of_weight(p) * copies * weights,
          batch * (kBytes * (keys - layers_with_keys(c)) * d(c.cached_elements()) +
                   2 * states_of_sequence(c)),  // which a step reads and writes
          batch * (sharing * 2 * weights + 2 * score_width(c) * keys),
          {kBytes * copies * logits, sharing * batch * 2 * logits}};
}

// Rates in units a second, 0 if ideal.
struct Rates {
  double bandwidth = 0, flops = 0;

  double longer(const Work& work) const {
    return std::max(bandwidth > 0 ? work.bytes / bandwidth : 0, flops > 0 ? work.flops / flops : 0);
  }
};

// All chips and one stage have these rates; `held`: bytes that the cores of a stage can hold in SBUF.
struct LayoutRates {
  Rates all, stage;
  double held = 0;
};

// A stage's tensors are in the stacks of its cores. Neighbouring ranks may share a stack, so a stage can have
// the whole bandwidth of one for each of its ranks, or of several if there are more stacks than ranks.
double stacks_of_stage(const model::ChipParams& chip, const ModelLayout& layout) {
  const double of_rank = std::max(1.0, d(chip.lnc) * d(chip.hbm.stacks) / d(chip.cores));
  return std::min(d(layout.chips) * d(chip.hbm.stacks),
                  d(layout.tensor) * d(layout.sequence) * d(layout.data) * of_rank);
}

LayoutRates rates_of(const model::ChipParams& chip, const ModelLayout& layout) {
  const double cores = d(layout.chips) * d(chip.cores), of_stage = cores / d(layout.pipeline),
               stack = chip.hbm.bandwidth.ideal ? 0 : d(chip.hbm.bandwidth.bytes_per_second),
               core =
                   layout.activations == isa::DType::kBf16
                       ? core_peak_flops(chip.core.tensor, isa::DType::kBf16, isa::MatmulMode::kDense)
                       : core_peak_flops(chip.core.tensor, layout.activations, isa::MatmulMode::kDoubleRow);
  return {{d(layout.chips) * d(chip.hbm.stacks) * stack, cores * core},
          {stacks_of_stage(chip, layout) * stack, of_stage * core},
          of_stage * d(chip.core.sbuf.partitions) * d(chip.core.sbuf.per_partition.count)};
}

// `shares`: of the layers, by stage.
double pipeline_bound(const PhaseWork& work, const LayoutRates& rates, const std::vector<double>& shares,
                      double parts) {
  double bound = 0;
  for (std::size_t s = 0; s + 1 < shares.size(); ++s)
    bound += rates.stage.longer({std::max(0.0, shares[s] * (work.weights + work.caches / parts) - rates.held),
                                 shares[s] * work.flops / parts});
  const double share = shares.back(), weights = share * work.weights, caches = share * work.caches,
               again = std::max(0.0, weights - rates.held);
  return bound + rates.stage.longer(
                     {std::max(0.0, weights + (parts - 1) * again + caches - rates.held) + work.logits.bytes,
                      share * work.flops + work.logits.flops});
}

std::vector<double> shares_of(const ModelConfig& config, const ModelLayout& layout) {
  std::vector<double> shares(layout.pipeline, 1 / d(layout.pipeline));
  for (std::size_t s = 0; s < layout.stages.size(); ++s) shares[s] = d(layout.stages[s]) / d(config.layers);
  return shares;
}

double bound_of(const PhaseWork& work, const LayoutRates& rates, const std::vector<double>& shares,
                double parts) {
  const double whole =
      rates.all.longer({work.weights + work.caches + work.logits.bytes, work.flops + work.logits.flops});
  return shares.size() == 1 ? whole : std::max(whole, pipeline_bound(work, rates, shares, parts));
}

}  // namespace

LayoutBounds bounds_of(const ModelConfig& config, const ModelPoint& point,
                       const std::vector<std::string>& overrides) {
  const auto resolved = resolved_case(config, point, phases_of(config).back(), overrides);
  const LayoutRates rates = rates_of(resolved->machine.chip, point.layout);
  const auto bound = [&](const PhaseWork& work, ModelPhase phase) {
    return bound_of(work, rates, shares_of(config, point.layout), d(microbatches_of(point, phase)));
  };
  const double ttft = bound(prefill_work(config, point), ModelPhase::kPrefill);
  if (is_encoder(config)) return {ttft, 0};
  return {ttft, bound(decode_work(config, point), ModelPhase::kDecode)};
}

}  // namespace tahoma::runtime
