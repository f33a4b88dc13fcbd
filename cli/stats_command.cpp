// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.h"
#include "model/base/stall_text.h"
#include "report/files/statistics_tables.h"
#include "report/files/stats_files.h"
#include "report/reference/table_list.h"
#include "report/store/run_store.h"
#include "report/tables/column_csv.h"
#include "runtime/host/json/json_text.h"
#include "studies/validation/regression/differences/run_statistics.h"

namespace tahoma::runtime {

namespace {

struct StatsCommand {
  std::string first, second, format = "text";  // [OUT] [PATTERN]
};

// The folder of a run; "" if the words are a pattern alone. A folder may have the name of a statistic.
std::string folder_of(const StatsCommand& command) {
  const bool path = command.first.find('/') != std::string::npos || !command.second.empty();
  return path || has_statistics(command.first) ? command.first : "";
}

[[noreturn]] void refuse_pattern(const std::string& what, const std::string& pattern,
                                 const std::vector<std::string>& names) {
  throw base::UserError(
      "E-REP-003", "tahoma stats",
      fmt::format("{} has '{}' in its path{}", what, pattern, base::did_you_mean(pattern, names)));
}

// "ns, less is better"; texts, flags and identifiers have no order.
std::string unit_text(const ColumnPlace& each) {
  const auto unit = base::unit_named(each.unit);
  if (!unit || *unit == base::Unit::kIdentifier) return each.unit;
  return fmt::format("{}, {} is better", each.unit, base::name_of(each.better));
}

// The statistics, then the columns of tables.
std::vector<ColumnPlace> explained() {
  std::vector<ColumnPlace> all;
  for (const base::Stat& stat : known_statistics())
    all.push_back({stat.path, base::name_of(stat.unit), stat.doc, stat.better});
  for (ColumnPlace& column : declared_columns()) all.push_back(std::move(column));
  return all;
}

// A word matches every path that contains it; '*' matches any text.
std::vector<ColumnPlace> wanted(const std::string& pattern) {
  std::vector<ColumnPlace> all = explained();
  std::vector<std::string> names;
  for (const ColumnPlace& each : all) names.push_back(each.path);
  std::erase_if(all,
                [&](const ColumnPlace& each) { return !matches_pattern(each.path, "*" + pattern + "*"); });
  if (all.empty()) refuse_pattern("no statistic and no column", pattern, names);
  return all;
}

// The stall reason whose time or share a path counts. Other statistics have names like "busy", too, but
// another sentence.
std::optional<base::StallReason> stall_reason_of(const ColumnPlace& each) {
  for (std::size_t n = 0; n < base::kStallReasons; ++n)
    if (const auto reason = static_cast<base::StallReason>(n); each.doc == base::doc_of(reason))
      return reason;
  return std::nullopt;
}

std::string stall_text(base::StallReason reason) {
  const std::string name = base::vendor_name_of(reason);
  return fmt::format("    Neuron Explorer: {}\n    to shorten it: {}\n", name.empty() ? "no name" : name,
                     base::advice_of(reason));
}

nlohmann::ordered_json entry_of(const ColumnPlace& each, const std::optional<base::StallReason>& reason) {
  nlohmann::ordered_json entry{{"path", each.path},
                               {"unit", each.unit},
                               {"better", base::name_of(each.better)},
                               {"description", each.doc}};
  if (reason) entry["neuron_explorer"] = base::vendor_name_of(*reason);
  if (reason) entry["advice"] = base::advice_of(*reason);
  return entry;
}

// Prints those of a run as stats.txt, stats.json or stats.csv has them.
base::ExitStatus print_statistics(const std::string& folder, const StatsCommand& command) {
  const RunStore store(folder);
  std::vector<base::Stat> stats;
  for (const base::Stat& stat : store.statistics())
    if (matches_pattern(stat.path, "*" + command.second + "*")) stats.push_back(stat);
  if (stats.empty() && !command.second.empty()) {
    std::vector<std::string> names;
    for (const base::Stat& stat : known_statistics()) names.push_back(stat.path);
    refuse_pattern("no statistic of the run", command.second, names);
  }
  fmt::print("{}", command.format == "json"  ? stats_json(stats)
                   : command.format == "csv" ? stats_csv(stats)
                                             : stats_text(stats));
  return base::ExitStatus::kOk;
}

base::ExitStatus explain(const StatsCommand& command) {
  if (const std::string folder = folder_of(command); !folder.empty())
    return print_statistics(folder, command);
  if (command.format == "csv") fmt::print("path,unit,better,description\n");
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ColumnPlace& each : wanted(command.first)) {
    const std::optional<base::StallReason> reason = stall_reason_of(each);
    if (command.format == "csv")
      fmt::print("{},{},{},{}\n", csv_field(each.path), each.unit, base::name_of(each.better),
                 csv_field(each.doc));
    else if (command.format == "text")
      fmt::print("{} [{}]\n    {}\n{}", each.path, unit_text(each), each.doc,
                 reason ? stall_text(*reason) : "");
    else
      list.push_back(entry_of(each, reason));
  }
  if (command.format == "json") fmt::print("{}\n", dump_json(list, 2));
  return base::ExitStatus::kOk;
}

}  // namespace

void add_stats_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<StatsCommand>();
  sub.add_option("OUT", command->first, "Folder of a `tahoma run`; a word that is no folder is the PATTERN")
      ->type_name("");
  sub.add_option(
         "PATTERN", command->second,
         "Part of a path, '*' matches any text; default: all. Explanations have '*' for the numbers of "
         "instances")
      ->type_name("");
  add_choice(sub, "--format", command->format, {"text", "json", "csv"},
             "What to print: of a run, what stats.txt, stats.json or stats.csv contains");
  sub.callback([command, &action] { action = [command] { return explain(*command); }; });
}

}  // namespace tahoma::runtime
