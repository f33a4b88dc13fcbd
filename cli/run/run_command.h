// SPDX-License-Identifier: Apache-2.0
// A run with its options, for commands that give its case in different ways.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "report/run/run.h"

namespace CLI {
class App;
}

namespace tahoma::runtime {

struct RunCommand {
  RunOptions options;
  std::vector<std::string> checks;
  bool no_golden = false, require_golden = false, no_report = false, explain = false;
  std::uint64_t repeat = 0;  // start phases; 0: the configuration's alone
  std::size_t jobs = 0;      // of these repetitions at the same time; 0: one per host core
  bool isolated = false;     // programs of the case also run alone
  std::string format = "text", fold = "auto";
  std::function<std::string(const RunOutcome&)>
      harmless;  // why findings are only a warning; "": they are not
};

// All runs have these options, regardless of how the case is given.
void add_run_options(CLI::App& sub, RunCommand& command);
base::ExitStatus run(RunCommand& command);

}  // namespace tahoma::runtime
