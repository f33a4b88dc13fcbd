// SPDX-License-Identifier: Apache-2.0
// An objective of a Pareto front: a metric or an expression, and whether smaller or larger is better.
#pragma once

#include <string>
#include <vector>

#include "model/base/stats.h"
#include "studies/sweep/spec/expression.h"

namespace tahoma::runtime {

struct Objective {
  Expression expression;
  base::Better better;
};

// Objectives separated by commas outside parentheses, none in "": "simulated_time_ns,
// max:mfu_estimated_percent, min:price / 2". Without min: or max:, a metric has the direction that its
// statistic declares (`tahoma stats` lists it); for other metrics and for expressions smaller is better.
// UserError at `place`: E-SWP-020, E-SWP-022 for a constant that is no finite number, and E-SWP-026 for a
// word other than min and max.
std::vector<Objective> objectives_of(const std::string& text, const std::string& place);

// "lower simulated_time_ns and higher mfu_estimated_percent are better".
std::string directions_text(const std::vector<Objective>& objectives);

}  // namespace tahoma::runtime
