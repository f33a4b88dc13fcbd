// SPDX-License-Identifier: Apache-2.0
// The part of a configuration that describes the text model, with what its architecture gives absent keys.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "studies/model/config/families.h"

namespace tahoma::runtime {

struct ConfigSource {
  nlohmann::ordered_json values;
  std::string part;                   // "text_config:" if the values are inside this object of the file
  std::vector<std::string> keys;      // that the file has, in this part
  std::vector<std::string> left_out;  // what is no part of the simulated model, in words
};

// A model of several kinds of inputs has its text model in an object of its own (text_config, llm_config). It
// inherits the architecture and what holds for the whole file.
ConfigSource text_part(const nlohmann::ordered_json& file);
void add_defaults(ConfigSource& source, const ModelFamily& family);

// Names how the weights are quantised, and says in which type they are executed. UserError E-HFC-005 at
// `place` for a method that is not known, E-HFC-003 for none.
std::string quantisation(const nlohmann::ordered_json& block, const std::string& place);

}  // namespace tahoma::runtime
