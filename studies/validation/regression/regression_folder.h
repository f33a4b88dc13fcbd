// SPDX-License-Identifier: Apache-2.0
// A check of cases that writes a folder: cases.txt, cases.json, cases.md and manifest.json. Equal checks give
// equal bytes in all files but the manifest.
#pragma once

#include <string>
#include <vector>

#include "studies/validation/regression/regression.h"

namespace tahoma::runtime {

// If `out` is "", no folder is written. `command_line` is for the manifest.
RegressionPage check_into(const std::string& file, const RegressionOptions& options, const std::string& out,
                          const std::vector<std::string>& command_line);

}  // namespace tahoma::runtime
