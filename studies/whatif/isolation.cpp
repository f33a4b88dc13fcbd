// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/isolation.h"

#include <algorithm>

#include "model/base/error.h"
#include "studies/whatif/repetition.h"

namespace tahoma::runtime {

namespace {

constexpr std::string_view kPrograms = "workload.programs.";

// The names of the programs, in the order of the case.
std::vector<std::string> program_names(const base::ParamTree& tree) {
  std::vector<std::string> names;
  for (const base::Param& param : tree.params()) {
    if (!param.path.starts_with(kPrograms)) continue;
    const std::string rest = param.path.substr(kPrograms.size());
    const std::string name = rest.substr(0, rest.find('.'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<AloneTimes> alone_times(const ConfigRequest& request, std::size_t jobs,
                                    const std::function<void(std::size_t, std::size_t)>& progress) {
  const auto config = resolve_config(request);
  const std::vector<std::string> names = program_names(config->workload_tree);
  if (names.empty())
    throw base::UserError(
        "E-CLI-004", "--isolated",
        "needs a case of several programs, which is of kind colocated; this one is of kind " +
            config->run.kind);
  std::vector<std::vector<std::string>> changes;
  for (const std::string& name : names) changes.push_back({"workload.only=" + name});
  const std::vector<Repetition> all = repetitions(request, changes, jobs, progress);
  std::vector<AloneTimes> times;
  for (std::size_t n = 0; n < names.size(); ++n) {
    const Repetition& run = all[n + 1];  // the first is the unchanged run
    if (!run.failure.empty())
      throw base::UserError("E-CLI-006", names[n], "the program cannot be run alone: " + run.failure);
    times.push_back({names[n], run.time, run.engines});
  }
  return times;
}

}  // namespace tahoma::runtime
