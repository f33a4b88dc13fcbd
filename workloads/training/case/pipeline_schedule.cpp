// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/case/pipeline_schedule.h"

#include <algorithm>

namespace tahoma::runtime::cluster {

namespace {

std::vector<Pass> gpipe(const PipelineShape& shape) {
  std::vector<Pass> passes;
  for (std::uint32_t m = 0; m < shape.microbatches; ++m) passes.push_back({PassKind::kForward, m, 0});
  for (std::uint32_t m = 0; m < shape.microbatches; ++m) passes.push_back({PassKind::kBackward, m, 0});
  return passes;
}

std::vector<Pass> one_forward_one_backward(const PipelineShape& shape, std::uint32_t stage) {
  const std::uint32_t warm_up = std::min(shape.stages - 1 - stage, shape.microbatches);
  std::vector<Pass> passes;
  for (std::uint32_t m = 0; m < warm_up; ++m) passes.push_back({PassKind::kForward, m, 0});
  for (std::uint32_t m = 0; m < shape.microbatches; ++m) {
    if (warm_up + m < shape.microbatches) passes.push_back({PassKind::kForward, warm_up + m, 0});
    passes.push_back({PassKind::kBackward, m, 0});
  }
  return passes;
}

// The n-th forward or backward pass of a stage: groups of p microbatches go through all chunks.
Pass interleaved_pass(const PipelineShape& shape, PassKind kind, std::uint32_t n) {
  const std::uint32_t of_group = shape.stages * shape.chunks, group = n / of_group, within = n % of_group,
                      chunk = within / shape.stages;
  return {kind, group * shape.stages + within % shape.stages,
          kind == PassKind::kForward ? chunk : shape.chunks - 1 - chunk};
}

std::vector<Pass> interleaved(const PipelineShape& shape, std::uint32_t stage) {
  const std::uint32_t all = shape.microbatches * shape.chunks,
                      warm_up =
                          std::min((shape.stages - 1 - stage) * 2 + (shape.chunks - 1) * shape.stages, all);
  std::vector<Pass> passes;
  for (std::uint32_t n = 0; n < warm_up; ++n)
    passes.push_back(interleaved_pass(shape, PassKind::kForward, n));
  for (std::uint32_t n = 0; n < all; ++n) {
    if (warm_up + n < all) passes.push_back(interleaved_pass(shape, PassKind::kForward, warm_up + n));
    passes.push_back(interleaved_pass(shape, PassKind::kBackward, n));
  }
  return passes;
}

// As many W are postponed on stage s as activations that 1f1b would still hold there.
std::vector<Pass> zero_bubble(const PipelineShape& shape, std::uint32_t stage) {
  std::vector<Pass> passes;
  std::uint32_t done = 0, next_weights = 0;
  for (const Pass& pass : one_forward_one_backward(shape, stage)) {
    passes.push_back(pass);
    if (pass.kind != PassKind::kBackward) continue;
    ++done;
    if (done > stage) passes.push_back({PassKind::kWeights, next_weights++, 0});
  }
  while (next_weights < shape.microbatches) passes.push_back({PassKind::kWeights, next_weights++, 0});
  return passes;
}

}  // namespace

std::vector<Pass> passes_of(Schedule schedule, const PipelineShape& shape, std::uint32_t stage) {
  switch (schedule) {
    case Schedule::kGpipe:
      return gpipe(shape);
    case Schedule::k1f1b:
      return one_forward_one_backward(shape, stage);
    case Schedule::kInterleaved:
      return interleaved(shape, stage);
    case Schedule::kZeroBubble:
      return zero_bubble(shape, stage);
  }
  return {};
}

}  // namespace tahoma::runtime::cluster
