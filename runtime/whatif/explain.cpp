// SPDX-License-Identifier: Apache-2.0
#include "runtime/whatif/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "runtime/config/config.h"
#include "runtime/host/children.h"
#include "runtime/report/summary/format.h"
#include "runtime/run/machine.h"

namespace tahoma::runtime {

namespace {

using base::Duration;

std::string config_of(const std::string& folder) {
  const std::filesystem::path file = std::filesystem::path(folder) / "config.resolved.yaml";
  if (!std::filesystem::is_regular_file(file))
    throw base::UserError("E-CLI-006", folder,
                          "contains no run; expected the folder that a `tahoma run` wrote with --out");
  return file.string();
}

// Simulated femtoseconds, as text.
std::string time_of_run(const std::string& config, const std::vector<std::string>& overrides) {
  const auto resolved = resolve_config({config, "", overrides, "timing", ""});
  Machine machine(resolved->machine, model::Mode::kTiming);
  resolved->workload->prepare(machine, resolved->run.seed);
  machine.seed(resolved->run.seed);
  return std::to_string(machine.run().elapsed.fs);
}

// Errors are also returned as text.
std::string time_or_reason(const std::string& config, const std::vector<std::string>& overrides) {
  try {
    return time_of_run(config, overrides);
  } catch (const base::UserError& error) {
    return error.what();
  }
}

void take(const ChildResult& child, WhatIf& row) {
  const char* end = child.text.data() + child.text.size();
  const auto [at, error] = std::from_chars(child.text.data(), end, row.time.fs);
  if (child.failure.empty() && error == std::errc() && at == end) return;
  row.failure = child.failure.empty() ? child.text : child.failure;
}

double percent_shorter(const Explanation& e, const WhatIf& row) {
  return e.time.fs > 0 ? 100.0 * static_cast<double>(e.time.fs - row.time.fs) / static_cast<double>(e.time.fs)
                       : 0;
}

std::string row_text(const Explanation& e, const WhatIf& row) {
  if (!row.failure.empty())
    return fmt::format("  {:<16} {:>12}          {}\n", row.resource.name, "-", row.failure);
  return fmt::format("  {:<16} {:>12} {:>7.1f} %   {}\n", row.resource.name, time_text(row.time),
                     percent_shorter(e, row), row.resource.doc);
}

}  // namespace

Explanation explain(const std::string& folder, std::size_t jobs,
                    const std::function<void(std::size_t, std::size_t)>& progress) {
  const std::string config = config_of(folder);
  const auto resolved = resolve_config({config, "", {}, "", ""});
  Explanation explanation;
  explanation.folder = folder;
  explanation.everything.resource = {"all of these", "the rest is the work of the engines", {}};
  for (Resource& resource : resources_of(resolved->machine_tree)) {
    auto& all = explanation.everything.resource.overrides;
    all.insert(all.end(), resource.overrides.begin(), resource.overrides.end());
    explanation.rows.push_back({std::move(resource), {}, ""});
  }
  std::vector<std::function<std::string()>> bodies{[&] { return time_of_run(config, {}); }};
  for (const WhatIf& row : explanation.rows)
    bodies.emplace_back([&] { return time_or_reason(config, row.resource.overrides); });
  bodies.emplace_back([&] { return time_or_reason(config, explanation.everything.resource.overrides); });
  const auto results =
      run_in_children(bodies, jobs, [&](std::size_t done) { progress(done, bodies.size()); });

  WhatIf base;
  take(results.front(), base);
  if (!base.failure.empty())
    throw base::UserError("E-CLI-006", folder, "the run cannot be repeated: " + base.failure);
  explanation.time = base.time;
  for (std::size_t i = 0; i < explanation.rows.size(); ++i) take(results[i + 1], explanation.rows[i]);
  take(results.back(), explanation.everything);
  std::stable_sort(explanation.rows.begin(), explanation.rows.end(), [](const WhatIf& a, const WhatIf& b) {
    if (a.failure.empty() != b.failure.empty()) return a.failure.empty();
    return a.time < b.time;
  });
  return explanation;
}

std::string explanation_text(const Explanation& e) {
  std::string text;
  if (!e.rows.empty() && e.rows.front().failure.empty() && percent_shorter(e, e.rows.front()) >= 0.05)
    text = fmt::format("{}, limited most by {}: {:.1f} % shorter if it were ideal\n\n", time_text(e.time),
                       e.rows.front().resource.name, percent_shorter(e, e.rows.front()));
  else
    text = fmt::format("{}, limited by none of these alone\n\n", time_text(e.time));
  text += fmt::format("  {:<16} {:>12} {:>9}\n", "one ideal", "time", "shorter");
  for (const WhatIf& row : e.rows) text += row_text(e, row);
  return text + row_text(e, e.everything);
}

std::string explanation_json(const Explanation& e) {
  using Json = nlohmann::ordered_json;
  const auto row_json = [&](const WhatIf& row) {
    return Json{
        {"resource", row.resource.name},
        {"doc", row.resource.doc},
        {"overrides", row.resource.overrides},
        {"time_ns", row.failure.empty() ? Json(static_cast<double>(row.time.fs) * 1e-6) : Json(nullptr)},
        {"shorter_percent", row.failure.empty() ? Json(percent_shorter(e, row)) : Json(nullptr)},
        {"failure", row.failure}};
  };
  Json rows = Json::array();
  for (const WhatIf& row : e.rows) rows.push_back(row_json(row));
  return Json{{"run", e.folder},
              {"time_ns", static_cast<double>(e.time.fs) * 1e-6},
              {"resources", rows},
              {"all_ideal", row_json(e.everything)}}
             .dump(2) +
         "\n";
}

}  // namespace tahoma::runtime
