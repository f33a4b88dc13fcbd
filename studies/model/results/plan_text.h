// SPDX-License-Identifier: Apache-2.0
// What `tahoma model --plan` prints: the points that would be executed, with their lower bounds.
#pragma once

#include <string>
#include <vector>

#include "studies/model/search/layout_search.h"

namespace tahoma::runtime {

std::string plan_text(const ModelConfig& config, const std::vector<SearchedPoint>& points);

// "LlamaForCausalLM: 32 layers, hidden 4096, ...".
std::string dimensions_text(const ModelConfig& config);

}  // namespace tahoma::runtime
