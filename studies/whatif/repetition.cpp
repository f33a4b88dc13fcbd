// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/repetition.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/base/loader/config_loader.h"
#include "report/files/program_report.h"
#include "report/regions/regions.h"
#include "runtime/host/children.h"
#include "runtime/run/machine.h"
#include "studies/whatif/unread.h"

namespace tahoma::runtime {

namespace {

using base::Duration;
using RunJson = nlohmann::ordered_json;

// What a child process returns to this one. The unchanged run also tells what its time depends on.
struct ChildRepetition {
  Repetition run;
  std::string loaded;  // loaded_sha256()
  std::vector<std::string> unread;
  bool unchanged = false;  // not simulated: it executes the programs of the unchanged run
};

std::string text_of(const ChildRepetition& child) {
  RunJson regions = RunJson::array();
  for (const auto& [name, time] : child.run.regions) regions.push_back({name, time.fs});
  RunJson engines = RunJson::array();
  for (const Duration& time : child.run.engines) engines.push_back(time.fs);
  return RunJson{{"time", child.run.time.fs},    {"instructions", child.run.instructions},
                 {"engines", engines},           {"regions", regions},
                 {"failure", child.run.failure}, {"refused", child.run.refused},
                 {"loaded", child.loaded},       {"unread", child.unread},
                 {"unchanged", child.unchanged}}
      .dump(-1, ' ', false, RunJson::error_handler_t::replace);
}

ChildRepetition parsed(const ChildResult& result) {
  ChildRepetition child;
  child.run.failure = result.failure;
  if (!result.failure.empty()) return child;
  const RunJson json = RunJson::parse(result.text);
  child.run.time.fs = json["time"].get<std::int64_t>();
  child.run.instructions = json["instructions"].get<std::uint64_t>();
  for (std::size_t reason = 0; reason < base::kStallReasons; ++reason)
    child.run.engines[reason].fs = json["engines"][reason].get<std::int64_t>();
  for (const RunJson& region : json["regions"])
    child.run.regions.emplace_back(region[0].get<std::string>(), Duration{region[1].get<std::int64_t>()});
  child.run.failure = json["failure"].get<std::string>();
  child.run.refused = json["refused"].get<bool>();
  child.loaded = json["loaded"].get<std::string>();
  child.unread = json["unread"].get<std::vector<std::string>>();
  child.unchanged = json["unchanged"].get<bool>();
  return child;
}

enum class Role : std::uint8_t { kUnchanged, kChanged };

// `loaded`: of the unchanged run, if the repetition changes nothing that it reads; otherwise "".
ChildRepetition repeated(const ResolvedConfig& config, Role role, const std::string& loaded) {
  Machine machine(config.machine, model::Mode::kTiming);
  config.workload->prepare(machine, config.run.seed);
  ChildRepetition child;
  child.unchanged = !loaded.empty() && loaded_sha256(machine) == loaded;
  if (child.unchanged) return child;
  machine.seed(config.run.seed);
  RegionRecorder recorder(config.machine);
  for (const auto& [core, program] : machine.programs()) recorder.program(core, program);
  machine.observe(&recorder);
  const base::RunMeasurement measured = machine.run();
  std::vector<std::uint32_t> cores;
  for (const auto& [core, program] : machine.programs()) cores.push_back(core);
  child.run.time = measured.elapsed;
  child.run.instructions = measured.instructions;
  child.run.engines = engine_times(measured, cores);
  for (const RegionSummary& region : recorder.summarise(measured).regions)
    child.run.regions.emplace_back(region.name, region.time());
  if (role == Role::kChanged) return child;
  child.loaded = loaded_sha256(machine);
  child.unread = unread_parameters(machine, measured);
  return child;
}

// The result includes the reason if the repetition fails.
ChildRepetition repeated_or_reason(ConfigRequest request, const std::vector<std::string>& overrides,
                                   Role role, const std::string& loaded) {
  ChildRepetition failed;
  request.overrides.insert(request.overrides.end(), overrides.begin(), overrides.end());
  request.mode = "timing";
  std::unique_ptr<ResolvedConfig> config;
  try {
    config = resolve_config(request);
    return repeated(*config, role, loaded);
  } catch (const base::UserError& error) {
    failed.run.failure = error.what();
    failed.run.refused = !config;
  } catch (const std::exception& error) {
    failed.run.failure = error.what();
  }
  return failed;
}

template <class Holds>
bool all_paths(const std::vector<std::string>& overrides, Holds holds) {
  return std::all_of(overrides.begin(), overrides.end(), [&](const std::string& text) {
    const std::vector<base::Leaf> leaves = base::parse_override(text);
    return std::all_of(leaves.begin(), leaves.end(),
                       [&](const base::Leaf& leaf) { return holds(leaf.path); });
  });
}

}  // namespace

const Duration* Repetition::of_region(const std::string& name) const {
  const auto known =
      std::find_if(regions.begin(), regions.end(), [&](const auto& region) { return region.first == name; });
  return known == regions.end() ? nullptr : &known->second;
}

std::vector<Repetition> repetitions(const ConfigRequest& request,
                                    const std::vector<std::vector<std::string>>& changes, std::size_t jobs,
                                    const std::function<void(std::size_t, std::size_t)>& progress) {
  // The unchanged run comes first, beside those that must be simulated whatever it reads.
  std::vector<std::size_t> first{0}, later;
  for (std::size_t n = 1; n <= changes.size(); ++n)
    (all_paths(changes[n - 1], may_be_unread) ? later : first).push_back(n);
  std::vector<ChildRepetition> results(changes.size() + 1);
  ChildRepetition& unchanged = results.front();
  const auto text_of_run = [&](std::size_t n) {
    if (n == 0) return text_of(repeated_or_reason(request, {}, Role::kUnchanged, ""));
    const std::vector<std::string>& own = changes[n - 1];
    const bool unread =
        all_paths(own, [&](const std::string& path) { return is_listed(path, unchanged.unread); });
    return text_of(repeated_or_reason(request, own, Role::kChanged, unread ? unchanged.loaded : ""));
  };
  std::size_t ended = 0;
  for (const std::vector<std::size_t>* runs : {&first, &later}) {
    std::vector<std::function<std::string()>> bodies;
    for (const std::size_t n : *runs) bodies.emplace_back([&text_of_run, n] { return text_of_run(n); });
    const std::vector<ChildResult> texts =
        run_in_children(bodies, jobs, [&](std::size_t done) { progress(ended + done, results.size()); });
    for (std::size_t i = 0; i < runs->size(); ++i) results[(*runs)[i]] = parsed(texts[i]);
    ended += runs->size();
  }
  std::vector<Repetition> repetitions;
  for (ChildRepetition& child : results) repetitions.push_back(child.unchanged ? unchanged.run : child.run);
  return repetitions;
}

}  // namespace tahoma::runtime
