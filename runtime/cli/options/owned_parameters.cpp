// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/options/owned_parameters.h"

#include <fmt/format.h>

#include <string_view>

#include "model/base/error.h"
#include "model/base/loader/config_loader.h"

namespace tahoma::runtime {

namespace {

// Everything that model_case() may write (runtime/huggingface/model_case.cpp); a path stands for what is below it, too.
struct OwnedParameter {
  std::string_view path;
  const char* from;
};
constexpr OwnedParameter kOwned[] = {{"machine.chip.lnc", "--lnc"},
                                     {"machine.torus", "--chips"},
                                     {"machine.chip.hbm.model", "--prefill-hbm or --decode-hbm"},
                                     {"workload.phase", "the two phases, prefill and decode"},
                                     {"workload.logits", "the model, of which the logits are a part"},
                                     {"workload.batch", "--batch"},
                                     {"workload.tokens", "--prompt"},
                                     {"workload.context", "--context"},
                                     {"workload.cached", "--chunk and --context"},
                                     {"workload.layers", "num_hidden_layers of config.json and --layers"},
                                     {"workload.first_layer", "the layers of config.json and --layers"},
                                     {"workload.stages", "--stage-layers"},
                                     {"workload.microbatches", "--microbatches and --prompts"},
                                     {"workload.placement", "--placement"},
                                     {"workload.parallel.tensor", "--tensor"},
                                     {"workload.parallel.data", "--data"},
                                     {"workload.parallel.sequence", "--sequence"},
                                     {"workload.parallel.expert", "--tensor"},
                                     {"workload.parallel.pipeline", "--pipeline"},
                                     {"workload.inputs.ids", "the prompt"},
                                     {"workload.model.weights", "--dtype"},
                                     {"workload.model.activations", "--activations"},
                                     {"workload.model", "config.json"}};

bool is_below(std::string_view path, std::string_view above) {
  return path.starts_with(above) && (path.size() == above.size() || path[above.size()] == '.');
}

}  // namespace

void refuse_owned_parameters(const std::vector<std::string>& overrides) {
  for (const std::string& text : overrides)
    for (const base::Leaf& leaf : base::parse_override(text))
      for (const OwnedParameter& owned : kOwned)
        if (is_below(leaf.path, owned.path))
          throw base::UserError("E-CLI-003", "model",
                                fmt::format("--set {}: tahoma model sets it from {}", leaf.path, owned.from));
}

}  // namespace tahoma::runtime
