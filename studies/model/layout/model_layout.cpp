// SPDX-License-Identifier: Apache-2.0
#include "studies/model/layout/model_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "studies/model/layout/stage_division.h"

namespace tahoma::runtime {

namespace {

constexpr base::Named<GroupPlacement> kOrders[] = {{GroupPlacement::kRows, "core,x,y,z"},
                                                   {GroupPlacement::kColumns, "core,y,x,z"},
                                                   {GroupPlacement::kDepth, "core,z,x,y"},
                                                   {GroupPlacement::kSpread, "x,y,z,core"}};

}  // namespace

std::string order_of(GroupPlacement placement) { return base::name_in(kOrders, placement); }

std::string ModelLayout::chips_text() const {
  return fmt::format("{} {}", chips, chips == 1 ? "chip" : "chips");
}

std::uint64_t ModelLayout::shortest_stage(std::uint64_t layers) const {
  return stages.empty() ? layers / pipeline : *std::min_element(stages.begin(), stages.end());
}

std::uint64_t ModelLayout::padded(std::uint64_t prompt) const {
  constexpr std::uint64_t kTransposed = 32;  // rows of both runs of a group that are transposed at once
  const std::uint64_t multiple =
      std::lcm(tensor * lnc, sequence > 1 ? kTransposed * sequence : std::uint64_t{1});
  return (prompt + multiple - 1) / multiple * multiple;
}

std::string ModelLayout::text() const {
  std::string text = fmt::format("tensor {} x data {}", tensor, data);
  if (sequence > 1) text += fmt::format(" x sequence {}", sequence);
  if (pipeline > 1) text += fmt::format(" x pipeline {}", pipeline);
  if (!stages.empty()) text += fmt::format(" of {} layers", division_text(stages));
  if (microbatches > 1) text += fmt::format(", {} microbatches", microbatches);
  if (expert > 1) text += fmt::format(", experts in {} blocks", expert);
  text += fmt::format(", LNC {}", lnc);
  if (placement != GroupPlacement::kRows) text += fmt::format(", {}", base::name_in(kPlacements, placement));
  if (weights != isa::DType::kBf16) text += fmt::format(", {}", isa::name_of(weights));
  if (activations != isa::DType::kBf16)
    text += fmt::format(" with {} activations", isa::name_of(activations));
  return text;
}

std::uint64_t microbatches_of(const ModelPoint& point, ModelPhase phase) {
  if (point.layout.pipeline == 1) return 1;
  return phase == ModelPhase::kDecode ? point.layout.microbatches : point.demand.prompts;
}

std::string name_of_phase(const ModelPoint& point, ModelPhase phase) {
  const ModelLayout& l = point.layout;
  const ModelDemand& d = point.demand;
  std::string name = fmt::format("chips{}_lnc{}_tensor{}_data{}", l.chips, l.lnc, l.tensor, l.data);
  if (l.sequence > 1) name += fmt::format("_sequence{}", l.sequence);
  if (l.pipeline > 1) name += fmt::format("_pipeline{}", l.pipeline);
  if (!l.stages.empty()) name += fmt::format("_of{}", division_text(l.stages));
  if (l.placement != GroupPlacement::kRows)
    name += fmt::format("_{}", base::name_in(kPlacements, l.placement));
  if (l.weights != isa::DType::kBf16) name += fmt::format("_{}", isa::name_of(l.weights));
  if (l.activations != isa::DType::kBf16) name += fmt::format("_by_{}", isa::name_of(l.activations));
  name += fmt::format("_{}", base::name_in(kModelPhases, phase));
  if (phase == ModelPhase::kDecode) {
    name += fmt::format("_batch{}_context{}", d.batch, d.context);
    if (l.microbatches > 1) name += fmt::format("_microbatches{}", l.microbatches);
  } else {
    name += fmt::format("_prompt{}", d.prompt);
    if (d.cached > 0) name += fmt::format("_behind{}", d.cached);
    if (d.prompts > 1) name += fmt::format("_prompts{}", d.prompts);
  }
  return name;
}

}  // namespace tahoma::runtime
