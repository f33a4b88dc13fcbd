// SPDX-License-Identifier: Apache-2.0
// The executed steps of one phase as a grid, and multilinear interpolation in it: linear along each axis
// between the two neighbouring executed values. At an executed point the cost is that of the point. There is
// no extrapolation.
//
// The grid is complete: if batches 1 and 8 and contexts 128 and 4096 were executed, so were all four points.
// UserError at file:line: E-SRV-011 a point appears twice; E-SRV-012 a point of the grid is missing.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "studies/serving/steps/step_cost.h"

namespace tahoma::runtime::serving {

// The axes on which the steps of a phase differ.
std::span<const StepAxis> axes_of(StepPhase phase);

class StepGrid {
 public:
  StepGrid() = default;
  StepGrid(StepPhase phase, std::vector<ExecutedStep> steps);

  bool empty() const { return steps_.empty(); }
  bool contains(const StepPoint& at) const;  // as an executed point
  // Returns nothing outside the executed range of an axis.
  std::optional<StepCost> cost_at(const StepPoint& at) const;
  // The executed point with the smallest sum over the axes of |log2((x + 1) / (executed + 1))|; the first of
  // equals.
  const ExecutedStep& nearest(const StepPoint& at) const;
  // "batch 1 .. 64, context 128 .. 4096".
  std::string range_text() const;

 private:
  // Where a value lies on an axis: between `index` and the next value, or exactly at `index` if `share` is 0.
  struct Position {
    std::size_t index;
    double share;
  };
  std::optional<Position> position(std::size_t axis, double value) const;
  std::size_t cell_of(const StepPoint& at) const;
  [[noreturn]] void refuse_gap(std::size_t cell) const;

  StepPhase phase_ = StepPhase::kDecode;
  std::span<const StepAxis> axes_;
  std::vector<ExecutedStep> steps_;                    // in the order of the file
  std::array<std::vector<double>, kStepAxes> values_;  // by position in axes_: the executed values, ascending
  std::array<std::size_t, kStepAxes> stride_{};
  std::vector<StepCost> cells_;
};

}  // namespace tahoma::runtime::serving
