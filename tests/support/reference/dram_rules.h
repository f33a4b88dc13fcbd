// SPDX-License-Identifier: Apache-2.0
// A judge of DRAM command logs: every rule of JESD238 that dram::Timing names, applied to every pair of
// commands by brute force, and the state of every bank rebuilt from the log alone. Shares no code with a
// controller.
#pragma once

#include <string>
#include <vector>

#include "tests/support/bench/dram_setup.h"

namespace tahoma::tests {

struct Finding {
  std::string rule;  // tRP, tCCDL, "row bus", ...
  Command first, second;
  Tick found = 0, wanted = 0;  // a distance between the two, where the rule is one
  std::string text() const;
};

// How long the log watches the channel, and by how much a refresh may be late.
struct Watch {
  Tick end = 0;
  Tick refresh_slack = 0;
};

// `log` holds single commands in order of time, see BusLog.
std::vector<Finding> broken_rules(const std::vector<Command>& log, const DramSetup& setup,
                                  const Watch& watch);

// The names that broken_rules() may use.
std::vector<std::string> rule_names();

std::string text(const Command& command);

}  // namespace tahoma::tests
