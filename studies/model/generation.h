// SPDX-License-Identifier: Apache-2.0
// Generates tokens with the values of a model: a prefill of the prompt, then a decoding step for each further
// token, all in functional mode with the golden check of the workload. The host takes the token with the
// largest logit (greedy decoding) and appends the keys and values of each run to the caches of the next one.
#pragma once

#include "studies/model/model_run.h"

namespace tahoma::runtime {

struct Generation {
  std::vector<std::int64_t> prompt, tokens;  // token ids
  std::vector<double> seconds;               // of each run, simulated
  std::string logits;                        // file of the logits of the last run, [1, vocabulary]
};

// UserError E-HFC-022: no ids, or ids outside the vocabulary.
void check_prompt(const ModelConfig& config, const std::vector<std::int64_t>& prompt);

struct GenerationRequest {
  std::vector<std::int64_t> prompt;
  std::uint64_t tokens = 1;
  std::vector<std::pair<std::string, std::string>> inputs;  // the weights (model_weights.h)
  std::string folder;                                       // where cases, inputs and runs are written
};

// All layers are executed, for one sequence. UserError as summaries_of() (child_run.h).
Generation generate(const ModelConfig& config, const ModelLayout& layout, const ModelExecution& execution,
                    const GenerationRequest& request, const ModelRunner::Progress& progress);

std::string generation_text(const ModelConfig& config, const ModelLayout& layout,
                            const Generation& generation);
std::string generation_json(const ModelConfig& config, const ModelLayout& layout,
                            const Generation& generation);

}  // namespace tahoma::runtime
