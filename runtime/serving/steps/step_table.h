// SPDX-License-Identifier: Apache-2.0
// The time of any step from a table of executed steps.
//
// - A decoding step is interpolated over batch and mean context; a prefill chunk over its tokens and its context.
// - A step of decoding and one chunk is interpolated among the executed mixed steps, if it is in their range.
// - Every other step is the sum of its decoding step and its chunks, each as a step of its own. This is an upper bound:
//   a server can always execute the parts one after the other, and a common step reads the weights once.
//
// A step outside the executed range is refused, never extrapolated. UserError: those of step_rows.h and step_grid.h;
// E-SRV-013 the table has no step of a phase that the server needs; E-SRV-014 a step is outside the executed range, at
// the nearest executed point.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "runtime/serving/steps/step_cost.h"
#include "runtime/serving/steps/step_grid.h"
#include "runtime/serving/steps/step_rows.h"

namespace tahoma::runtime::serving {

class StepTable {
 public:
  explicit StepTable(const std::string& path);

  StepCost cost_of(const StepShape& shape) const;
  // The interpolated cost of one point, or E-SRV-013 or E-SRV-014.
  StepCost cost_at(StepPhase phase, const StepPoint& at) const;
  bool contains(StepPhase phase, const StepPoint& at) const;
  bool has_energy() const { return has_energy_; }
  std::size_t size() const { return size_; }

 private:
  StepTable(const std::string& path, ExecutedSteps read);

  std::optional<StepCost> mixed_cost(const StepShape& shape) const;

  std::string path_;
  bool has_energy_;
  std::size_t size_;
  std::array<StepGrid, kStepPhases> grids_;  // by StepPhase
};

}  // namespace tahoma::runtime::serving
