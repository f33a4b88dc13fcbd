// SPDX-License-Identifier: Apache-2.0
#include "runtime/whatif/explain.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "runtime/host/children.h"
#include "runtime/report/regions/regions.h"
#include "runtime/run/machine.h"
#include "runtime/whatif/shorter.h"

namespace tahoma::runtime {

namespace {

using base::Duration;
using Json = nlohmann::ordered_json;

// A repetition as text, which a child process returns to this one.
std::string repetition_text(const Repetition& run) {
  Json regions = Json::array();
  for (const auto& [name, time] : run.regions) regions.push_back({name, time.fs});
  return Json{{"time", run.time.fs},
              {"instructions", run.instructions},
              {"regions", regions},
              {"failure", run.failure}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Repetition parsed(const ChildResult& child) {
  Repetition run;
  run.failure = child.failure;
  if (!run.failure.empty()) return run;
  const Json json = Json::parse(child.text);
  run.time.fs = json["time"].get<std::int64_t>();
  run.instructions = json["instructions"].get<std::uint64_t>();
  for (const Json& region : json["regions"])
    run.regions.emplace_back(region[0].get<std::string>(), Duration{region[1].get<std::int64_t>()});
  run.failure = json["failure"].get<std::string>();
  return run;
}

Repetition repeated(ConfigRequest request, const std::vector<std::string>& overrides) {
  request.overrides.insert(request.overrides.end(), overrides.begin(), overrides.end());
  request.mode = "timing";
  const auto config = resolve_config(request);
  Machine machine(config->machine, model::Mode::kTiming);
  config->workload->prepare(machine, config->run.seed);
  machine.seed(config->run.seed);
  RegionRecorder recorder(config->machine);
  for (const auto& [core, program] : machine.programs()) recorder.program(core, program);
  machine.observe(&recorder);
  const base::RunMeasurement measured = machine.run();
  Repetition run{measured.elapsed, measured.instructions, {}, ""};
  for (const RegionSummary& region : recorder.summarise(measured).regions)
    run.regions.emplace_back(region.name, region.time());
  return run;
}

// Errors of the user are part of the result: an ideal resource may contradict other parameters.
std::string repeated_or_reason(const ConfigRequest& request, const std::vector<std::string>& overrides) {
  try {
    return repetition_text(repeated(request, overrides));
  } catch (const base::UserError& error) {
    Repetition failed;
    failed.failure = error.what();
    return repetition_text(failed);
  }
}

// The resource with the largest reduction of what `time_of` reads from a repetition.
template <class TimeOf>
Bottleneck bottleneck_of(const Explanation& e, Duration whole, TimeOf time_of) {
  Bottleneck largest;
  for (const WhatIf& row : e.rows) {
    const Duration* time = row.run.failure.empty() ? time_of(row.run) : nullptr;
    if (time == nullptr) continue;
    const double shorter = percent_shorter(whole, *time);
    if (shorter >= kLeastReduction && shorter > largest.shorter_percent)
      largest = {row.resource.name, shorter};
  }
  return largest;
}

}  // namespace

const Duration* Repetition::of_region(const std::string& name) const {
  const auto known =
      std::find_if(regions.begin(), regions.end(), [&](const auto& region) { return region.first == name; });
  return known == regions.end() ? nullptr : &known->second;
}

Bottlenecks Explanation::bottlenecks() const {
  Bottlenecks all;
  all.whole = bottleneck_of(*this, run.time, [](const Repetition& other) { return &other.time; });
  for (const auto& [region, time] : run.regions)
    all.regions[region] = bottleneck_of(
        *this, time, [&region = region](const Repetition& other) { return other.of_region(region); });
  return all;
}

ConfigRequest config_of_run(const std::string& folder) {
  const std::filesystem::path file = std::filesystem::path(folder) / "config.resolved.yaml";
  if (!std::filesystem::is_regular_file(file))
    throw base::UserError("E-CLI-006", folder,
                          "contains no run; expected the folder that a `tahoma run` wrote with --out");
  return {file.string(), "", {}, "", ""};
}

Explanation explain(const std::string& name, const ConfigRequest& request, std::size_t jobs,
                    const std::function<void(std::size_t, std::size_t)>& progress) {
  const auto resolved = resolve_config(request);
  Explanation explanation;
  explanation.name = name;
  explanation.everything.resource = {"all of these", "what remains is common to all resources", {}};
  for (Resource& resource : resources_of(resolved->machine_tree)) {
    auto& all = explanation.everything.resource.overrides;
    all.insert(all.end(), resource.overrides.begin(), resource.overrides.end());
    explanation.rows.push_back({std::move(resource), {}});
  }
  std::vector<std::function<std::string()>> bodies{[&] { return repeated_or_reason(request, {}); }};
  for (const WhatIf& row : explanation.rows)
    bodies.emplace_back([&] { return repeated_or_reason(request, row.resource.overrides); });
  bodies.emplace_back([&] { return repeated_or_reason(request, explanation.everything.resource.overrides); });
  const auto results =
      run_in_children(bodies, jobs, [&](std::size_t done) { progress(done, bodies.size()); });

  explanation.run = parsed(results.front());
  if (!explanation.run.failure.empty())
    throw base::UserError("E-CLI-006", name, "the run cannot be repeated: " + explanation.run.failure);
  for (std::size_t i = 0; i < explanation.rows.size(); ++i) explanation.rows[i].run = parsed(results[i + 1]);
  explanation.everything.run = parsed(results.back());
  std::stable_sort(explanation.rows.begin(), explanation.rows.end(), [](const WhatIf& a, const WhatIf& b) {
    if (a.run.failure.empty() != b.run.failure.empty()) return a.run.failure.empty();
    return a.run.time < b.run.time;
  });
  return explanation;
}

}  // namespace tahoma::runtime
