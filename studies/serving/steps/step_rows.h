// SPDX-License-Identifier: Apache-2.0
// Reads a CSV file of executed steps, with the columns
//   phase,batch,context,tokens,seconds[,joules][,chunk_context]
//
// | phase   | batch | context | tokens | chunk_context |
// |---|---|---|---|---|
// | prefill | 1 | tokens of the prompt that are cached before the step | tokens of the chunk | 0 |
// | decode  | sequences | mean number of cached tokens of a sequence before the step | 0, or the batch | 0 |
// | mixed   | sequences that decode | as in decode | tokens of the one chunk | as `context` in prefill |
//
// UserError at file:line:column: those of csv_stream.h; E-SRV-010 an unknown phase, or a value that its phase
// does not permit; E-SRV-008 more than kMostSteps rows; E-SRV-003 a number is malformed, negative or too
// large, or a time is not above 0.
#pragma once

#include <string>
#include <vector>

#include "studies/serving/steps/step_cost.h"

namespace tahoma::runtime::serving {

inline constexpr std::size_t kMostSteps = 10'000;  // so that the cells of a grid of four axes can be counted

struct ExecutedSteps {
  std::vector<ExecutedStep> steps;
  bool has_energy = false;  // the column `joules`
};

ExecutedSteps read_steps(const std::string& path);

// "decode step of batch 8, context 4096".
std::string step_text(StepPhase phase, const StepPoint& at);

}  // namespace tahoma::runtime::serving
