// SPDX-License-Identifier: Apache-2.0
// Finds what each axis of a sweep changes between neighbours: finished points of one workload that differ in
// nothing but consecutive values of that axis. Parameters that vary together are one axis.
#pragma once

#include <string>
#include <vector>

#include "studies/sweep/results/store.h"

namespace tahoma::runtime {

struct AxisEffect {
  std::string axis;            // its paths, separated by ", "
  std::size_t neighbours = 0;  // pairs
  std::size_t equal = 0;       // pairs with the same measurements
  // Some of these pairs differ in energy, area or cost, which follow from measurements and parameters.
  bool energy = false;
  std::size_t programs = 0;  // pairs whose programs differ
  std::string first_equal;   // "points 3 and 4"; "" if there are none
};

// In the order of the paths. Measurements are all metrics except `own`, which the sweep computes, energy,
// area and cost.
std::vector<AxisEffect> axis_effects(const std::vector<Store::Row>& rows,
                                     const std::vector<std::string>& own);

// A line for each axis that has no effect on some points, or that changes the programs; "" if there are none.
std::string effects_text(const std::vector<AxisEffect>& effects);
// The same for one axis, without its name; "" if there is nothing to say.
std::string effect_text(const AxisEffect& effect);

}  // namespace tahoma::runtime
