// SPDX-License-Identifier: Apache-2.0
// Parameters as numbers, for expressions and tables.
#pragma once

#include <optional>

#include "model/base/params.h"
#include "runtime/config.h"
#include "runtime/sweep/expression.h"

namespace tahoma::runtime {

// In base units: bytes, hertz, bytes a second, seconds, cycles; a switch is 0 or 1, an ideal bandwidth
// infinite. Nothing for a text.
std::optional<double> number_of(const base::ParamRef& value);

// All parameters of a configuration, by path. A text has no value: E-SWP-022. `config` must outlive the
// names.
Names names_of(ResolvedConfig& config);

}  // namespace tahoma::runtime
