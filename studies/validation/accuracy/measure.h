// SPDX-License-Identifier: Apache-2.0
// Runs the cases of a suite, each in a separate process, and makes its page.
#pragma once

#include <string>
#include <vector>

#include "studies/validation/accuracy/accuracy_page.h"

namespace tahoma::runtime {

// `overrides` as of --set, paths below machine. only. UserError: a machine that does not exist or contradicts
// itself. Errors of a single case are reported in its rows.
// Held-out figures have an interval from what the laws leave (law_error.h). `provenances`: those that are
// probes are also moved by the uncertainty of these parameters; empty: they are not.
Page measure(const Suite& suite, const std::vector<std::string>& overrides, std::size_t jobs,
             const std::vector<base::Provenance>& provenances = {});

}  // namespace tahoma::runtime
