// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/model_footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/base/error.h"
#include "workloads/transformer/partition/rank_placement.h"
#include "workloads/transformer/partition/share.h"
#include "workloads/transformer/partition/tokens.h"

namespace tahoma::workloads {

namespace {

constexpr double kGiB = 1 << 30;

double number(std::uint64_t n) { return static_cast<double>(n); }

// Elements of a rank if tokens are spread evenly: an expert's rows, the results of its products, and four
// times the rank's part of the rows in transit.
double expert_activations(const TransformerParams& params, const RankShare& share) {
  const double rows = number(params.rows() * params.model.experts_per_token),
               hidden = number(params.model.expert_width());
  return rows / number(params.parallel.expert) * (2 * hidden + 3 * number(share.ffn)) +
         rows / number(params.parallel.tensor) * 4 * hidden;
}

// Elements of a rank: the columns of a layer's matrices of attention, as rows of the hidden features, and
// what a token has in the tensors of a layer and in its cache.
struct AttentionElements {
  double columns, of_token, cached;

  AttentionElements(const TransformerParams& params, const RankShare& share) {
    const ModelShape& m = params.model;
    const LatentShape& l = m.latent;
    if (!l) {
      columns = of_token = number(share.units() + share.heads) * number(m.head_dim);
      cached = 2 * number(share.kv_heads * m.head_dim);
      return;
    }
    columns = (l.common_weights(m.hidden) + l.head_weights(m.hidden, share.heads)) / number(m.hidden) +
              number(share.heads * l.values);
    const std::uint64_t of_head =
        share.absorbed ? l.head() + 2 * l.kv_rank + l.values : l.head() + l.nope + 2 * l.values;
    of_token = number(l.down() + share.heads * of_head);
    cached = number(l.cached());
  }
};

double layers_without_experts(const TransformerParams& params) {
  std::uint64_t without = 0;
  for (std::uint64_t l = 0; l < params.longest_stage(); ++l)
    without +=
        params.model.experts > 0 && params.model.has_feed_forward(l) && !params.model.has_experts(l) ? 1 : 0;
  return number(without);
}

double layers_without_feed_forward(const TransformerParams& params) {
  std::uint64_t without = 0;
  for (std::uint64_t l = 0; l < params.longest_stage(); ++l)
    without += params.model.has_feed_forward(l) ? 0 : 1;
  return number(without);
}

// Layers of a stage that have a delta rule.
double rules_of(const TransformerParams& params) {
  std::uint64_t rules = 0;
  for (std::uint64_t l = 0; l < params.longest_stage(); ++l) rules += params.model.has_delta(l) ? 1 : 0;
  return number(rules);
}

// With delta rules in some layers: the mean of the matrices, and the larger tensors of a token.
AttentionElements with_rules(const TransformerParams& params, const RankShare& share,
                             AttentionElements elements) {
  if (!params.model.delta) return elements;
  const DeltaHeads heads = share.delta_heads(params.model);
  const double cores = number(share.physical_cores),
               rules = rules_of(params) / number(params.longest_stage()),
               columns = cores * number(heads.columns() + heads.values());
  elements.columns = elements.columns * (1 - rules) + columns * rules;
  elements.of_token = std::max(elements.of_token, columns + cores * number(heads.channels()));
  return elements;
}

// Bytes of a rank: states and last tokens of the sequences, in all layers of a stage.
double state_bytes(const TransformerParams& params, const RankShare& share) {
  if (!params.model.delta) return 0;
  const DeltaHeads heads = share.delta_heads(params.model);
  const double of_sequence =
      number(share.physical_cores) * (4 * number(heads.value_heads * heads.key_dim * heads.value_dim) +
                                      2 * number((heads.taps - 1) * heads.channels()));
  return rules_of(params) * number(params.sequences()) * of_sequence;
}

// Elements of a rank beside those of attention, in a layer: gathered or summed rows and partial sums
// (prefill.cpp and decode_step.cpp), and hidden features.
double layer_activations(const TransformerParams& params, const RankShare& share) {
  const ModelShape& m = params.model;
  const double rows = number(params.rows()), hidden = number(m.hidden);
  const auto dense = [&](std::uint64_t ffn) { return rows * (4 * hidden + 3 * number(ffn)); };
  if (m.experts == 0) return dense(share.ffn);
  double elements = rows * 2 * hidden + expert_activations(params, share);
  // The shared expert has gathered rows, partial and other sums, and hidden features.
  if (m.shared_ffn > 0) elements += rows * (3 * hidden + 3 * number(share.common_ffn));
  return m.dense_ffn > 0 ? std::max(elements, dense(share.dense_ffn)) : elements;
}

// Counts those of a sequence of a decoding step, on a group, in all layers of a stage.
double cached_tokens(const TransformerParams& params) {
  std::uint64_t tokens = 0;
  for (std::uint64_t l = 0; l < params.longest_stage(); ++l)
    if (!params.model.has_delta(l))
      tokens += params.model.kept(l, params.context / params.parallel.sequence) + 1;
  return number(tokens);
}

// The ranks of a chip, and those of them that have the embedding or its transpose.
struct ChipRanks {
  std::uint64_t all = 0, vocabularies = 0;
};

std::map<std::uint64_t, ChipRanks> ranks_by_chip(const TransformerParams& params,
                                                 const model::MachineParams& machine) {
  const Seating seating(machine, params.placement, params.parallel.tensor);
  const std::uint64_t of_stage = params.parallel.sequence * params.parallel.data;
  std::map<std::uint64_t, ChipRanks> chips;
  for (std::uint64_t g = 0; g < params.parallel.groups(); ++g)
    for (std::uint64_t r = 0; r < params.parallel.tensor; ++r) {
      ChipRanks& chip = chips[seating.cores(g, r).front() / machine.chip.cores];
      ++chip.all;
      const std::uint64_t stage = g / of_stage;
      const bool last_tokens =
          params.phase == Phase::kDecode || TokenSharding(params, g % params.parallel.sequence).has_last();
      chip.vocabularies +=
          (stage == 0 ? 1 : 0) + (stage + 1 == params.parallel.pipeline && last_tokens ? 1 : 0);
    }
  return chips;
}

// Bytes of the embedding and its transpose on the chip that has most of them.
double embedding_bytes(const TransformerParams& params, const model::MachineParams& machine) {
  const double matrix = number(isa::size_of(TransformerParams::kDType)) * number(params.model.vocabulary) *
                        number(params.model.hidden);
  if (!params.logits)
    return number(ranks_of_chip(params, machine)) * 2 * matrix / number(params.parallel.ranks());
  std::uint64_t most = 0;
  for (const auto& [chip, ranks] : ranks_by_chip(params, machine)) most = std::max(most, ranks.vocabularies);
  return number(most) * matrix / number(params.parallel.tensor);
}

}  // namespace

std::uint64_t ranks_of_chip(const TransformerParams& params, const model::MachineParams& machine) {
  std::uint64_t most = 0;
  for (const auto& [chip, ranks] : ranks_by_chip(params, machine)) most = std::max(most, ranks.all);
  return most;
}

Footprint footprint_of(const TransformerParams& params, const model::MachineParams& machine) {
  const ModelShape& m = params.model;
  const RankShare share(params, machine.chip.lnc);
  const bool decodes = params.phase == Phase::kDecode;
  const double ranks = number(ranks_of_chip(params, machine)),
               size = number(isa::size_of(TransformerParams::kDType)), hidden = number(m.hidden),
               layers = number(params.longest_stage()), rows = number(params.rows()),
               microbatches = number(params.microbatches);
  const AttentionElements attention = with_rules(params, share, {params, share});
  const double kept =
      decodes ? cached_tokens(params) * number((params.rows() + share.sharers - 1) / share.sharers)
              : layers * (rows + number(params.sequences() * params.cached));
  // All groups, if they share sequences; one microbatch.
  const double gathered =
      !decodes && params.parallel.sequence > 1 ? number(params.sequences() * params.tokens) : 0;
  // Those of experts of latent vectors as if they had the hidden features, and both products with them.
  const double of_experts = number(share.ffn * share.experts) * number(m.expert_width()) / hidden +
                            2 * number(m.expert_latent) / number(m.widened() + 1);
  const double features = m.experts > 0 ? of_experts + number(share.common_ffn) : number(share.ffn);
  const auto of_layer = [&](double hidden_features, double routers) {
    return hidden * (number(isa::size_of(m.weights)) *
                         (attention.columns + number(m.widened() + 1) * hidden_features) +
                     size * routers) +
           2 * 4 * hidden;
  };
  // A later stage has more weights than the first one with its layers without experts.
  const double dense = params.parallel.pipeline > 1 ? 0 : layers_without_experts(params),
               bare = layers_without_feed_forward(params);
  Footprint f;
  f.weights =
      ranks * ((layers - dense - bare) * of_layer(features, number(m.experts + (m.shared_gated ? 1 : 0))) +
               dense * of_layer(number(share.dense_ffn), 0) + bare * of_layer(0, 0));
  f.caches = ranks * microbatches * (size * attention.cached * kept + state_bytes(params, share));
  f.activations = ranks * size *
                  (rows * attention.of_token + layer_activations(params, share) +
                   gathered * 2 * number(share.kv_heads * m.head_dim));
  f.embedding = embedding_bytes(params, machine);
  return f;
}

void check_footprint(const TransformerParams& params, const model::MachineParams& machine) {
  const Footprint f = footprint_of(params, machine);
  const double capacity = number(machine.chip.hbm.stacks) * number(machine.chip.hbm.capacity.count);
  if (f.total() <= capacity) return;
  throw base::UserError(
      "E-MDL-005", "workload.parallel.tensor",
      fmt::format(
          "{} takes {:.1f} GiB of a chip's HBM (weights {:.1f}, caches {:.1f}, activations {:.1f}, embedding "
          "{:.1f}), which has {:.1f}; expected a higher tensor degree than {}, a smaller batch or shorter "
          "sequences",
          params.model.name, f.total() / kGiB, f.weights / kGiB, f.caches / kGiB, f.activations / kGiB,
          f.embedding / kGiB, capacity / kGiB, params.parallel.tensor));
}

}  // namespace tahoma::workloads
