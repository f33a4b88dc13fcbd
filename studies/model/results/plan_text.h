// SPDX-License-Identifier: Apache-2.0
// What `tahoma model --plan` prints: the points that would be executed, with their lower bounds.
#pragma once

#include <string>
#include <vector>

#include "studies/model/search/layout_search.h"

namespace tahoma::runtime {

std::string plan_text(const ModelConfig& config, const std::vector<SearchedPoint>& points);

// Rows that name what is no part of the simulated model; none if all is.
std::string left_out_rows(const ModelConfig& config);

// Names the layouts that leave cores idle, and the prompts and heads that are padded; none: "".
std::string warning_rows(const ModelConfig& config, const std::vector<SearchedPoint>& points);

// "LlamaForCausalLM: 32 layers, hidden 4096, ...".
std::string dimensions_text(const ModelConfig& config);

}  // namespace tahoma::runtime
