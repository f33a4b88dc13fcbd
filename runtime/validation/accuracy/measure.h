// SPDX-License-Identifier: Apache-2.0
// A suite's cases run, each in a process of its own, and its page.
#pragma once

#include <string>
#include <vector>

#include "runtime/validation/accuracy/accuracy_page.h"

namespace tahoma::runtime {

// `overrides` as of --set, paths below machine. only. UserError: a machine that does not exist or contradicts
// itself; whatever is wrong with a single case stands in its rows.
Page measure(const Suite& suite, const std::vector<std::string>& overrides, std::size_t jobs);

}  // namespace tahoma::runtime
