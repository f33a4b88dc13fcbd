// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost/trial.h"

#include <fmt/format.h>

#include <sstream>

#include "isa/core/program_error.h"
#include "model/base/error.h"
#include "model/system/child_process.h"
#include "runtime/collective/lowering/assembly.h"
#include "runtime/collective/result/collective_measure.h"
#include "runtime/host/process.h"

namespace tahoma::runtime::collective {

namespace {

// Without effects on the host beside the result.
model::MachineParams trial_machine(const model::MachineParams& machine, base::Duration limit) {
  model::MachineParams params = machine;
  params.record({});
  if (limit.fs > 0) params.time_limit = limit;
  return params;
}

Trial simulate_alone(Machine& machine, const Group& group, const Spec& spec) {
  Assembly assembly(machine, groups_from(machine.params(), *group.neighbours));
  std::vector<PlannedCollective> all;
  for (std::size_t g = 0; g < assembly.groups().size(); ++g)
    if (assembly.groups()[g].ranks() == group.ranks()) all.push_back(assembly.add(g, spec));
  Stopwatch stopwatch;
  assembly.load(stopwatch);
  machine.observe(&stopwatch);
  const base::RunMeasurement run = machine.run();
  std::vector<RankTimes> ranks;
  for (const PlannedCollective& planned : all)
    for (const auto& spans : planned.spans) ranks.push_back(times_of(stopwatch, spans));
  return {time_of(ranks), run.elapsed};
}

}  // namespace

std::optional<Trial> run_trial(const model::MachineParams& machine, base::Duration limit,
                               const std::function<Trial(Machine&)>& body) {
  const model::MachineParams params = trial_machine(machine, limit);
  Process child([&]() -> std::string {
    try {
      model::forget_parent_machine();
      Machine own(params, model::Mode::kTiming);
      const Trial trial = body(own);
      return fmt::format("{} {}", trial.time.fs, trial.run.fs);
    } catch (const base::UserError&) {  // longer than the limit, or too large
      return "";
    } catch (const isa::ProgramError&) {
      return "";
    }
  });
  while (child.read_output()) continue;
  const ProcessResult result = child.wait();
  TAHOMA_INVARIANT(result.end.ok(), "the trial of a collective " + result.end.text());
  if (result.output.empty()) return std::nullopt;
  Trial trial{};
  std::istringstream(result.output) >> trial.time.fs >> trial.run.fs;
  return trial;
}

std::optional<Trial> try_alone(const model::MachineParams& machine, const Group& group, const Spec& spec,
                               base::Duration limit) {
  return run_trial(machine, limit, [&](Machine& own) { return simulate_alone(own, group, spec); });
}

}  // namespace tahoma::runtime::collective
