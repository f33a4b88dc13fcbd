// SPDX-License-Identifier: Apache-2.0
// The steps of a model as a table for `tahoma serve` (studies/serving/steps/step_rows.h): a prefill of each
// prompt, or of each chunk of one behind each context, and a decoding step of each batch at each context, of
// all layers with embedding and logits. The server is one replica; further replicas are further servers.
//
// The case that comes with the table is a start, not a recommendation: requests within the executed range
// arrive at half the rate that the largest batch could decode, and the KV cache has the HBM that weights and
// activations leave. Of a chip, that is its capacity less the footprint of the largest executed decoding
// step, plus the caches of that step.
#pragma once

#include <string>
#include <vector>

#include "studies/model/model_run.h"

namespace tahoma::runtime {

// Sorted, without repetitions.
struct ServerGrid {
  ModelLayout layout;
  std::vector<std::uint64_t> batches, prompts, contexts;
  std::vector<std::uint64_t>
      chunks{};  // of prompts, executed behind each context and behind none; empty: whole prompts
};

struct ServerStep {
  PhasePoint of;
  PhaseFigures figures;
};

struct ServerSteps {
  std::vector<ServerStep> prefills, decodes;
  std::uint64_t kv_blocks = 0;  // of kBlockTokens tokens
  static constexpr std::uint64_t kBlockTokens = 16;
};

// UserError as ModelRunner, and E-HFC-013: the caches of the largest batch at the longest context leave no
// room.
ServerSteps server_steps(const ModelConfig& config, const ServerGrid& grid, ModelRunner& runner,
                         const ModelRunner::Progress& progress);

std::string steps_csv(const ServerSteps& steps);
std::string server_case(const ModelConfig& config, const ServerGrid& grid, const ServerSteps& steps);
std::string steps_text(const ModelConfig& config, const ServerGrid& grid, const ServerSteps& steps);
std::string steps_json(const ModelConfig& config, const ServerGrid& grid, const ServerSteps& steps);

}  // namespace tahoma::runtime
