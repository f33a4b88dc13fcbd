// SPDX-License-Identifier: Apache-2.0
// Runs the cases of a file, each in a separate process, and collects the statistics to keep.
#pragma once

#include <string>
#include <vector>

#include "model/base/error.h"
#include "studies/validation/regression/case_file.h"
#include "studies/validation/regression/values/kept_values.h"

namespace tahoma::runtime {

struct CaseResult {
  RunStatistics statistics;  // in functional mode with outputs.NAME.sha256 of every output tensor
  std::string failure;       // why there are no statistics; "" if there are
  base::ExitStatus status = base::ExitStatus::kOk;
  std::string unchecked = {};  // why the values of a functional run were not checked; "" if they were
  std::vector<KeptOutput> values = {};  // in functional mode
};

struct RegressionOptions {
  std::vector<std::string> only;       // --case; empty: all
  std::vector<std::string> overrides;  // --set
  std::size_t jobs = 1;
  bool require_golden = false;  // values of a functional run that are not checked are a failure
};

// A case must provide these besides its run.
struct CaseDemands {
  std::vector<std::string> patterns;  // of the classes of statistics to keep
  bool golden = false;                // see RegressionOptions::require_golden
  model::check::Options checks;       // findings are the failure of the case (E-RUN-071)
  std::uint64_t values = 0;           // kept of each output
};

// Runs in this process: one elaboration. An error of the case is its failure; so is a failed golden check
// (E-RUN-070), and an absent one (E-RUN-072) if it is demanded.
CaseResult run_case_here(const ConfigRequest& request, const CaseDemands& demands);

// One result per case, in order, with `jobs` processes at a time. The overrides are applied after those of
// the cases. A crash of a process is the failure of its case.
std::vector<CaseResult> run_cases(const CaseFile& file, const RegressionOptions& options);

}  // namespace tahoma::runtime
