// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/model_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "workloads/transformer/figure_text.h"
#include "workloads/transformer/model_footprint.h"

namespace tahoma::workloads {

using Figure = runtime::WorkloadFigure;

namespace {

Figure percent(const char* key, double value, const std::string& meaning) {
  return {key, value, fmt::format("{:.1f} %", value), meaning};
}

void add_pipeline(std::vector<Figure>& figures, const TransformerParams& params, const Bubble& bubble,
                  double scale) {
  const double stages = static_cast<double>(params.parallel.pipeline),
               microbatches = static_cast<double>(params.microbatches),
               stage = scale * bubble.stage.seconds(), hand_over = bubble.hand_over.seconds();
  figures.push_back(
      percent("bubble_percent", 100 * bubble.share,
              fmt::format("of the time a core has no microbatch, of the simulated layers; {} "
                          "stages alike and {} microbatches: {:.1f} %",
                          params.parallel.pipeline, params.microbatches, 100 * Bubble::closed_form(params))));
  figures.push_back(time_figure(
      "stage_time_ns", bubble.stage.seconds(),
      fmt::format("of a microbatch on the {} simulated layers of a stage, mean", params.stage_layers())));
  figures.push_back(
      time_figure("hand_over_time_ns", hand_over,
                  "of a microbatch from stage to stage, mean; to when the next stage has come to it"));
  if (params.phase == Phase::kDecode)
    figures.push_back(time_figure(
        "steady_time_per_output_token_ns",
        std::max(microbatches * stage, stages * stage + (stages - 1) * hand_over),
        "of the whole model's layers where step follows step, which fills the bubble: the time of a stage "
        "for all microbatches, or of all stages for one"));
}

// How the simulated layers scale to the whole model.
struct Scale {
  double layers;   // of the model for each simulated one
  double longest;  // the same for the longest stage
  double whole;    // seconds of the whole model
  std::string text;
};

Scale scale_of(const TransformerParams& params, double seconds, double stage) {
  const double all = static_cast<double>(params.model.layers),
               turns = static_cast<double>(params.microbatches + params.parallel.pipeline - 1),
               longest = std::ceil(all / static_cast<double>(params.parallel.pipeline)) /
                         static_cast<double>(params.stage_layers());
  const bool complete = params.layers == params.model.layers;
  return {all / static_cast<double>(params.layers), longest, seconds + (longest - 1) * turns * stage,
          fmt::format("{}: {}", params.logits ? "from token ids to logits" : "of the whole model's layers",
                      complete ? "all layers were simulated"
                               : fmt::format("{} of {} layers were simulated, scaled", params.layers,
                                             params.model.layers))};
}

void add_times(std::vector<Figure>& figures, const TransformerParams& params, const Scale& scale,
               double stage) {
  if (!params.logits)
    figures.push_back(time_figure("layer_time_ns", stage / static_cast<double>(params.stage_layers()),
                                  params.microbatches > 1
                                      ? "of one layer and microbatch, mean over those simulated"
                                      : "of one layer, mean over those simulated"));
  figures.push_back(
      time_figure(params.phase == Phase::kDecode ? "time_per_output_token_ns" : "time_to_first_token_ns",
                  scale.whole, scale.text));
  const double rate = static_cast<double>(params.all_rows()) / scale.whole;
  figures.push_back({"tokens_per_second", rate, fmt::format("{:.4g}", rate),
                     fmt::format("{} tokens of all sequences in that time", params.all_rows())});
}

void add_traffic(std::vector<Figure>& figures, const TransformerParams& params,
                 const base::RunMeasurement& run, const Scale& scale) {
  const double tokens = static_cast<double>(params.all_rows());
  double hbm = 0, links = 0;
  for (const base::HbmMeasurement& stack : run.hbm)
    hbm += static_cast<double>(stack.read_bytes + stack.write_bytes);
  for (const base::LinkMeasurement& link : run.links) links += static_cast<double>(link.payload_bytes);
  figures.push_back(
      bytes_figure("hbm_bytes_per_token", hbm * scale.layers / tokens, "read and written, whole model"));
  figures.push_back(
      bytes_figure("link_bytes_per_token", links * scale.layers / tokens,
                   params.parallel.pipeline > 1
                       ? "carried, counted on every link, whole model; hand-overs scaled with the rest"
                       : "carried, counted on every link, whole model"));
}

}  // namespace

std::vector<Figure> figures_of(const TransformerParams& params, const model::MachineParams& machine,
                               const base::RunMeasurement& run, base::Duration exposed,
                               const Bubble& bubble) {
  const double seconds = run.elapsed.seconds(), stage = bubble.stage.seconds();
  const Scale scale = scale_of(params, seconds, stage);
  // Embedding and logits do not scale with the layers.
  const bool scales = !params.logits || params.layers == params.model.layers;
  std::vector<Figure> figures;
  if (scales) add_times(figures, params, scale, stage);
  if (params.parallel.pipeline > 1) add_pipeline(figures, params, bubble, scale.longest);
  const double share = seconds > 0 ? 100 * exposed.seconds() / seconds : 0;
  figures.push_back(percent("exposed_communication_percent", share,
                            "of the time a core's collectives run and none of its engines computes, mean"));
  if (scales) add_traffic(figures, params, run, scale);
  const Footprint f = footprint_of(params, machine);
  figures.push_back(
      bytes_figure("hbm_footprint_bytes", f.total(),
                   fmt::format("of the fullest chip, whole model: weights {}, caches {}, activations "
                               "{}, embedding {}",
                               bytes_text(f.weights), bytes_text(f.caches), bytes_text(f.activations),
                               bytes_text(f.embedding))));
  return figures;
}

void add_routing_figures(std::vector<Figure>& figures, const ExpertRouting& routing) {
  const double most = static_cast<double>(routing.most_tokens()), mean = routing.mean_tokens();
  figures.push_back(
      {"expert_tokens_most", most, fmt::format("{}", most),
       fmt::format("of the most wanted expert in a layer of a replica; the mean is {:.4g}", mean)});
  figures.push_back({"expert_imbalance", most / mean, fmt::format("{:.3f}", most / mean),
                     "tokens of the most wanted expert over the mean"});
}

}  // namespace tahoma::workloads
