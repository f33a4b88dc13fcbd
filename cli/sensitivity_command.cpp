// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/commands.h"
#include "cli/options/whole_numbers.h"
#include "report/run/stored_interval.h"
#include "runtime/host/progress.h"
#include "runtime/host/text/text_file.h"
#include "studies/whatif/explain.h"
#include "studies/whatif/sensitivity.h"
#include "studies/whatif/uncertain.h"

namespace tahoma::runtime {

namespace {

struct SensitivityCommand {
  std::string case_or_folder, of = "assumed", format = "text";
  std::vector<std::string> overrides;
  bool store = false;
  std::size_t phases = 0, jobs = std::max(1U, std::thread::hardware_concurrency());
};

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const ProvenanceGroup& group : provenance_groups()) names.emplace_back(group.name);
  return names;
}

ConfigRequest request_of(const SensitivityCommand& command) {
  ConfigRequest request = std::filesystem::is_directory(command.case_or_folder)
                              ? config_of_run(command.case_or_folder)
                              : ConfigRequest{command.case_or_folder, "", {}, "", ""};
  request.overrides = command.overrides;
  return request;
}

base::ExitStatus print_sensitivity(const SensitivityCommand& command) {
  const ConfigRequest request = request_of(command);
  if (command.case_or_folder == kStandardInput && command.store)
    throw base::UserError("E-CLI-003", "sensitivity",
                          "--store: standard input has no folder; expected a file");
  if (command.store) file_of_intervals(command.case_or_folder);  // before the long measurement
  ProgressLine line;
  const Sensitivity found = sensitivity(
      name_of_file(command.case_or_folder), request, provenance_group(command.of).provenances, command.phases,
      command.jobs, [&](std::size_t done, std::size_t of) { line.count(done, of, "runs"); });
  line.clear();
  if (command.store)
    store_interval(command.case_or_folder, *resolve_config(request), found.run.time,
                   {found.interval_low() * 1e9, found.interval_high() * 1e9, command.of});
  fmt::print("{}", command.format == "json"  ? sensitivity_json(found)
                   : command.format == "csv" ? sensitivity_csv(found)
                                             : sensitivity_text(found));
  return base::ExitStatus::kOk;
}

}  // namespace

void add_sensitivity_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<SensitivityCommand>();
  sub.add_option("CASE", command->case_or_folder,
                 "A case, or the folder that tahoma run wrote; - for a case on standard input")
      ->required()
      ->type_name("");
  add_choice(sub, "--of", command->of, group_names(),
             "Which parameters: assumed ones are halved and doubled, derived ones changed by 5 %, measured "
             "ones by 2 %, unless they declare a range of their own (tahoma params)");
  add_overrides(sub, command->overrides, "Set a value of the case; repeatable; such a value is not changed");
  add_phases(sub, command->phases);
  sub.add_option("--jobs", command->jobs, "Number of parallel runs; default: one per host core")
      ->type_name("N")
      ->check(whole_numbers(1, kMostJobs), "")
      ->default_str("");
  sub.add_flag(
      "--store", command->store,
      "Store the interval in intervals.csv beside the case, so that tahoma run of the same values shows it");
  add_choice(sub, "--format", command->format, {"text", "json", "csv"},
             "What to print; csv has every parameter");
  sub.callback([command, &action] { action = [command] { return print_sensitivity(*command); }; });
}

}  // namespace tahoma::runtime
