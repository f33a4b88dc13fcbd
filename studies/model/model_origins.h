// SPDX-License-Identifier: Apache-2.0
// Where the values of a case of `tahoma model` come from: everything that model_case() may write
// (model_case.cpp), by option or key of config.json.
#pragma once

#include <string>

#include "runtime/config/case_origins.h"
#include "studies/model/config/model_config.h"
#include "studies/model/layout/model_layout.h"

namespace tahoma::runtime {

// Names what sets the parameter at `path`; "" if the user may.
std::string owner_of(const std::string& path);

CaseOrigins model_origins(const ModelConfig& config, const ModelPoint& point, ModelPhase phase);

// The same for the keys of config.json alone.
std::vector<CaseOrigin> config_origins(const ModelConfig& config);

}  // namespace tahoma::runtime
