// SPDX-License-Identifier: Apache-2.0
// The options of `tahoma model`.
#pragma once

#include <string>
#include <vector>

#include "studies/model/model_run.h"
#include "studies/model/search/layout_search.h"
#include "studies/model/search/layout_space.h"

namespace CLI {
class App;
}

namespace tahoma::runtime {

struct ModelCommand {
  ModelCommand();

  std::string config, out = "out-model", format = "text";
  std::string keep;                  // folder for runs and points that outlive the command; "": below out
  std::vector<std::string> ignored;  // keys of config.json
  // Layouts.
  LayoutAxes axes;  // except those that have words
  std::vector<std::string> placement{"rows"}, dtype{"bf16"}, activations{"bf16"};
  std::vector<std::uint64_t> batch{16}, prompt, context, tensor;  // see fit()
  std::uint64_t prompts = 1;
  std::vector<std::uint64_t> chunk;  // tokens of chunks of prompts, with steps
  bool steps = false;                // a table of steps for tahoma serve
  bool search = false, exhaustive = false;
  bool plan = false;                           // print the points, execute nothing
  std::string most_ttft, most_tpot, most_hbm;  // times and bytes as text; "": no limit
  ModelExecution execution;
  std::vector<std::string> beside;  // cards of other accelerators

  LayoutAxes all_axes() const;
  LayoutLimits limits() const;
  // Without prompts: one of 1024 tokens, or of as many as the model allows; `most` 0: any.
  void fit(std::uint64_t most);
  // Every combination of prompt, context and batch; without contexts, that of each prompt.
  std::vector<ModelDemand> demands() const;
  // Generation.
  std::string weights, prompt_ids;
  std::uint64_t generated = 1;
};

void add_model_options(CLI::App& sub, ModelCommand& command);

}  // namespace tahoma::runtime
