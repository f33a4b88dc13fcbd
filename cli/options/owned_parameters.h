// SPDX-License-Identifier: Apache-2.0
// The parameters of a case that `tahoma model` sets itself. With another value its rows would name a layout
// or a model that did not run.
#pragma once

#include <string>
#include <vector>

namespace tahoma::runtime {

// UserError E-CLI-003 for a --set of such a parameter, with what sets it.
void refuse_owned_parameters(const std::vector<std::string>& overrides);

}  // namespace tahoma::runtime
