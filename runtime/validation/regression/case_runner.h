// SPDX-License-Identifier: Apache-2.0
// The cases of a file, each run in a process of its own, and what of their statistics is kept.
#pragma once

#include <string>
#include <vector>

#include "model/base/error.h"
#include "runtime/validation/regression/case_file.h"

namespace tahoma::runtime {

struct CaseResult {
  RunStatistics statistics;  // in functional mode with outputs.NAME.sha256 of every output tensor
  std::string failure;       // why there are none, "" if there are
  base::ExitStatus status = base::ExitStatus::kOk;
};

// In this process: one elaboration. An error of the case is its failure; so is a golden check, against Eigen,
// that does not pass (E-RUN-070).
CaseResult run_case_here(const ConfigRequest& request, const std::vector<std::string>& patterns);

// One result for each case, in their order, `jobs` processes at a time. `overrides` come behind the cases'
// own. A process that crashes is the failure of its case.
std::vector<CaseResult> run_cases(const CaseFile& file, const std::vector<std::string>& overrides,
                                  std::size_t jobs);

}  // namespace tahoma::runtime
