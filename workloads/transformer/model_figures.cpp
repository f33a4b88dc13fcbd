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

// Stages differ if they have the embedding or the logits, or unequal layers.
void add_bottleneck(std::vector<Figure>& figures, const Bubble& bubble) {
  const auto longest = std::max_element(bubble.stages.begin(), bubble.stages.end(),
                                        [](const auto& a, const auto& b) { return a.fs < b.fs; });
  const auto number = longest - bubble.stages.begin();
  figures.push_back(
      {"bottleneck_stage", static_cast<double>(number), std::to_string(number),
       fmt::format("of 0 to {}, the one that needs longest for a microbatch", bubble.stages.size() - 1)});
  figures.push_back(time_figure("free_hand_over_time_ns", bubble.free_hand_over.seconds(),
                                "of the first microbatch, for which every next stage waits, mean"));
  for (std::size_t s = 0; s < bubble.stages.size(); ++s)
    figures.push_back(time_figure(fmt::format("stage_{}_time_ns", s), bubble.stages[s].seconds(),
                                  "of a microbatch, after the first one, on the simulated layers"));
}

// Extends the stages to all layers of the model by the time of a simulated layer.
double full_pipeline_of_model(const TransformerParams& params, const Bubble& bubble, double more_layers) {
  const double layer = bubble.stage.seconds() * static_cast<double>(params.parallel.pipeline) /
                       static_cast<double>(params.layers);
  std::vector<double> stages;
  for (const base::Duration& stage : bubble.stages) stages.push_back(stage.seconds() + more_layers * layer);
  return full_pipeline_seconds(stages, static_cast<double>(params.microbatches),
                               bubble.free_hand_over.seconds());
}

void add_pipeline(std::vector<Figure>& figures, const TransformerParams& params, const Bubble& bubble,
                  double more_layers) {
  const double hand_over = bubble.hand_over.seconds();
  const std::string layers =
      params.stages.empty() ? std::to_string(params.layers / params.parallel.pipeline) : params.stages;
  figures.push_back(percent(
      "bubble_percent", 100 * bubble.share,
      fmt::format("of the time a core has no microbatch, of the simulated layers; {} "
                  "stages {} and {} microbatches: {:.1f} %",
                  params.parallel.pipeline, params.stages.empty() ? "alike" : "of " + layers + " layers",
                  params.microbatches, 100 * Bubble::closed_form(params))));
  figures.push_back(
      time_figure("stage_time_ns", bubble.stage.seconds(),
                  fmt::format("of a microbatch on the {} simulated layers of a stage, mean", layers)));
  figures.push_back(
      time_figure("hand_over_time_ns", hand_over,
                  "of a microbatch from stage to stage, mean; to when the next stage has come to it"));
  if (params.phase == Phase::kDecode)
    figures.push_back(time_figure("steady_time_per_output_token_ns",
                                  full_pipeline_of_model(params, bubble, more_layers),
                                  "of the whole model's layers where step follows step, which fills the "
                                  "bubble: the time of the longest stage "
                                  "for all microbatches, or of all stages for one"));
  if (params.logits || !params.stages.empty()) add_bottleneck(figures, bubble);
}

// How the simulated layers scale to the whole model.
struct Scale {
  double layers;  // of the model for each simulated one
  double more;    // layers of each stage that are not simulated
  double whole;   // seconds of the whole model
  std::string text;
};

Scale scale_of(const TransformerParams& params, double seconds, double stage) {
  const double all = static_cast<double>(params.model.layers),
               turns = static_cast<double>(params.microbatches + params.parallel.pipeline - 1),
               simulated = static_cast<double>(params.layers) / static_cast<double>(params.parallel.pipeline),
               more = std::ceil((all - static_cast<double>(params.layers)) /
                                static_cast<double>(params.parallel.pipeline)),
               longest = (simulated + more) / simulated;
  const bool complete = params.layers == params.model.layers;
  return {all / static_cast<double>(params.layers), more, seconds + (longest - 1) * turns * stage,
          fmt::format("{}: {}", params.logits ? "from token ids to logits" : "of the whole model's layers",
                      complete ? "all layers were simulated"
                               : fmt::format("{} of {} layers were simulated, scaled", params.layers,
                                             params.model.layers))};
}

void add_times(std::vector<Figure>& figures, const TransformerParams& params, const Scale& scale,
               double stage) {
  if (!params.logits)
    figures.push_back(time_figure(
        "layer_time_ns",
        stage * static_cast<double>(params.parallel.pipeline) / static_cast<double>(params.layers),
        params.microbatches > 1 ? "of one layer and microbatch, mean over those simulated"
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
  if (params.parallel.pipeline > 1) add_pipeline(figures, params, bubble, scale.more);
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
