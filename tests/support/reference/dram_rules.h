// SPDX-License-Identifier: Apache-2.0
// A checker of DRAM command logs: every rule of JESD238 that dram::Timing names, applied to every pair of
// commands by brute force, and the state of every bank reconstructed from the log alone. Shares no code with
// a controller.
#pragma once

#include <string>
#include <vector>

#include "tests/support/bench/dram_setup.h"

namespace tahoma::tests {

struct Finding {
  std::string rule;  // tRP, tCCDL, "row bus", ...
  Command first, second;
  Tick found = 0, wanted = 0;  // the distance between the two, if the rule is a distance
  std::string text() const;
};

// Duration for which the log observes the channel, and the allowed delay of a refresh.
struct Watch {
  Tick end = 0;
  Tick refresh_slack = 0;
};

// `log` holds single commands in order of time (see BusLog).
std::vector<Finding> broken_rules(const std::vector<Command>& log, const DramSetup& setup,
                                  const Watch& watch);

// The names that broken_rules() may use.
std::vector<std::string> rule_names();

std::string text(const Command& command);

}  // namespace tahoma::tests
