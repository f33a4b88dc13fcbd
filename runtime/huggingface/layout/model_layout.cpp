// SPDX-License-Identifier: Apache-2.0
#include "runtime/huggingface/layout/model_layout.h"

#include <fmt/format.h>

namespace tahoma::runtime {

std::string ModelLayout::chips_text() const {
  return fmt::format("{} {}", chips, chips == 1 ? "chip" : "chips");
}

std::string ModelLayout::text() const {
  std::string text = fmt::format("tensor {} x data {}", tensor, data);
  if (pipeline > 1) text += fmt::format(" x pipeline {}", pipeline);
  if (microbatches > 1) text += fmt::format(", {} microbatches", microbatches);
  if (expert > 1) text += fmt::format(", experts in {} blocks", expert);
  return text + fmt::format(", LNC {}", lnc);
}

std::uint64_t microbatches_of(const ModelPoint& point, ModelPhase phase) {
  if (point.layout.pipeline == 1) return 1;
  return phase == ModelPhase::kDecode ? point.layout.microbatches : point.demand.prompts;
}

std::string name_of_phase(const ModelPoint& point, ModelPhase phase) {
  const ModelLayout& l = point.layout;
  const ModelDemand& d = point.demand;
  std::string name = fmt::format("chips{}_lnc{}_tensor{}_data{}", l.chips, l.lnc, l.tensor, l.data);
  if (l.pipeline > 1) name += fmt::format("_pipeline{}", l.pipeline);
  name += fmt::format("_{}", base::name_in(kModelPhases, phase));
  if (phase == ModelPhase::kDecode) {
    name += fmt::format("_batch{}_context{}", d.batch, d.context);
    if (l.microbatches > 1) name += fmt::format("_microbatches{}", l.microbatches);
  } else {
    name += fmt::format("_prompt{}", d.prompt);
    if (d.prompts > 1) name += fmt::format("_prompts{}", d.prompts);
  }
  return name;
}

}  // namespace tahoma::runtime
