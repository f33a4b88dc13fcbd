// SPDX-License-Identifier: Apache-2.0
// The points of a study: layouts of the axes with each demand, with their bounds.
#pragma once

#include <vector>

#include "studies/model/search/layout_search.h"
#include "studies/model/search/layout_space.h"

namespace tahoma::runtime {

struct StudySpace {
  LayoutAxes axes;
  std::vector<std::uint64_t> tensor;  // degrees; empty: all for a search, otherwise the highest possible one
  std::vector<ModelDemand> demands;
  bool search = false;
};

// A search has a refused layout as a point with the reason, as long as another one is possible. Otherwise a
// refusal is thrown: E-HFC-012 for a tensor degree, or that of layout_candidates().
std::vector<SearchedPoint> study_points(const ModelConfig& config, const StudySpace& space,
                                        const std::vector<std::string>& overrides);

// The layout of one space with that tensor degree; 0: the highest possible one. Throws as above.
ModelLayout one_layout(const ModelConfig& config, const LayoutSpace& space, std::uint64_t tensor,
                       const ModelDemand& demand, const std::vector<std::string>& overrides);

}  // namespace tahoma::runtime
