// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "model/base/error.h"
#include "runtime/workload/workload.h"
#include "studies/whatif/shorter.h"
#include "studies/whatif/start_phases.h"

namespace tahoma::runtime {

namespace {

using base::Duration;

// The resource with the largest reduction of what `time_of` reads from a repetition.
template <class TimeOf>
Bottleneck bottleneck_of(const Explanation& e, Duration whole, TimeOf time_of) {
  Bottleneck largest;
  for (const WhatIf& row : e.rows) {
    const bool counts = row.run.failure.empty() && row.resource.part_of.empty() && e.distinguishable(row.run);
    const Duration* time = counts ? time_of(row.run) : nullptr;
    if (time == nullptr) continue;
    const double shorter = percent_shorter(whole, *time);
    if (shorter >= kLeastReduction && shorter > largest.shorter_percent)
      largest = {row.resource.name, shorter};
  }
  return largest;
}

void price(WhatIf& row, const ChipArea& chip) {
  if (!row.resource.area) return;
  row.mm2 = chip[*row.resource.area].mm2;
  if (!chip.dies_dollars) return;
  row.dollars = *row.mm2 / chip.chip_mm2 * *chip.dies_dollars;
  if (row.resource.area == AreaPart::kHbm && chip.hbm_dollars) *row.dollars += *chip.hbm_dollars;
}

}  // namespace

std::vector<const WhatIf*> Explanation::failed() const {
  std::vector<const WhatIf*> found;
  for (const WhatIf& row : rows)
    if (!row.run.failure.empty() && !row.run.refused) found.push_back(&row);
  if (!everything.run.failure.empty() && !everything.run.refused) found.push_back(&everything);
  return found;
}

void Explanation::require_complete() const {
  const std::vector<const WhatIf*> found = failed();
  if (found.empty()) return;
  std::string text;
  for (const WhatIf* row : found) text += fmt::format("\n  {}: {}", row->resource.name, row->run.failure);
  throw base::UserError("E-CLI-007", name,
                        fmt::format("{} of {} repetitions failed, so no bottleneck is named:{}", found.size(),
                                    rows.size() + 2, text),
                        base::ExitStatus::kCheckFailed);
}

std::optional<Bottlenecks> Explanation::bottlenecks() const {
  if (!failed().empty()) return std::nullopt;
  Bottlenecks all;
  for (const WhatIf& row : rows)
    if (row.run.failure.empty())
      all.resources.push_back({row.resource.name, percent_shorter(run.time, row.run.time)});
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
  ConfigRequest request{file.string(), "", {}, "", ""};
  const std::string kernel = (std::filesystem::path(folder) / kKernelFile).string();
  if (std::filesystem::is_regular_file(kernel))
    request.overrides = {"workload.bundle=" + kernel, "workload.kernel=", "workload.reference="};
  return request;
}

Explanation explain(const std::string& name, const ConfigRequest& request, std::size_t phases,
                    std::size_t jobs, const std::function<void(std::size_t, std::size_t)>& progress) {
  const auto resolved = resolve_config(request);
  Explanation explanation;
  explanation.name = name;
  const ChipArea chip = chip_area(resolved->machine, resolved->machine_tree, prices_of());
  explanation.everything.resource = {"all of these", "what remains is common to all resources", "", {}};
  for (Resource& resource : resources_of(resolved->machine_tree)) {
    auto& all = explanation.everything.resource.overrides;
    all.insert(all.end(), resource.overrides.begin(), resource.overrides.end());
    explanation.rows.push_back({std::move(resource), {}});
    price(explanation.rows.back(), chip);
  }
  std::vector<std::vector<std::string>> overrides;
  for (const WhatIf& row : explanation.rows) overrides.push_back(row.resource.overrides);
  overrides.push_back(explanation.everything.resource.overrides);
  for (std::vector<std::string>& of_run : start_phases(resolved->machine, resolved->run.seed, phases))
    overrides.push_back(std::move(of_run));
  const std::vector<Repetition> runs = repetitions(request, overrides, jobs, progress);

  explanation.run = runs.front();
  if (!explanation.run.failure.empty())
    throw base::UserError("E-CLI-006", name, "the run cannot be repeated: " + explanation.run.failure);
  for (std::size_t i = 0; i < explanation.rows.size(); ++i) explanation.rows[i].run = runs[i + 1];
  const std::size_t changed = explanation.rows.size() + 1;
  explanation.everything.run = runs[changed];
  explanation.band = band_of_runs(name, std::span(runs).subspan(changed + 1));
  std::stable_sort(explanation.rows.begin(), explanation.rows.end(), [](const WhatIf& a, const WhatIf& b) {
    if (a.run.failure.empty() != b.run.failure.empty()) return a.run.failure.empty();
    return a.run.time < b.run.time;
  });
  return explanation;
}

}  // namespace tahoma::runtime
