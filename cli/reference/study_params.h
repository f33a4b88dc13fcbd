// SPDX-License-Identifier: Apache-2.0
// The parameters that only studies have: those of `tahoma serve`, of `tahoma cluster` and of cards.
#pragma once

#include <string>
#include <vector>

#include "model/base/params.h"

namespace tahoma::runtime {

// One tree of parameters; `kind` is its workload kind, if any.
struct ParamSection {
  std::string title, kind;
  std::vector<base::Param> params;
};
std::vector<ParamSection> study_sections();

}  // namespace tahoma::runtime
