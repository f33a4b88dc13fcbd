// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/training_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "workloads/transformer/figure_text.h"
#include "workloads/transformer/model_footprint.h"
#include "workloads/transformer/partition/share.h"

namespace tahoma::workloads {

namespace {

constexpr double kWeight = 2, kGradient = 4,
                 kOptimizer = 12;  // bytes of an element: bf16; fp32; three of fp32

double number(std::uint64_t n) { return static_cast<double>(n); }

}  // namespace

TrainingFootprint footprint_of(const TrainingParams& params, const model::MachineParams& machine) {
  const ModelShape& m = params.model();
  const RankShare share(params.forward, machine.chip.lnc);
  const double ranks = number(ranks_of_chip(params.forward, machine)),
               layers = number((m.layers + params.stages() - 1) / params.stages()), hidden = number(m.hidden),
               rows = number(params.rows()), d = number(m.head_dim),
               tensor = number(params.forward.parallel.tensor), replicas = number(params.replicas());
  const double heads = number(share.units() + share.heads) * d;
  const double sharded = layers * hidden * (heads + 3 * number(share.ffn)),
               whole = hidden * (number(m.vocabulary) + 2 * layers + 1);
  // The bytes of one layer, as in tape.h; the rows of a single rank are negligible.
  const double of_layer = kWeight * rows * (4 * hidden + heads + 3 * number(share.ffn));
  const double streams = (layers + 1) * kWeight * rows * hidden / tensor;
  TrainingFootprint f;
  f.weights = ranks * kWeight * (sharded + whole);
  f.gradients = ranks * kGradient * (sharded + whole);
  f.optimizer = ranks * kOptimizer * (sharded / replicas + whole / (replicas * tensor));
  // The first stage has these in flight, as in studies/cluster/step/memory.h; the last stage has the logits.
  const double in_flight = number(params.schedule == runtime::cluster::Schedule::kGpipe
                                      ? params.microbatches()
                                      : std::min(params.stages(), params.microbatches()));
  f.activations = ranks * (of_layer * (params.recomputes() ? 2 : layers * in_flight + 1) +
                           in_flight * streams + kWeight * rows / tensor * number(m.vocabulary));
  return f;
}

void check_footprint(const TrainingParams& params, const model::MachineParams& machine) {
  const TrainingFootprint f = footprint_of(params, machine);
  const double capacity = number(machine.chip.hbm.stacks) * number(machine.chip.hbm.capacity.count);
  if (f.total() <= capacity) return;
  throw base::UserError(
      "E-MDL-032", "workload.parallel",
      fmt::format(
          "a step of {} takes {} of a chip's HBM (weights {}, gradients {}, optimizer {}, activations {}), "
          "which has {}; expected higher tensor or data degrees, recompute: layer, or a smaller batch",
          params.model().name, bytes_text(f.total()), bytes_text(f.weights), bytes_text(f.gradients),
          bytes_text(f.optimizer), bytes_text(f.activations), bytes_text(capacity)));
}

std::vector<runtime::WorkloadFigure> figures_of(const TrainingParams& params,
                                                const model::MachineParams& machine,
                                                const base::RunMeasurement& run, base::Duration exposed) {
  TrainingParams whole = params;
  whole.forward.layers = params.model().layers;
  const double seconds = run.elapsed.seconds(), scale = whole.useful_flops() / params.useful_flops(),
               tokens = number(params.all_rows());
  std::vector<runtime::WorkloadFigure> figures;
  figures.push_back(
      time_figure("step_time_ns", seconds, fmt::format("of {} layers and the head", params.forward.layers)));
  if (scale > 1)
    figures.push_back(
        time_figure("model_step_time_ns", seconds * scale,
                    fmt::format("of {} layers and the head, at this step's useful operations a second",
                                params.model().layers)));
  const double rate = tokens / (seconds * scale);
  figures.push_back(
      {"tokens_per_second", rate, fmt::format("{:.4g}", rate),
       fmt::format("{} tokens of all replicas in a step of the whole model", params.all_rows())});
  const double share = seconds > 0 ? 100 * exposed.seconds() / seconds : 0;
  figures.push_back({"exposed_communication_percent", share, fmt::format("{:.1f} %", share),
                     "of the time a core's collectives run and none of its engines computes, mean"});
  double links = 0;
  for (const base::LinkMeasurement& link : run.links) links += number(link.payload_bytes);
  figures.push_back(bytes_figure("link_bytes_per_token", links * scale / tokens,
                                 "carried, counted on every link, whole model"));
  const TrainingFootprint f = footprint_of(params, machine);
  figures.push_back(
      bytes_figure("hbm_footprint_bytes", f.total(),
                   fmt::format("of the fullest chip, whole model: weights {}, gradients {}, optimizer "
                               "{}, activations {}",
                               bytes_text(f.weights), bytes_text(f.gradients), bytes_text(f.optimizer),
                               bytes_text(f.activations))));
  return figures;
}

}  // namespace tahoma::workloads
