// SPDX-License-Identifier: Apache-2.0
// A file of regression cases: below the key `cases`
//   title: what they guard, one line
//   statistics: [patterns]      classes of statistics to keep; default: those of default_patterns()
//   values: 128                 values kept of each output (values/kept_values.h)
//   runs:
//     NAME:                     a-z, 0-9, '_': the name of the golden's file
//       workload: FILE.yaml     next to this file
//       machine: NAME|FILE      optional: replaces that of the workload; looked up next to this file
//       mode: timing            optional, as --mode
//       seed: 7                 optional, as --seed
//       check: [races]          optional, as --check: findings fail the case
//       set: {workload.m: 512, machine.chip.hbm.stacks: 6}     optional, as --set, in this order
//       tolerances:             optional: without one a statistic must be equal
//         - {statistics: 'hbm.latency.*', tolerance: 1 %, reason: why it may change}
// The goldens of FILE.yaml are next to it: goldens/FILE/NAME.csv, goldens/FILE/NAME.values.json and
// goldens/FILE/bless.log.
//
// UserError in addition to those of the configuration loader: E-REG-001 a malformed name; E-REG-002 a key
// is missing, or not a list; E-REG-003 a tolerance without a reason, or that is not a percentage;
// E-REG-012 `only` names no case; E-REG-016 an unknown check.
#pragma once

#include <string>
#include <vector>

#include "runtime/config/config.h"
#include "studies/validation/regression/differences/difference.h"

namespace tahoma::runtime {

struct RegressionCase {
  std::string name, place;  // place: of the name in the file
  ConfigRequest request;
  model::check::Options checks;  // of the running program
  std::vector<Tolerance> tolerances;
};

struct CaseFile {
  std::string file, title;
  std::vector<std::string> patterns;
  std::uint64_t values = 0;            // kept of each output, see kept_values.h
  std::vector<RegressionCase> cases;   // in the order of the file; only those in `only`
  std::vector<std::string> all_names;  // of every case of the file
  std::string goldens;                 // the folder
};

// True if the YAML file `path` has the root key `cases`.
bool is_case_file(const std::string& path);

// With `only`, only those cases are loaded.
CaseFile load_case_file(const std::string& path, const std::vector<std::string>& only = {});

}  // namespace tahoma::runtime
