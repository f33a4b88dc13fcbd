// SPDX-License-Identifier: Apache-2.0
// Describes what a step of a server executes, and what it costs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "model/base/param_choice.h"

namespace tahoma::runtime::serving {

struct StepCost {
  double seconds = 0;
  double joules = 0;  // 0 if the table has no energy
};
constexpr StepCost operator+(StepCost a, StepCost b) { return {a.seconds + b.seconds, a.joules + b.joules}; }

// A part of a prompt that is prefilled in one step.
struct PromptChunk {
  std::uint64_t tokens = 0;
  std::uint64_t context = 0;  // tokens of the prompt that are in the cache already
};

// A decoding step of `batch` sequences, with prefill chunks in the same step. Either part may be absent.
struct StepShape {
  std::uint64_t batch = 0;
  double context = 0;  // mean number of cached tokens of a sequence before the step
  std::span<const PromptChunk> chunks;
};

enum class StepPhase : std::uint8_t { kPrefill, kDecode, kMixed };
inline constexpr std::size_t kStepPhases = 3;
inline constexpr base::Named<StepPhase> kStepPhaseNames[] = {
    {StepPhase::kPrefill, "prefill"}, {StepPhase::kDecode, "decode"}, {StepPhase::kMixed, "mixed"}};

// Coordinates of a step among the executed ones: each phase has some of them.
enum class StepAxis : std::uint8_t { kBatch, kContext, kTokens, kChunkContext };
inline constexpr std::size_t kStepAxes = 4;
inline constexpr base::Named<StepAxis> kStepAxisNames[] = {{StepAxis::kBatch, "batch"},
                                                           {StepAxis::kContext, "context"},
                                                           {StepAxis::kTokens, "tokens"},
                                                           {StepAxis::kChunkContext, "chunk_context"}};
using StepPoint = std::array<double, kStepAxes>;  // by StepAxis

// A step that the emulator executed: a row of a table.
struct ExecutedStep {
  StepPhase phase = StepPhase::kDecode;
  StepPoint at{};
  StepCost cost;
  std::string place;  // file:line
};

}  // namespace tahoma::runtime::serving
