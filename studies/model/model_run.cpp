// SPDX-License-Identifier: Apache-2.0
#include "studies/model/model_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "runtime/host/json/json_text.h"
#include "runtime/host/output/manifest.h"
#include "runtime/host/text/format.h"
#include "runtime/host/text/whole_file.h"
#include "runtime/run/inputs.h"
#include "studies/batch/child_run.h"
#include "studies/model/config/layer_pattern.h"
#include "studies/model/model_origins.h"
#include "studies/model/token_ids.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

// Returns the layers to execute, of all stages together.
std::vector<LayerRange> executed_layers(const ModelConfig& config, const ModelExecution& execution,
                                        const ModelPoint& point, ModelPhase phase) {
  const ModelLayout& layout = point.layout;
  if (layout.shortest_stage(config.layers) <= execution.layers) return {{config.layers}};
  const std::uint64_t tokens = sequence_tokens(point.demand, phase);
  const std::vector<LikeLayers> kinds = like_layers(config, tokens);
  if (kinds.size() > 1) {
    if (layout.pipeline > 1)
      throw base::UserError(
          "E-HFC-005", "--pipeline",
          config.layers_without_experts() > 0
              ? fmt::format("expected 1: {} of the layers have no experts, so stages cannot be scaled",
                            config.layers_without_experts())
          : config.window > 0
              ? fmt::format("expected 1, or sequences of at most the {} tokens of the sliding window: "
                            "the layers are not alike, so stages cannot be scaled",
                            config.window)
              : std::string("expected 1: the layers are not alike, so stages cannot be scaled"));
    std::vector<LayerRange> ranges;
    for (const LikeLayers& kind : kinds) ranges.push_back({1, kind.first});
    ranges.push_back({2, unlike_layers(config, tokens).first});
    return ranges;
  }
  const std::uint64_t least = layout.least_layers(config.layers);
  return {{least + layout.pipeline * (execution.layers - 2)},
          {least + layout.pipeline * (execution.layers - 1)}};
}

ChildRun run_of(const ModelExecution& execution, ModelPhase phase, const std::string& name,
                const std::filesystem::path& file, const std::filesystem::path& out) {
  ChildRun run;
  run.name = name;
  run.options.config.workload = file.string();
  run.options.config.mode = execution.mode;
  run.options.config.seed = execution.seed;
  run.options.prices = execution.prices;
  run.options.config.overrides = execution.overrides_of(phase);
  run.options.out = out.string();
  return run;
}

PhaseFigures figures_in(const Json& summary, double microbatches, std::uint64_t layers,
                        const std::string& name) {
  PhaseFigures f;
  f.seconds = summary["simulated_time_ns"].get<double>() * 1e-9;
  f.flops = summary["flops"]["useful"].get<double>();
  f.hbm_bytes = summary["hbm"]["bytes"].get<double>();
  f.link_bytes = summary["links"]["bytes"].get<double>();
  f.peak_flops = summary["flops"]["peak_tflops"].get<double>() * 1e12;
  f.footprint_bytes = summary["figures"]["hbm_footprint_bytes"]["value"].get<double>();
  if (summary.contains("cost") && summary["cost"].is_object()) {  // without a price list there is none
    const Json& cost = summary["cost"];
    f.joules = cost["wall_joules"].get<double>();
    f.dollars = cost["dollars"].get<double>();
    f.litres = cost["litres"].get<double>();
  }
  if (const Json& figures = summary["figures"]; figures.contains("stage_time_ns")) {
    f.worked_seconds = microbatches * figures["stage_time_ns"]["value"].get<double>() * 1e-9;
    f.hand_over_seconds = figures["hand_over_time_ns"]["value"].get<double>() * 1e-9;
    if (figures.contains("free_hand_over_time_ns"))
      f.free_hand_over_seconds = figures["free_hand_over_time_ns"]["value"].get<double>() * 1e-9;
    for (std::string key; figures.contains(key = fmt::format("stage_{}_time_ns", f.stage_seconds.size()));)
      f.stage_seconds.push_back(figures[key]["value"].get<double>() * 1e-9);
  }
  f.executed = layers;
  f.runs = {name};
  return f;
}

constexpr std::array kOverLayers{
    &PhaseFigures::seconds, &PhaseFigures::flops,   &PhaseFigures::hbm_bytes, &PhaseFigures::link_bytes,
    &PhaseFigures::joules,  &PhaseFigures::dollars, &PhaseFigures::litres,    &PhaseFigures::worked_seconds};

// Extrapolates to all layers from runs of two numbers of them.
PhaseFigures extended(const PhaseFigures& a, const PhaseFigures& b, std::uint64_t layers) {
  PhaseFigures f = b;
  const double more = static_cast<double>(layers - b.executed) / static_cast<double>(b.executed - a.executed);
  for (double PhaseFigures::*figure : kOverLayers) f.*figure += more * (b.*figure - a.*figure);
  for (std::size_t s = 0; s < f.stage_seconds.size(); ++s)
    f.stage_seconds[s] += more * (b.stage_seconds[s] - a.stage_seconds[s]);
  f.runs.insert(f.runs.begin(), a.runs.begin(), a.runs.end());
  return f;
}

// Extrapolates to so many layers of several kinds from a run of each, and one of two layers: these two take
// together what their runs take, less the ends of the model, which are in all runs.
PhaseFigures extended(const std::vector<const PhaseFigures*>& runs, const std::vector<LikeLayers>& kinds,
                      const UnlikeLayers& two) {
  PhaseFigures f = *runs.back();
  f.runs.clear();
  for (const PhaseFigures* run : runs) f.runs.push_back(run->runs.front());
  for (double PhaseFigures::*figure : kOverLayers) {
    const double ends = runs[two.kind]->*figure + runs[two.next]->*figure - runs.back()->*figure;
    f.*figure = ends;
    for (std::size_t k = 0; k < kinds.size(); ++k)
      f.*figure += static_cast<double>(kinds[k].count) * (runs[k]->*figure - ends);
  }
  return f;
}

// Token ids for every sequence, [sequences, tokens]. Replicas have the same, so that they do the same and one
// of them can be simulated for all (model/system/folding); within a replica they are spread over the
// vocabulary.
NpyArray ids_of(const ModelConfig& config, const ModelPoint& point, ModelPhase phase) {
  const bool decodes = phase == ModelPhase::kDecode;
  const std::uint64_t sequences = decodes ? point.demand.batch : point.layout.data * point.demand.prompts,
                      tokens = decodes ? 1 : point.layout.padded(point.demand.prompt),
                      of_replica = sequences / point.layout.data * tokens;
  std::vector<std::int64_t> ids(sequences * tokens);
  const GeneratedValues drawn(1, "ids");
  for (std::uint64_t i = 0; i < ids.size(); ++i) {
    const double spread = (static_cast<double>(drawn[i % of_replica]) + 1) / 2;  // in [0, 1)
    ids[i] = static_cast<std::int64_t>(spread * static_cast<double>(config.vocabulary));
  }
  return token_ids_array(ids, sequences);
}

}  // namespace

std::size_t PhaseFigures::bottleneck() const {
  return static_cast<std::size_t>(std::max_element(stage_seconds.begin(), stage_seconds.end()) -
                                  stage_seconds.begin());
}

double PhaseFigures::full_seconds(std::uint64_t microbatches) const {
  if (stage_seconds.empty()) return seconds;
  const double through = std::accumulate(stage_seconds.begin(), stage_seconds.end(), 0.0) +
                         static_cast<double>(stage_seconds.size() - 1) * free_hand_over_seconds;
  return std::max(static_cast<double>(microbatches) * stage_seconds[bottleneck()], through);
}

std::vector<std::string> ModelExecution::overrides_of(ModelPhase phase) const {
  std::vector<std::string> all{"machine.chip.hbm.model=" +
                               (phase == ModelPhase::kPrefill ? prefill_hbm : decode_hbm)};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return all;
}

std::string seconds_text(double seconds) { return time_text({static_cast<std::int64_t>(seconds * 1e15)}); }

std::vector<ModelRunner::Planned> ModelRunner::planned(const ModelPoint& point, ModelPhase phase) const {
  std::vector<Planned> runs;
  for (const LayerRange& layers : executed_layers(config_, execution_, point, phase)) {
    const std::string from = layers.first > 0 ? fmt::format("_from{}", layers.first) : "";
    runs.push_back({&point, phase, layers,
                    fmt::format("{}_layers{}{}", name_of_phase(point, phase), layers.count, from)});
  }
  return runs;
}

ModelRunner::ModelRunner(const ModelConfig& config, const ModelExecution& execution, std::string folder)
    : config_(config), execution_(execution), folder_(std::move(folder)), kept_(host_facts().binary_sha256) {}

// Writes the case of a run and its token ids.
ChildRun ModelRunner::written(const Planned& run) const {
  const std::filesystem::path cases = std::filesystem::path(folder_) / "cases",
                              outs = std::filesystem::path(folder_) / "runs",
                              file = cases / (run.name + ".yaml"), ids = cases / (run.name + "_ids.npy");
  std::filesystem::create_directories(cases);
  std::filesystem::create_directories(outs);
  std::filesystem::remove(ids);
  std::vector<std::pair<std::string, std::string>> inputs;
  if (!is_encoder(config_)) {
    write_npy(ids.string(), ids_of(config_, *run.point, run.phase));
    inputs.emplace_back("ids", ids.filename().string());
  }
  const Json text = model_case(config_, run.point->layout, run.point->demand, run.phase, run.layers, inputs);
  write_file(file.string(), dump_json(text, 2) + "\n");
  ChildRun child = run_of(execution_, run.phase, run.name, file, outs / run.name);
  child.options.config.origins =
      execution_.origins.empty() ? model_origins(config_, *run.point, run.phase) : execution_.origins;
  return child;
}

void ModelRunner::take_figures(const Planned& run, const Json& summary) {
  executed_[run.name] = figures_in(summary, static_cast<double>(microbatches_of(*run.point, run.phase)),
                                   run.layers.count, run.name);
}

void ModelRunner::execute(const std::vector<Planned>& runs, const Progress& progress) {
  std::vector<ChildRun> children;
  std::vector<const Planned*> missing;
  for (const Planned& run : runs) {
    ChildRun child = written(run);
    if (const auto summary = kept_.take(child)) {
      take_figures(run, *summary);
      continue;
    }
    children.push_back(std::move(child));
    missing.push_back(&run);
  }
  const std::vector<Json> summaries =
      summaries_of(children, execution_.jobs, [&](std::size_t done) { progress(done, children.size()); });
  for (std::size_t i = 0; i < missing.size(); ++i) take_figures(*missing[i], summaries[i]);
  counts_.executed += missing.size();
  counts_.kept += runs.size() - missing.size();
}

PhaseFigures ModelRunner::figures_of(const ModelPoint& point, ModelPhase phase) const {
  const std::vector<Planned> runs = planned(point, phase);
  const PhaseFigures& last = executed_.at(runs.back().name);
  if (runs.size() == 1) return last;
  const PhaseFigures& first = executed_.at(runs.front().name);
  if (runs.size() == 2) return extended(first, last, config_.layers);
  std::vector<const PhaseFigures*> figures;
  for (const Planned& run : runs) figures.push_back(&executed_.at(run.name));
  const std::uint64_t tokens = sequence_tokens(point.demand, phase);
  return extended(figures, like_layers(config_, tokens), unlike_layers(config_, tokens));
}

std::vector<PhaseFigures> ModelRunner::run_phases(const std::vector<PhasePoint>& phases,
                                                  const Progress& progress) {
  std::vector<Planned> runs;
  for (const PhasePoint& wanted : phases)
    for (Planned& run : planned(wanted.point, wanted.phase)) {
      const bool known =
          executed_.contains(run.name) ||
          std::any_of(runs.begin(), runs.end(), [&](const Planned& r) { return r.name == run.name; });
      if (!known) runs.push_back(std::move(run));
    }
  execute(runs, progress);
  std::vector<PhaseFigures> all;
  for (const PhasePoint& wanted : phases) all.push_back(figures_of(wanted.point, wanted.phase));
  return all;
}

std::vector<ModelFigures> ModelRunner::run(const std::vector<ModelPoint>& points, const Progress& progress) {
  std::vector<PhasePoint> phases;
  for (const ModelPoint& point : points)
    for (const auto& phase : kModelPhases) phases.push_back({point, phase.value});
  const std::vector<PhaseFigures> figures = run_phases(phases, progress);
  std::vector<ModelFigures> all;
  for (std::size_t i = 0; i < points.size(); ++i)
    all.push_back({points[i], figures[2 * i], figures[2 * i + 1]});
  return all;
}

}  // namespace tahoma::runtime
