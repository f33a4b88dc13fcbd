// SPDX-License-Identifier: Apache-2.0
// All that a random case results in, as one text, to compare ways of running it.
#pragma once

#include <string>
#include <vector>

#include "model/base/error.h"
#include "runtime/host/sha256.h"
#include "tests/support/program/random_cases.h"

namespace tahoma::tests {

// The digest of all statistics, events and values of a machine whose chips are all simulated; "refused" with the code of an
// error; "wrong" with what the golden check says. Empty in a process that does not report. `order`: System::elaborate_in.
inline std::string case_outcome(const RandomCase& c, model::Mode mode, model::Processes* processes,
                                const std::vector<std::uint32_t>& order = {}) {
  try {
    const auto workload = checked_workload(c);
    runtime::Machine machine(c.machine, mode, {}, processes);
    machine.allow_folding(false);
    if (!order.empty()) machine.elaborate_in(order);
    const auto [statistics, events] = observed_run(*workload, machine);
    if (processes != nullptr && !processes->reports()) return "";
    const std::string values = values_of(*workload, machine);
    if (values.starts_with("wrong")) return values;
    return runtime::sha256_of(statistics + events + values);
  } catch (const base::UserError& error) {
    return std::string("refused ") + error.code;
  }
}

}  // namespace tahoma::tests
