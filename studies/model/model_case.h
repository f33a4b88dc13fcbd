// SPDX-License-Identifier: Apache-2.0
// Turns a model, a layout and a phase into a case of the workload `transformer`: the text of a YAML file (as
// JSON) that `tahoma run` accepts.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/config/config.h"
#include "studies/model/config/model_config.h"
#include "studies/model/layout/model_layout.h"

namespace tahoma::runtime {

// Executed layers: how many, as many less than the model has in each stage, and the number of the first one,
// which decides which of them are local.
struct LayerRange {
  std::uint64_t count = 0, first = 0;
};

// The phases of a model: of an encoder, the prefill alone.
std::span<const ModelPhase> phases_of(const ModelConfig& config);

// Tokens of a sequence in a phase, at its end.
std::uint64_t sequence_tokens(const ModelDemand& demand, ModelPhase phase);

// `inputs`: files by input name. The machine is a part of an UltraServer. UserError as require_machine().
nlohmann::ordered_json model_case(const ModelConfig& config, const ModelLayout& layout,
                                  const ModelDemand& demand, ModelPhase phase, const LayerRange& layers,
                                  const std::vector<std::pair<std::string, std::string>>& inputs = {});

// UserError E-HFC-010 for a number of chips that no block of the torus has.
void require_machine(std::uint64_t chips);

// Physical cores of a chip of `machine`, a preset or a file ("": Trainium2), with --set below machine.
std::uint64_t cores_of_chip(const std::string& machine, std::uint64_t chips,
                            const std::vector<std::string>& overrides);

// An order of placement without the axes that this machine does not have: "core,x" of "core,x,y,z" on two
// chips.
std::string order_on_machine(const std::string& order, std::uint64_t chips);

// That case with a layer of the shortest stage, in timing mode, with values below machine. and workload. as
// --set. Throws what refuses it.
std::unique_ptr<ResolvedConfig> resolved_case(const ModelConfig& config, const ModelPoint& point,
                                              ModelPhase phase, const std::vector<std::string>& overrides);

}  // namespace tahoma::runtime
