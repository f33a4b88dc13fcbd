// SPDX-License-Identifier: Apache-2.0
// Renders all results of a random case as one text, to compare ways of running it.
#pragma once

#include <string>
#include <vector>

#include "model/base/error.h"
#include "runtime/host/sha256.h"
#include "tests/support/program/random_cases.h"

namespace tahoma::tests {

struct HowToRun {
  model::Processes* processes = nullptr;  // null: one
  bool fold = false;                      // whether chips may be folded
  std::vector<std::uint32_t> order{};     // System::elaborate_in; empty: by number
  std::size_t* simulated = nullptr;       // receives the number of chips; null: not needed
};

// The digest of all statistics, events and values; "refused" with the code of an error; "wrong" with what the
// golden check says. Empty in a process that does not report.
inline std::string case_outcome(const RandomCase& c, model::Mode mode, const HowToRun& how) {
  try {
    const auto workload = checked_workload(c);
    runtime::Machine machine(c.machine, mode, {}, how.processes);
    machine.allow_folding(how.fold);
    if (!how.order.empty()) machine.elaborate_in(how.order);
    const auto [statistics, events] = observed_run(*workload, machine);
    if (how.processes != nullptr && !how.processes->reports()) return "";
    if (how.simulated != nullptr) *how.simulated = machine.folding().simulated();
    const std::string values = values_of(*workload, machine);
    if (values.starts_with("wrong")) return values;
    return runtime::sha256_of(statistics + events + values);
  } catch (const base::UserError& error) {
    return std::string("refused ") + error.code;
  }
}

}  // namespace tahoma::tests
