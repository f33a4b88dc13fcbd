// SPDX-License-Identifier: Apache-2.0
// `tahoma nki --verify` and `tahoma nki --serve`: verdicts about kernels as JSON. The Python package makes
// them (frontend/python/package/tahoma/oracle); this starts it with the standard streams of this process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/error.h"

namespace CLI {
class App;
}

namespace tahoma::runtime {

struct OracleOptions {
  bool verify = false, serve = false;
  std::string previous;             // file with an earlier verdict
  std::uint64_t jobs = 2;           // at the same time
  double seconds = 60;              // of a job
  std::uint64_t memory_mib = 4096;  // of a job
};

void add_oracle_options(CLI::App& sub, OracleOptions& options);

// A kernel and its arguments, as words of the command line.
struct VerificationRequest {
  std::string kernel, args, reference, machine;  // as `tahoma nki` has them
  std::vector<std::string> overrides;
  std::string seed;  // "": 1
  std::uint64_t grid = 0;
  double rtol = 0, atol = 0;  // 0: by the rule of the golden checks
};

// Prints the verdict. The exit status is that of a run with the same outcome.
base::ExitStatus verify_kernel(const OracleOptions& options, const VerificationRequest& request);
// Answers requests until standard input ends.
base::ExitStatus serve_verifications(const OracleOptions& options);

}  // namespace tahoma::runtime
