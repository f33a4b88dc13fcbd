// SPDX-License-Identifier: Apache-2.0
// Turns a model, a layout and a phase into a case of the workload `transformer`: the text of a YAML file (as JSON)
// that `tahoma run` accepts.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/base/param_choice.h"
#include "runtime/config/config.h"
#include "runtime/huggingface/model_config.h"

namespace tahoma::runtime {

// How a model is spread over chips: degrees as in workload.parallel, LNC as in machine.chip.lnc.
struct ModelLayout {
  std::uint64_t chips = 1, lnc = 2, tensor = 1, data = 1, expert = 1;
  std::string text() const;        // "tensor 64 x data 4, LNC 2"
  std::string chips_text() const;  // "1 chip", "4 chips"
};

// What is asked of it.
struct ModelDemand {
  std::uint64_t batch = 16;      // sequences that the machine decodes together
  std::uint64_t prompt = 1024;   // tokens of a prompt; each replica prefills one at a time
  std::uint64_t context = 1024;  // tokens of each sequence in the caches of a decoding step
};

// A layout and what is asked of it.
struct ModelPoint {
  ModelLayout layout;
  ModelDemand demand;
};

// The names are those of workload.phase.
enum class ModelPhase : std::uint8_t { kPrefill, kDecode };
inline constexpr base::Named<ModelPhase> kModelPhases[] = {{ModelPhase::kPrefill, "prefill"},
                                                           {ModelPhase::kDecode, "decode"}};

// `inputs`: files by input name. The batch of a prefill is one prompt per replica. The machine is a part of an
// UltraServer. UserError E-HFC-010 for a number of chips other than 1, 2, 4, ... 64.
nlohmann::ordered_json model_case(const ModelConfig& config, const ModelLayout& layout,
                                  const ModelDemand& demand, ModelPhase phase, std::uint64_t layers,
                                  const std::vector<std::pair<std::string, std::string>>& inputs = {});

// A layer of that case in timing mode, with values below machine. and workload. as --set. Throws what refuses it.
std::unique_ptr<ResolvedConfig> resolved_case(const ModelConfig& config, const ModelPoint& point,
                                              ModelPhase phase, const std::vector<std::string>& overrides);

// The chips of a layout, and its replicas; 0: as many as there are ranks for.
struct LayoutSpace {
  std::uint64_t chips = 1, lnc = 2, data = 0;
};

// All layouts of that space that the workload accepts for both phases, highest tensor degree first: it refuses those
// that do not divide the model, or that do not fit into HBM. `overrides` as --set. Throws the last refusal if there
// is none.
std::vector<ModelLayout> possible_layouts(const ModelConfig& config, const LayoutSpace& space,
                                          const ModelDemand& demand,
                                          const std::vector<std::string>& overrides);

}  // namespace tahoma::runtime
