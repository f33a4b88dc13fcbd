// SPDX-License-Identifier: Apache-2.0
// A command that makes a case of its options names them in errors about the case.
#pragma once

#include <string>
#include <vector>

#include "runtime/config/case_origins.h"

namespace tahoma::runtime {

struct OptionValue {
  std::string key, option, value;  // "batch", "--batch", "16": workload.batch=16 comes from --batch 16
};

// A value that one of `overrides` (--set) replaces has that place.
CaseOrigins option_origins(const std::vector<OptionValue>& given, const std::vector<std::string>& overrides);

}  // namespace tahoma::runtime
