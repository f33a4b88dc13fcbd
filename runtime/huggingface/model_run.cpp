// SPDX-License-Identifier: Apache-2.0
#include "runtime/huggingface/model_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/host/whole_file.h"
#include "runtime/huggingface/child_run.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

// A phase of a layout: with one number of layers, or with two.
struct Planned {
  std::size_t layout;
  ModelPhase phase;
  std::uint64_t layers;
  std::string name;
};

const char* name_of(ModelPhase phase) { return phase == ModelPhase::kPrefill ? "prefill" : "decode"; }

std::vector<std::uint64_t> executed_layers(const ModelConfig& config, const ModelExecution& execution) {
  if (config.layers <= execution.layers) return {config.layers};
  return {execution.layers - 1, execution.layers};
}

std::vector<Planned> plan(const ModelConfig& config, const std::vector<ModelLayout>& layouts,
                          const ModelExecution& execution) {
  std::vector<Planned> all;
  for (std::size_t i = 0; i < layouts.size(); ++i)
    for (const ModelPhase phase : {ModelPhase::kPrefill, ModelPhase::kDecode})
      for (const std::uint64_t layers : executed_layers(config, execution)) {
        const ModelLayout& l = layouts[i];
        all.push_back({i, phase, layers,
                       fmt::format("chips{}_lnc{}_tensor{}_data{}_{}_layers{}", l.chips, l.lnc, l.tensor,
                                   l.data, name_of(phase), layers)});
      }
  return all;
}

ChildRun run_of(const ModelExecution& execution, const Planned& planned, const std::string& file,
                const std::string& out) {
  ChildRun run;
  run.name = planned.name;
  run.options.config.workload = file;
  run.options.config.mode = execution.mode;
  run.options.config.seed = execution.seed;
  const std::string& hbm =
      planned.phase == ModelPhase::kPrefill ? execution.prefill_hbm : execution.decode_hbm;
  run.options.config.overrides = {"machine.chip.hbm.model=" + hbm};
  run.options.config.overrides.insert(run.options.config.overrides.end(), execution.overrides.begin(),
                                      execution.overrides.end());
  run.options.out = out;
  return run;
}

PhaseFigures figures_in(const Json& summary, const Planned& run) {
  PhaseFigures f;
  f.seconds = summary["simulated_time_ns"].get<double>() * 1e-9;
  f.flops = summary["flops"]["useful"].get<double>();
  f.hbm_bytes = summary["hbm"]["bytes"].get<double>();
  f.link_bytes = summary["links"]["bytes"].get<double>();
  f.peak_flops = summary["flops"]["peak_tflops"].get<double>() * 1e12;
  f.footprint_bytes = summary["figures"]["hbm_footprint_bytes"]["value"].get<double>();
  if (summary.contains("energy")) f.joules = summary["energy"]["joules"].get<double>();
  f.executed = run.layers;
  f.runs = {run.name};
  return f;
}

// Of all layers, from runs of two numbers of them.
PhaseFigures extended(const PhaseFigures& a, const PhaseFigures& b, std::uint64_t layers) {
  PhaseFigures f = b;
  const double more = static_cast<double>(layers - b.executed) / static_cast<double>(b.executed - a.executed);
  for (double PhaseFigures::*figure : {&PhaseFigures::seconds, &PhaseFigures::flops, &PhaseFigures::hbm_bytes,
                                       &PhaseFigures::link_bytes, &PhaseFigures::joules})
    f.*figure += more * (b.*figure - a.*figure);
  f.runs.insert(f.runs.begin(), a.runs.begin(), a.runs.end());
  return f;
}

}  // namespace

std::vector<ModelFigures> run_layouts(const ModelConfig& config, const std::vector<ModelLayout>& layouts,
                                      const ModelDemand& demand, const ModelExecution& execution,
                                      const std::string& folder,
                                      const std::function<void(std::size_t, std::size_t)>& progress) {
  const std::vector<Planned> runs = plan(config, layouts, execution);
  const std::filesystem::path cases = std::filesystem::path(folder) / "cases",
                              outs = std::filesystem::path(folder) / "runs";
  std::filesystem::create_directories(cases);
  std::filesystem::create_directories(outs);
  std::vector<ChildRun> children;
  for (const Planned& run : runs) {
    const std::string file = (cases / (run.name + ".yaml")).string();
    const Json text = model_case(config, layouts[run.layout], demand, run.phase, run.layers);
    write_new_file(file, {text.dump(2), "\n"});
    children.push_back(run_of(execution, run, file, (outs / run.name).string()));
  }
  const std::vector<Json> summaries =
      summaries_of(children, execution.jobs, [&](std::size_t done) { progress(done, children.size()); });
  std::vector<ModelFigures> all;
  for (const ModelLayout& layout : layouts) all.push_back({layout, demand, {}, {}});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ModelFigures& of_layout = all[runs[i].layout];
    PhaseFigures& figures = runs[i].phase == ModelPhase::kPrefill ? of_layout.prefill : of_layout.decode;
    const PhaseFigures now = figures_in(summaries[i], runs[i]);
    figures = figures.executed == 0 ? now : extended(figures, now, config.layers);
  }
  return all;
}

}  // namespace tahoma::runtime
