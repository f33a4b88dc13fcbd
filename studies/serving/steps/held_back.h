// SPDX-License-Identifier: Apache-2.0
// The error of the interpolation, at steps that were executed and are not in the table. The error of a step
// is 100 (interpolated / executed - 1) percent.
#pragma once

#include <string>
#include <vector>

#include "studies/serving/steps/step_table.h"

namespace tahoma::runtime::serving {

struct HeldBackStep {
  ExecutedStep executed;
  StepCost interpolated;
  double error_percent() const { return 100 * (interpolated.seconds / executed.cost.seconds - 1); }
};

struct HeldBack {
  std::vector<HeldBackStep> steps;
  double mean_percent() const;  // of the absolute errors
  const HeldBackStep& worst() const;
};

// Reads the file, which has the format of step_rows.h, and interpolates each of its steps. Errors: those of
// step_rows.h and of StepTable::cost_at, and E-SRV-015, a step is also in the table.
HeldBack held_back_errors(const StepTable& table, const std::string& path);

// A table, one step a line, and the mean and worst error.
std::string held_back_text(const HeldBack& held_back);
// "held back: 6 steps, mean error 0.5 %, worst 1.2 %".
std::string held_back_line(const HeldBack& held_back);

}  // namespace tahoma::runtime::serving
