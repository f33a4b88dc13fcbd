// SPDX-License-Identifier: Apache-2.0
// A file of regression cases: below the key `cases`
//   title: what they guard, one line
//   statistics: [patterns]      which classes of stats.json are kept; without it those of default_patterns()
//   runs:
//     NAME:                     a-z, 0-9, '_': the name of the golden's file
//       workload: FILE.yaml     beside this file
//       machine: NAME|FILE      optional: replaces the workload's own; looked for beside this file
//       mode: timing            optional, as --mode
//       seed: 7                 optional, as --seed
//       set: {workload.m: 512, machine.chip.hbm.stacks: 6}     optional, as --set, in this order
//       tolerances:             optional: without one a statistic has to be equal
//         - {statistics: 'hbm.latency.*', tolerance: 1 %, reason: why it may move}
// The goldens of FILE.yaml stand beside it: goldens/FILE/NAME.csv and goldens/FILE/bless.csv.
//
// UserError beside those of the configuration loader: E-REG-001 a malformed name; E-REG-002 a key is missing,
// or a list is none; E-REG-003 a tolerance without its reason, or that is no percentage; E-REG-012 `only`
// names no case.
#pragma once

#include <string>
#include <vector>

#include "runtime/config/config.h"
#include "runtime/validation/regression/difference.h"

namespace tahoma::runtime {

struct RegressionCase {
  std::string name, place;  // place: of the name in the file
  ConfigRequest request;
  std::vector<Tolerance> tolerances;
};

struct CaseFile {
  std::string file, title;
  std::vector<std::string> patterns;
  std::vector<RegressionCase> cases;   // in the order of the file; those of `only`
  std::vector<std::string> all_names;  // of every case of the file
  std::string goldens;                 // the folder
};

// Whether the YAML file `path` has the root key `cases`.
bool is_case_file(const std::string& path);

// With `only`, those cases alone.
CaseFile load_case_file(const std::string& path, const std::vector<std::string>& only = {});

}  // namespace tahoma::runtime
