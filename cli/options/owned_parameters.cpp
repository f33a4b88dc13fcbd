// SPDX-License-Identifier: Apache-2.0
#include "cli/options/owned_parameters.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/loader/config_loader.h"
#include "studies/model/model_origins.h"

namespace tahoma::runtime {

void refuse_owned_parameters(const std::vector<std::string>& overrides) {
  for (const std::string& text : overrides)
    for (const base::Leaf& leaf : base::parse_override(text))
      if (const std::string owner = owner_of(leaf.path); !owner.empty())
        throw base::UserError("E-CLI-003", "model",
                              fmt::format("--set {}: tahoma model sets it from {}", leaf.path, owner));
}

}  // namespace tahoma::runtime
