// SPDX-License-Identifier: Apache-2.0
// The order of the passes on each stage of a pipeline. Stage s of p has v chunks of layers; chunk c of stage
// s is the (c p + s)-th of the model.
//
// - gpipe: all forward passes, then all backward passes.
// - 1f1b: p - 1 - s forward passes to warm up, then a forward and a backward pass in turn (PipeDream-Flush,
//   Megatron-LM).
// - interleaved: the same over chunks, p microbatches of a chunk at a time; the number of microbatches is a
//   multiple of p (arXiv 2104.04473).
// - zero_bubble: 1f1b whose backward passes are divided: B propagates the gradient of activations, W that of
//   weights. W follows when nothing else can run, at the latest after as many further passes as keep the
//   memory of 1f1b (ZB-H1, arXiv 2401.10241).
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/training/case/job_params.h"

namespace tahoma::runtime::cluster {

enum class PassKind : std::uint8_t { kForward, kBackward, kWeights };
inline constexpr base::Named<PassKind> kPassKinds[] = {
    {PassKind::kForward, "forward"}, {PassKind::kBackward, "backward"}, {PassKind::kWeights, "weights"}};

struct Pass {
  PassKind kind = PassKind::kForward;
  std::uint32_t microbatch = 0, chunk = 0;
};

struct PipelineShape {
  std::uint32_t stages = 1, microbatches = 1, chunks = 1;
};

// The passes of one stage in their order. A kBackward of zero_bubble leaves the weights to a kWeights; in
// other schedules it has both.
std::vector<Pass> passes_of(Schedule schedule, const PipelineShape& shape, std::uint32_t stage);

}  // namespace tahoma::runtime::cluster
