// SPDX-License-Identifier: Apache-2.0
// The time of any step from a table of executed steps.
//
// - A decoding step is interpolated over batch and mean context; a prefill chunk over its tokens and its
//   context.
// - A step of decoding and one chunk is interpolated among the executed mixed steps, if it is in their range.
// - Every other step is the sum of its decoding step and its chunks, each as a step of its own. This is an
//   upper bound: a server can always execute the parts one after the other, and a common step reads the
//   weights once.
// - Without executed chunks at a context, ChunkTimes::kDifference takes those of whole prompts, T(tokens): a
//   chunk of n tokens at context c takes T(c + n) - T(c), the work that its tokens add to the prompt, but at
//   least T(n), which reads the weights. T(c) counts as 0 below the shortest executed prompt. This is an
//   assumption: it neglects what the chunk costs beyond the larger of the two.
//
// A step outside the executed range is refused, never extrapolated. UserError: those of step_rows.h and
// step_grid.h; E-SRV-013 the table has no step of a phase that the server needs; E-SRV-014 a step is outside
// the executed range, at the nearest executed point.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "studies/serving/steps/step_cost.h"
#include "studies/serving/steps/step_grid.h"
#include "studies/serving/steps/step_rows.h"

namespace tahoma::runtime::serving {

enum class ChunkTimes : std::uint8_t { kExecuted, kDifference };
inline constexpr base::Named<ChunkTimes> kChunkTimes[] = {{ChunkTimes::kExecuted, "executed"},
                                                          {ChunkTimes::kDifference, "difference"}};

class StepTable {
 public:
  explicit StepTable(const std::string& path, ChunkTimes chunks = ChunkTimes::kExecuted);

  StepCost cost_of(const StepShape& shape) const;
  // Interpolates the cost of one point, or throws E-SRV-013 or E-SRV-014.
  StepCost cost_at(StepPhase phase, const StepPoint& at) const;
  bool contains(StepPhase phase, const StepPoint& at) const;
  bool has_energy() const { return has_energy_; }
  std::size_t size() const { return size_; }

 private:
  StepTable(const std::string& path, ChunkTimes chunks, ExecutedSteps read);

  StepCost chunk_cost(const PromptChunk& chunk) const;
  std::optional<StepCost> mixed_cost(const StepShape& shape) const;

  std::string path_;
  ChunkTimes chunks_;
  bool has_energy_;
  std::size_t size_;
  std::array<StepGrid, kStepPhases> grids_;  // by StepPhase
};

}  // namespace tahoma::runtime::serving
