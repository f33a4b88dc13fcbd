// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/cli/commands.h"
#include "runtime/report/files/stats_files.h"
#include "runtime/validation/regression/run_statistics.h"

namespace tahoma::runtime {

namespace {

struct StatsCommand {
  std::string pattern, format = "text";
};

// A word matches every path that contains it; '*' matches any text.
std::vector<base::Stat> wanted(const std::string& pattern) {
  std::vector<base::Stat> stats = known_statistics();
  std::vector<std::string> names;
  for (const base::Stat& stat : stats) names.push_back(stat.path);
  std::erase_if(stats,
                [&](const base::Stat& stat) { return !matches_pattern(stat.path, "*" + pattern + "*"); });
  if (stats.empty())
    throw base::UserError(
        "E-REP-003", "tahoma stats",
        fmt::format("no statistic has '{}' in its path{}", pattern, base::did_you_mean(pattern, names)));
  return stats;
}

base::ExitStatus explain(const StatsCommand& command) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const base::Stat& stat : wanted(command.pattern)) {
    if (command.format == "text")
      fmt::print("{} [{}]\n    {}\n", stat.path, base::name_of(stat.unit), stat.doc);
    else
      list.push_back({{"path", stat.path}, {"unit", base::name_of(stat.unit)}, {"description", stat.doc}});
  }
  if (command.format == "json") fmt::print("{}\n", list.dump(2));
  return base::ExitStatus::kOk;
}

}  // namespace

void add_stats_command(CLI::App& program, Action& action) {
  const auto command = std::make_shared<StatsCommand>();
  CLI::App* sub =
      program.add_subcommand("stats", "Explain the statistics of a run: path, unit and description");
  sub->add_option("PATTERN", command->pattern,
                  "Part of a path, '*' matches any text; default: all. Instance numbers are shown as '*'")
      ->type_name("");
  add_choice(*sub, "--format", command->format, {"text", "json"}, "text or json");
  sub->callback([command, &action] { action = [command] { return explain(*command); }; });
}

}  // namespace tahoma::runtime
