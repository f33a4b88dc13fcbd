// SPDX-License-Identifier: Apache-2.0
// Converts a number in base units to the text of a parameter.
#pragma once

#include <string>

#include "model/base/params.h"

namespace tahoma::runtime {

// Times, sizes, frequencies and bandwidths are rounded to whole base units; counts and cycles must be whole
// (to within 1e-9, to allow for rounding errors), a switch 0 or 1. UserError E-SWP-031 without a place if the
// kind has no such value.
std::string text_of_number(const base::ParamRef& kind, double number);

}  // namespace tahoma::runtime
