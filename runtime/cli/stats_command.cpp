// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/base/stall_text.h"
#include "runtime/cli/commands.h"
#include "runtime/host/json/json_text.h"
#include "runtime/report/files/stats_files.h"
#include "runtime/report/tables/table_list.h"
#include "runtime/validation/regression/run_statistics.h"

namespace tahoma::runtime {

namespace {

struct StatsCommand {
  std::string pattern, format = "text";
};

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
  if (all.empty())
    throw base::UserError("E-REP-003", "tahoma stats",
                          fmt::format("no statistic and no column has '{}' in its path{}", pattern,
                                      base::did_you_mean(pattern, names)));
  return all;
}

// The stall reason whose time or share a path counts. Other statistics have names like "busy", too, but another sentence.
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

base::ExitStatus explain(const StatsCommand& command) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ColumnPlace& each : wanted(command.pattern)) {
    const std::optional<base::StallReason> reason = stall_reason_of(each);
    if (command.format == "text")
      fmt::print("{} [{}]\n    {}\n{}", each.path, unit_text(each), each.doc,
                 reason ? stall_text(*reason) : "");
    else
      list.push_back(entry_of(each, reason));
  }
  if (command.format == "json") fmt::print("{}\n", dump_json(list, 2));
  return base::ExitStatus::kOk;
}

}  // namespace

void add_stats_command(CLI::App& program, Action& action) {
  const auto command = std::make_shared<StatsCommand>();
  CLI::App* sub = program.add_subcommand(
      "stats",
      "Explain the statistics of a run and the columns of its tables: path, unit, direction and description");
  sub->add_option("PATTERN", command->pattern,
                  "Part of a path, '*' matches any text; default: all. Instance numbers are shown as '*'")
      ->type_name("");
  add_choice(*sub, "--format", command->format, {"text", "json"}, "text or json");
  sub->callback([command, &action] { action = [command] { return explain(*command); }; });
}

}  // namespace tahoma::runtime
