// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/repetition.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "report/regions/regions.h"
#include "runtime/host/children.h"
#include "runtime/run/machine.h"

namespace tahoma::runtime {

namespace {

using base::Duration;
using RunJson = nlohmann::ordered_json;

// A repetition as text, which a child process returns to this one.
std::string repetition_text(const Repetition& run) {
  RunJson regions = RunJson::array();
  for (const auto& [name, time] : run.regions) regions.push_back({name, time.fs});
  return RunJson{{"time", run.time.fs},
                 {"instructions", run.instructions},
                 {"regions", regions},
                 {"failure", run.failure},
                 {"refused", run.refused}}
      .dump(-1, ' ', false, RunJson::error_handler_t::replace);
}

Repetition parsed(const ChildResult& child) {
  Repetition run;
  run.failure = child.failure;
  if (!run.failure.empty()) return run;
  const RunJson json = RunJson::parse(child.text);
  run.time.fs = json["time"].get<std::int64_t>();
  run.instructions = json["instructions"].get<std::uint64_t>();
  for (const RunJson& region : json["regions"])
    run.regions.emplace_back(region[0].get<std::string>(), Duration{region[1].get<std::int64_t>()});
  run.failure = json["failure"].get<std::string>();
  run.refused = json["refused"].get<bool>();
  return run;
}

Repetition repeated(const ResolvedConfig& config) {
  Machine machine(config.machine, model::Mode::kTiming);
  config.workload->prepare(machine, config.run.seed);
  machine.seed(config.run.seed);
  RegionRecorder recorder(config.machine);
  for (const auto& [core, program] : machine.programs()) recorder.program(core, program);
  machine.observe(&recorder);
  const base::RunMeasurement measured = machine.run();
  Repetition run{measured.elapsed, measured.instructions, {}, "", false};
  for (const RegionSummary& region : recorder.summarise(measured).regions)
    run.regions.emplace_back(region.name, region.time());
  return run;
}

// The result includes the reason if the repetition fails.
Repetition repeated_or_reason(ConfigRequest request, const std::vector<std::string>& overrides) {
  Repetition failed;
  request.overrides.insert(request.overrides.end(), overrides.begin(), overrides.end());
  request.mode = "timing";
  std::unique_ptr<ResolvedConfig> config;
  try {
    config = resolve_config(request);
    return repeated(*config);
  } catch (const base::UserError& error) {
    failed.failure = error.what();
    failed.refused = !config;
  } catch (const std::exception& error) {
    failed.failure = error.what();
  }
  return failed;
}

}  // namespace

const Duration* Repetition::of_region(const std::string& name) const {
  const auto known =
      std::find_if(regions.begin(), regions.end(), [&](const auto& region) { return region.first == name; });
  return known == regions.end() ? nullptr : &known->second;
}

std::vector<Repetition> repetitions(const ConfigRequest& request,
                                    const std::vector<std::vector<std::string>>& overrides, std::size_t jobs,
                                    const std::function<void(std::size_t, std::size_t)>& progress) {
  std::vector<std::function<std::string()>> bodies;
  for (const std::vector<std::string>& changes : overrides)
    bodies.emplace_back(
        [&request, &changes] { return repetition_text(repeated_or_reason(request, changes)); });
  const std::vector<ChildResult> results =
      run_in_children(bodies, jobs, [&](std::size_t done) { progress(done, bodies.size()); });
  std::vector<Repetition> runs;
  for (const ChildResult& result : results) runs.push_back(parsed(result));
  return runs;
}

}  // namespace tahoma::runtime
