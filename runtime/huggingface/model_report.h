// SPDX-License-Identifier: Apache-2.0
// The answer of `tahoma model` as text and as JSON: one row for each layout, the fastest decoding first.
#pragma once

#include <string>
#include <vector>

#include "runtime/huggingface/model_run.h"

namespace tahoma::runtime {

// What the table says about its making.
struct ModelReport {
  const ModelConfig& config;
  const ModelDemand& demand;
  const ModelExecution& execution;
  const std::vector<ModelFigures>& layouts;
};

std::string model_text(const ModelReport& report);
std::string model_json(const ModelReport& report);

}  // namespace tahoma::runtime
