// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/steps/step_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/base/error.h"

namespace tahoma::runtime::serving {

using base::UserError;

namespace {

StepPoint point(double batch, double context, double tokens, double chunk_context) {
  StepPoint at{};
  at[static_cast<std::size_t>(StepAxis::kBatch)] = batch;
  at[static_cast<std::size_t>(StepAxis::kContext)] = context;
  at[static_cast<std::size_t>(StepAxis::kTokens)] = tokens;
  at[static_cast<std::size_t>(StepAxis::kChunkContext)] = chunk_context;
  return at;
}

}  // namespace

StepTable::StepTable(const std::string& path, ChunkTimes chunks)
    : StepTable(path, chunks, read_steps(path)) {}

StepTable::StepTable(const std::string& path, ChunkTimes chunks, ExecutedSteps read)
    : path_(path), chunks_(chunks), has_energy_(read.has_energy), size_(read.steps.size()) {
  std::array<std::vector<ExecutedStep>, kStepPhases> by_phase;
  for (ExecutedStep& step : read.steps)
    by_phase[static_cast<std::size_t>(step.phase)].push_back(std::move(step));
  for (std::size_t phase = 0; phase < kStepPhases; ++phase)
    grids_[phase] = StepGrid(static_cast<StepPhase>(phase), std::move(by_phase[phase]));
}

StepCost StepTable::cost_at(StepPhase phase, const StepPoint& at) const {
  const StepGrid& grid = grids_[static_cast<std::size_t>(phase)];
  if (grid.empty())
    throw UserError("E-SRV-013", path_,
                    fmt::format("the table has no {} steps, and the server executes a {}",
                                base::name_in(kStepPhaseNames, phase), step_text(phase, at)));
  if (const auto cost = grid.cost_at(at)) return *cost;
  const ExecutedStep& nearest = grid.nearest(at);
  throw UserError(
      "E-SRV-014", nearest.place,
      fmt::format("the server executes a {}, which is outside the executed range of {}: expected executed "
                  "steps on both sides of it; the nearest executed point is the {}",
                  step_text(phase, at), grid.range_text(), step_text(phase, nearest.at)));
}

bool StepTable::contains(StepPhase phase, const StepPoint& at) const {
  const StepGrid& grid = grids_[static_cast<std::size_t>(phase)];
  return !grid.empty() && grid.contains(at);
}

std::optional<StepCost> StepTable::mixed_cost(const StepShape& shape) const {
  const StepGrid& grid = grids_[static_cast<std::size_t>(StepPhase::kMixed)];
  if (grid.empty() || shape.batch == 0 || shape.chunks.size() != 1) return std::nullopt;
  const PromptChunk& chunk = shape.chunks.front();
  return grid.cost_at(point(static_cast<double>(shape.batch), shape.context,
                            static_cast<double>(chunk.tokens), static_cast<double>(chunk.context)));
}

StepCost StepTable::chunk_cost(const PromptChunk& chunk) const {
  const auto prefill = [](std::uint64_t tokens, std::uint64_t context) {
    return point(1, static_cast<double>(context), static_cast<double>(tokens), 0);
  };
  if (chunks_ == ChunkTimes::kExecuted || chunk.context == 0)
    return cost_at(StepPhase::kPrefill, prefill(chunk.tokens, chunk.context));
  const StepCost alone = cost_at(StepPhase::kPrefill, prefill(chunk.tokens, 0)),
                 after = cost_at(StepPhase::kPrefill, prefill(chunk.context + chunk.tokens, 0));
  // Only a context shorter than every executed prompt is outside the range here.
  const StepGrid& grid = grids_[static_cast<std::size_t>(StepPhase::kPrefill)];
  const StepCost before = grid.cost_at(prefill(chunk.context, 0)).value_or(StepCost{});
  return {std::max(alone.seconds, after.seconds - before.seconds),
          std::max(alone.joules, after.joules - before.joules)};
}

StepCost StepTable::cost_of(const StepShape& shape) const {
  if (const auto cost = mixed_cost(shape)) return *cost;
  StepCost cost;
  if (shape.batch > 0)
    cost = cost_at(StepPhase::kDecode, point(static_cast<double>(shape.batch), shape.context, 0, 0));
  for (const PromptChunk& chunk : shape.chunks) cost = cost + chunk_cost(chunk);
  return cost;
}

}  // namespace tahoma::runtime::serving
