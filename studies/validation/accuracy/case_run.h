// SPDX-License-Identifier: Apache-2.0
// Runs one case once in timing mode and evaluates its probes. SystemC elaborates once, so
// call it once per process.
#pragma once

#include <string>
#include <vector>

#include "model/base/error.h"
#include "studies/validation/accuracy/tables/figures.h"

namespace tahoma::runtime {

// One workload for several figures, or traffic or a collective for a single one.
struct CaseRun {
  std::string path, machine;           // the machine replaces that of the case unless it is ""
  std::vector<std::string> overrides;  // as of --set
  std::vector<Figure> figures;         // the figures to evaluate
};

struct Beside {
  std::string name;  // "lost_refresh_percent"
  double value = 0;
};

struct Measured {
  double model = 0;     // in the figure's unit
  std::string failure;  // why there is no value; "" if there is one
  base::ExitStatus status = base::ExitStatus::kOk;
  std::vector<Beside> beside;  // additional results of traffic or of a collective
};

// Returns one result per figure. It does not throw: an error of the case is a failure of all of its figures.
std::vector<Measured> run_case(const CaseRun& run);

// Serialisation, to pass the results from one process to another.
std::string to_text(const std::vector<Measured>& measured);
std::vector<Measured> measured_from(const std::string& text);

}  // namespace tahoma::runtime
