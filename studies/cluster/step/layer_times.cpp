// SPDX-License-Identifier: Apache-2.0
#include "studies/cluster/step/layer_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "report/summary/peak_flops.h"
#include "runtime/config/config.h"
#include "studies/cards/model_work.h"
#include "studies/cluster/input/cluster_origins.h"
#include "studies/cluster/step/executed_layers.h"
#include "studies/cluster/step/network.h"

namespace tahoma::runtime::cluster {

namespace {

constexpr double kElement = 2;  // bytes of activations in bf16

struct ForwardTimes {
  double layer = 0, attention = 0, ends = 0;
};

double tokens_of_chip(const ClusterCase& c) {
  return number(c.job.micro_batch * c.job.sequence) / number(c.job.context);
}

// The tokens of a chip, its share of the pairs of a causal attention, and the keys of whole sequences.
WorkShape shape_of_chip(const ClusterCase& c) {
  const double sequence = number(c.job.sequence), sequences = number(c.job.micro_batch);
  return {tokens_of_chip(c), sequences * sequence * (sequence + 1) / 2 / number(c.job.context),
          sequences * sequence};
}

ForwardTimes card_times(const ClusterCase& c, const Card& card) {
  const double devices = number(c.job.tensor);
  ForwardTimes times;
  const std::vector<CardWork> parts = layer_work(c.model, shape_of_chip(c), devices);
  times.layer = seconds_of(card, card.efficiency, devices, parts);
  for (const CardWork& part : parts)
    if (part.part == "attention") times.attention = seconds_of(card, card.efficiency, devices, part);
  times.ends = seconds_of(card, card.efficiency, devices,
                          ends_work(c.model, tokens_of_chip(c), tokens_of_chip(c), devices));
  return times;
}

ForwardTimes prefill_times(const ClusterCase& c, const std::string& folder) {
  constexpr std::uint64_t kRanksOfChip = 4;  // logical cores at LNC 2
  if (c.job.context > 1 || c.job.micro_batch > 1)
    throw base::UserError("E-CLU-003", "cluster.times.source",
                          "prefill: expected a context degree and a micro-batch of 1");
  ModelPoint point;
  point.layout = {c.job.tensor, 2, c.job.tensor * kRanksOfChip, 1, 1};
  point.demand = {1, c.job.sequence, c.job.sequence};
  try {
    require_machine(c.job.tensor);
  } catch (const base::UserError& error) {
    throw base::UserError("E-CLU-003", "cluster.job.tensor", "with times.source: prefill: " + error.message);
  }
  ModelExecution execution;
  execution.jobs = 2;
  execution.origins = cluster_origins(c);
  double seconds[2];
  for (const std::uint64_t layers : {1, 2}) {
    ModelConfig config = c.model;
    config.layers = layers;
    ModelRunner runner(config, execution, fmt::format("{}/layers{}", folder, layers));
    seconds[layers - 1] =
        runner.run_phases({{point, ModelPhase::kPrefill}}, [](std::size_t, std::size_t) {})[0].seconds;
  }
  const double layer = seconds[1] - seconds[0];
  return {layer, 0, std::max(0.0, seconds[0] - layer)};
}

// Keys and values of the group go around a ring of `context` chips; each hop is hidden behind the attention
// of one part.
double exposed_context(const ClusterCase& c, double attention) {
  const double members = number(c.job.context);
  if (members <= 1) return 0;
  const double kv = std::max(1.0, number(c.model.kv_heads) / number(c.job.tensor)) * number(c.model.head_dim),
               bytes = 2 * kElement * tokens_of_chip(c) * kv,
               hop = send_seconds(c.fleet, number(c.job.tensor), bytes);
  return (members - 1) * std::max(0.0, hop - attention / members);
}

double expert_exchange(const ClusterCase& c) {
  if (c.job.expert <= 1) return 0;
  const double bytes = kElement * tokens_of_chip(c) / number(c.job.tensor) *
                       number(c.model.experts_per_token) * number(c.model.hidden);
  return 2 * all_to_all_seconds(c.fleet, {number(c.job.expert), number(c.job.tensor * c.job.context)}, bytes);
}

double flops_of_token(const ClusterCase& c) {
  const double sequence = number(c.job.sequence);
  double flops = 0;
  for (const CardWork& part :
       layer_work(c.model, WorkShape{sequence, sequence * (sequence + 1) / 2, sequence}, 1))
    flops += number(c.model.layers) * part.flops;
  for (const CardWork& part : ends_work(c.model, sequence, sequence, 1)) flops += part.flops;
  return 3 * flops / sequence;
}

PassTimes with_backward(const ClusterCase& c, double forward, double exchange, bool recomputed) {
  const double backward = c.times.backward * forward;
  const double again = recomputed && c.job.recompute == Recompute::kLayer ? forward + exchange : 0;
  return {forward + exchange, backward / 2 + exchange + again, backward / 2};
}

double peak_of_chip(const model::ChipParams& chip) {
  return static_cast<double>(chip.cores) *
         core_peak_flops(chip.core.tensor, isa::DType::kBf16, isa::MatmulMode::kDense);
}

PassTimes given(base::Duration forward, base::Duration backward) {
  return {forward.seconds(), backward.seconds() / 2, backward.seconds() / 2};
}

}  // namespace

LayerTimes layer_times(const ClusterCase& c, const std::string& folder) {
  if (!c.times.slow_instance.empty() && c.times.source != TimeSource::kExecuted)
    throw base::UserError(
        "E-CLU-003", "cluster.times.slow_instance",
        "needs times.source: executed; faults.slow_factor gives the effect of a slow part otherwise");
  Card card = read_card(c.times.card);
  if (c.times.compute > 0) card.efficiency.compute = c.times.compute;
  LayerTimes times;
  times.flops = flops_of_token(c);
  times.peak_flops = card.bf16_tflops * 1e12;
  times.slow_factor = c.faults.slow_factor;
  times.hbm_bytes = number(card.hbm.count);
  times.hbm_bytes_per_second = static_cast<double>(card.hbm_bandwidth.bytes_per_second);
  if (c.times.source == TimeSource::kGiven) {
    times.layer = given(c.times.layer_forward, c.times.layer_backward);
    times.ends = given(c.times.ends_forward, c.times.ends_backward);
    times.update = {c.times.layer_update.seconds(), c.times.ends_update.seconds(),
                    c.times.norms_update.seconds(), c.times.first_update.seconds()};
    times.norm = c.times.norm_backward.seconds();
    times.source = "times of the case";
    return times;
  }
  if (c.times.source == TimeSource::kExecuted) {
    times.peak_flops = peak_of_chip(resolve_machine_params(c.times.machine, {}).chip);
    const ExecutedLayers executed = execute_layers(c, folder);
    times.layer = executed.layer;
    times.ends = executed.ends;
    times.norm = executed.norm;
    times.update = executed.update;
    if (executed.slow_factor > 0) times.slow_factor = std::max(1.0, executed.slow_factor);
    times.source = "executed training steps of one and two layers";
    return times;
  }
  const bool executed = c.times.source == TimeSource::kPrefill;
  const ForwardTimes forward = executed ? prefill_times(c, folder) : card_times(c, card);
  const double exchange = exposed_context(c, forward.attention) + expert_exchange(c);
  times.layer = with_backward(c, forward.layer, exchange, true);
  times.ends = with_backward(c, forward.ends, 0, false);
  times.source = executed ? "executed prefill of one and two layers; backward pass assumed"
                          : fmt::format("roofline of {}; nothing executed", card.name);
  return times;
}

}  // namespace tahoma::runtime::cluster
