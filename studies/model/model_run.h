// SPDX-License-Identifier: Apache-2.0
// Executes the phases of a model in a layout. The layers of most models are alike, so a phase is executed
// with one and with two layers, embedding, last norm and logits included, and T(L) = T(1) + (L - 1) (T(2) -
// T(1)). In a pipeline these are layers of the shortest stage, and each other stage has as many more as in
// the model: so all stages grow alike, the same one remains the bottleneck, and a step remains linear in
// them, while the transfers between stages, which are executed too, are in T(1). If a sequence is longer than
// the window of local layers, and every n-th layer is global, three runs are made: of a local layer, T(l), a
// global one, T(g), and both, T(lg). A local layer more costs T(lg) - T(g), a global one T(lg) - T(l). So do
// the first layers of a mixture that have no experts, and the others. All layers are executed if there are at
// most as many as asked for. Everything that adds up over layers scales in the same way: time, FLOPs, bytes
// of HBM and links, joules at the wall, dollars, litres of water.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "studies/model/kept/kept_runs.h"
#include "studies/model/model_case.h"

namespace tahoma::runtime {

// "1.801 ms".
std::string seconds_text(double seconds);

// The figures of a whole phase.
struct PhaseFigures {
  double seconds = 0, flops = 0, hbm_bytes = 0, link_bytes = 0;
  double peak_flops = 0;                       // of the cores in use
  double footprint_bytes = 0;                  // of the fullest chip
  double joules = 0, dollars = 0, litres = 0;  // at the wall, rent, water (report/cost/priced_run.h)
  double worked_seconds = 0;                   // of a core on its microbatches, mean over the cores
  double hand_over_seconds = 0;                // of a microbatch from stage to stage, mean; 0: no pipeline
  double free_hand_over_seconds = 0;           // the same of the first one, for which every stage waits
  std::vector<double> stage_seconds{};         // of a microbatch on each stage; empty: no pipeline
  std::uint64_t executed = 0;                  // layers
  std::vector<std::string> runs;
  double mfu() const { return seconds > 0 && peak_flops > 0 ? flops / seconds / peak_flops : 0; }
  // A pipeline that stays full: the stage that needs longest for a microbatch; and the time between two
  // passes of a microbatch through all stages, of all of them on the bottleneck, or of one through all stages
  // if that takes longer. Without a pipeline the time of the phase.
  std::size_t bottleneck() const;
  double full_seconds(std::uint64_t microbatches) const;
  // The share of the time in which a core has no microbatch; 0 without a pipeline.
  double bubble() const { return worked_seconds > 0 ? 1 - worked_seconds / seconds : 0; }
};

struct ModelFigures : ModelPoint {
  PhaseFigures prefill, decode;

  double ttft() const { return prefill.seconds; }
  double tpot() const { return decode.seconds; }
  double joules_per_token() const { return decode.joules / static_cast<double>(demand.batch); }
  double dollars_per_million_tokens() const {
    return 1e6 * decode.dollars / static_cast<double>(demand.batch);
  }
  double litres_per_million_tokens() const { return 1e6 * decode.litres / static_cast<double>(demand.batch); }
  double dollars_per_million_prompt_tokens() const { return 1e6 * prefill.dollars / prompt_tokens(); }
  // The pipeline stays full, because step follows step.
  double full_tpot() const { return decode.full_seconds(microbatches_of(*this, ModelPhase::kDecode)); }
  double full_tokens_per_second() const { return static_cast<double>(demand.batch) / full_tpot(); }
  // Prompts follow each other.
  double full_prompt_tokens_per_second() const {
    const bool stages = !prefill.stage_seconds.empty();
    return prompt_tokens() /
           (stages ? static_cast<double>(demand.prompts) * prefill.stage_seconds[prefill.bottleneck()]
                   : prefill.seconds);
  }
  double tokens_per_second() const { return static_cast<double>(demand.batch) / decode.seconds; }
  double prompt_tokens_per_second() const { return prompt_tokens() / prefill.seconds; }
  // A prefill has these.
  double prompt_tokens() const { return static_cast<double>(layout.data * demand.prompts * demand.prompt); }
  // Returns the footprint of the fullest chip, in the phase that takes more.
  double footprint_bytes() const { return std::max(prefill.footprint_bytes, decode.footprint_bytes); }
};

// A phase of a point.
struct PhasePoint {
  ModelPoint point;
  ModelPhase phase = ModelPhase::kPrefill;
};

// How a phase is executed.
struct ModelExecution {
  std::string mode = "timing";
  std::uint64_t layers = 2;  // of the shortest stage, executed at most
  std::vector<std::string> overrides;
  std::string prefill_hbm = "flat", decode_hbm = "dram";  // machine.chip.hbm.model
  std::string seed, prices;                               // prices: as --prices of tahoma run
  std::size_t jobs = 1;
  CaseOrigins origins = {};  // of the cases, for a command other than `tahoma model`; empty: its options

  // Returns those for the runs of a phase.
  std::vector<std::string> overrides_of(ModelPhase phase) const;
};

// Executes points into a folder, which gets cases/NAME.yaml and runs/NAME/. Each run is a process of its own.
// A prefill that several points have in common, because only their batches differ, is executed once, and so
// is a run that the folder has from an earlier study (kept/kept_runs.h).
class ModelRunner {
 public:
  using Progress = std::function<void(std::size_t done, std::size_t of)>;
  ModelRunner(const ModelConfig& config, const ModelExecution& execution, std::string folder);

  // In the order of the points. UserError as summaries_of() (child_run.h).
  std::vector<ModelFigures> run(const std::vector<ModelPoint>& points, const Progress& progress);
  const std::vector<std::string>& overrides() const { return execution_.overrides; }
  // Runs that were executed, and that the folder had.
  struct Counts {
    std::size_t executed = 0, kept = 0;
  };
  const Counts& counts() const { return counts_; }
  std::vector<PhaseFigures> run_phases(const std::vector<PhasePoint>& phases, const Progress& progress);

 private:
  struct Planned {
    const ModelPoint* point;
    ModelPhase phase;
    LayerRange layers;
    std::string name;
  };
  std::vector<Planned> planned(const ModelPoint& point, ModelPhase phase) const;
  void execute(const std::vector<Planned>& runs, const Progress& progress);
  ChildRun written(const Planned& run) const;
  void take_figures(const Planned& run, const nlohmann::ordered_json& summary);
  PhaseFigures figures_of(const ModelPoint& point, ModelPhase phase) const;

  const ModelConfig& config_;
  const ModelExecution& execution_;
  std::string folder_;
  KeptRuns kept_;
  Counts counts_;
  std::map<std::string, PhaseFigures> executed_;  // by the name of the run
};

}  // namespace tahoma::runtime
