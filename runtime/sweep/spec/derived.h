// SPDX-License-Identifier: Apache-2.0
// A number in base units as the text of a parameter.
#pragma once

#include <string>

#include "model/base/params.h"

namespace tahoma::runtime {

// Times, sizes, frequencies and bandwidths are rounded to whole base units; counts and cycles must be whole
// (to 1e-9, the noise of arithmetic), a switch 0 or 1. UserError E-SWP-031 without a place where the kind has
// no such value.
std::string text_of_number(const base::ParamRef& kind, double number);

}  // namespace tahoma::runtime
