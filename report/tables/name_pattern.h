// SPDX-License-Identifier: Apache-2.0
// Patterns over names of statistics, columns and metrics.
#pragma once

#include <string>

namespace tahoma::runtime {

// True if `name` matches `pattern`, in which '*' matches any text.
bool matches_pattern(const std::string& name, const std::string& pattern);

}  // namespace tahoma::runtime
