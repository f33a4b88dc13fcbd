// SPDX-License-Identifier: Apache-2.0
// One case, run once in timing mode, and what its probes say. One elaboration: once per process.
#pragma once

#include <string>
#include <vector>

#include "model/base/error.h"
#include "runtime/validation/accuracy/figures.h"

namespace tahoma::runtime {

// One workload for several figures, or some traffic or a collective for one.
struct CaseRun {
  std::string path, machine;           // the machine replaces the case's own, unless it is ""
  std::vector<std::string> overrides;  // as of --set
  std::vector<Figure> figures;         // whose probes are evaluated
};

struct Beside {
  std::string name;  // "lost_refresh_percent"
  double value = 0;
};

struct Measured {
  double model = 0;     // in the figure's unit
  std::string failure;  // why there is none, "" if there is
  base::ExitStatus status = base::ExitStatus::kOk;
  std::vector<Beside> beside;  // what else there is to say of traffic or a collective
};

// One for each figure. Throws nothing: an error of the case is a failure of all of its figures.
std::vector<Measured> run_case(const CaseRun& run);

// For the way from one process to another.
std::string to_text(const std::vector<Measured>& measured);
std::vector<Measured> measured_from(const std::string& text);

}  // namespace tahoma::runtime
