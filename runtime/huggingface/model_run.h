// SPDX-License-Identifier: Apache-2.0
// Executes the phases of a model in a layout. The layers of these models are alike, so a phase is executed with one
// and with two layers, embedding, last norm and logits included, and T(L) = T(1) + (L - 1) (T(2) - T(1)). All layers
// are executed if there are at most as many as asked for. Everything that adds up over layers scales in the same way:
// time, FLOPs, bytes of HBM and links, joules.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/huggingface/model_case.h"

namespace tahoma::runtime {

// The figures of a whole phase.
struct PhaseFigures {
  double seconds = 0, flops = 0, hbm_bytes = 0, link_bytes = 0;
  double peak_flops = 0;       // of the cores in use
  double footprint_bytes = 0;  // of the fullest chip
  double joules = 0;           // 0: the run has no energy ledger
  std::uint64_t executed = 0;  // layers
  std::vector<std::string> runs;
  double mfu() const { return seconds > 0 && peak_flops > 0 ? flops / seconds / peak_flops : 0; }
};

struct ModelFigures {
  ModelLayout layout;
  ModelDemand demand;
  PhaseFigures prefill, decode;

  double ttft() const { return prefill.seconds; }
  double tpot() const { return decode.seconds; }
  double tokens_per_second() const { return static_cast<double>(demand.batch) / decode.seconds; }
  double prompt_tokens_per_second() const {
    return static_cast<double>(layout.data * demand.prompt) / prefill.seconds;
  }
};

// How a phase is executed.
struct ModelExecution {
  std::string mode = "timing";
  std::uint64_t layers = 2;  // executed at most
  std::vector<std::string> overrides;
  std::string prefill_hbm = "flat", decode_hbm = "dram";  // machine.chip.hbm.model
  std::string seed;
  std::size_t jobs = 1;
};

// `folder`: where cases/NAME.yaml and runs/NAME/ are written. Each run is a process of its own. The result is in the
// order of the layouts. UserError as summaries_of() (child_run.h).
std::vector<ModelFigures> run_layouts(const ModelConfig& config, const std::vector<ModelLayout>& layouts,
                                      const ModelDemand& demand, const ModelExecution& execution,
                                      const std::string& folder,
                                      const std::function<void(std::size_t done, std::size_t of)>& progress);

}  // namespace tahoma::runtime
