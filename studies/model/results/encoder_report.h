// SPDX-License-Identifier: Apache-2.0
// The answer of `tahoma model` about an encoder, which has one phase: the time of its layers for sequences
// of a layout, and its share of the bound.
#pragma once

#include <string>
#include <vector>

#include "studies/model/search/layout_search.h"

namespace tahoma::runtime {

// `figures`: of the points that are not refused, in their order.
std::string encoder_text(const ModelConfig& config, const std::vector<SearchedPoint>& points,
                         const std::vector<PhaseFigures>& figures);
std::string encoder_json(const ModelConfig& config, const std::vector<SearchedPoint>& points,
                         const std::vector<PhaseFigures>& figures);
std::string encoder_csv(const std::vector<SearchedPoint>& points, const std::vector<PhaseFigures>& figures);

}  // namespace tahoma::runtime
