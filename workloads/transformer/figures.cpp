// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/figures.h"

#include <fmt/format.h>

#include "workloads/transformer/figure_text.h"
#include "workloads/transformer/footprint.h"

namespace tahoma::workloads {

using Figure = runtime::WorkloadFigure;

std::vector<Figure> figures_of(const TransformerParams& params, const model::MachineParams& machine,
                               const base::RunMeasurement& run, base::Duration exposed) {
  const bool decodes = params.phase() == Phase::kDecode;
  const double layers = static_cast<double>(params.layers), all = static_cast<double>(params.model.layers),
               scale = all / layers, seconds = run.elapsed.seconds(),
               tokens = static_cast<double>(params.rows() * params.parallel.data);
  double hbm = 0, links = 0;
  for (const base::HbmMeasurement& stack : run.hbm)
    hbm += static_cast<double>(stack.read_bytes + stack.write_bytes);
  for (const base::LinkMeasurement& link : run.links) links += static_cast<double>(link.payload_bytes);
  const std::string scaled =
      params.layers == params.model.layers
          ? std::string("all layers were simulated")
          : fmt::format("{} of {} layers were simulated, scaled", params.layers, params.model.layers);
  std::vector<Figure> figures;
  figures.push_back(
      time_figure("layer_time_ns", seconds / layers, "of one layer, mean over those simulated"));
  if (decodes)
    figures.push_back(time_figure("time_per_output_token_ns", seconds * scale,
                                  fmt::format("of the whole model's layers: {}", scaled)));
  else
    figures.push_back(time_figure("time_to_first_token_ns", seconds * scale,
                                  fmt::format("of the whole model's layers: {}", scaled)));
  const double rate = tokens / (seconds * scale);
  figures.push_back(
      {"tokens_per_second", rate, fmt::format("{:.4g}", rate),
       fmt::format("{} tokens of all sequences in that time", params.rows() * params.parallel.data)});
  const double share = seconds > 0 ? 100 * exposed.seconds() / seconds : 0;
  figures.push_back({"exposed_communication_percent", share, fmt::format("{:.1f} %", share),
                     "of the time a core's collectives run and none of its engines computes, mean"});
  figures.push_back(
      bytes_figure("hbm_bytes_per_token", hbm * scale / tokens, "read and written, whole model"));
  figures.push_back(bytes_figure("link_bytes_per_token", links * scale / tokens,
                                 "carried, counted on every link, whole model"));
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
