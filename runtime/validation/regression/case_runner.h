// SPDX-License-Identifier: Apache-2.0
// Runs the cases of a file, each in a separate process, and collects the statistics to keep.
#pragma once

#include <string>
#include <vector>

#include "model/base/error.h"
#include "runtime/validation/regression/case_file.h"

namespace tahoma::runtime {

struct CaseResult {
  RunStatistics statistics;  // in functional mode with outputs.NAME.sha256 of every output tensor
  std::string failure;       // why there are no statistics; "" if there are
  base::ExitStatus status = base::ExitStatus::kOk;
};

// Runs in this process: one elaboration. An error of the case is its failure; so is a failed golden check
// against Eigen (E-RUN-070).
CaseResult run_case_here(const ConfigRequest& request, const std::vector<std::string>& patterns);

// One result per case, in order, with `jobs` processes at a time. `overrides` are applied after those of the
// cases. A crash of a process is the failure of its case.
std::vector<CaseResult> run_cases(const CaseFile& file, const std::vector<std::string>& overrides,
                                  std::size_t jobs);

}  // namespace tahoma::runtime
