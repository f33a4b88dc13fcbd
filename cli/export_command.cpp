// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "report/run/run_files.h"
#include "report/tables/name_pattern.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;
using base::UserError;

namespace {

struct ExportCommand {
  std::string folder, to;
  std::vector<std::string> names;
};

// Returns the names that match any pattern, in their order; all names without patterns.
std::vector<std::string> names_to_export(const ExportCommand& command, const RunStore& store) {
  std::vector<std::string> all = exported_names(store);
  if (command.names.empty()) return all;
  std::vector<std::string> files;
  for (const std::string& pattern : command.names) {
    const std::size_t before = files.size();
    const bool plain = pattern.find('/') == std::string::npos;
    if (plain && store.has(pattern)) files.push_back(pattern);  // also what is in the folder itself
    for (const std::string& name : all)
      if (matches_pattern(name, pattern) && std::find(files.begin(), files.end(), name) == files.end())
        files.push_back(name);
    if (files.size() == before)
      throw UserError("E-REP-007", command.folder,
                      fmt::format("the run has no file '{}': expected {}{}", pattern, fmt::join(all, ", "),
                                  base::did_you_mean(pattern, all)));
  }
  return files;
}

// Creates it and its missing parents.
void create_target(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UserError("E-OUT-001", folder.string(), error.message(), status_of_write(error.value()));
}

base::ExitStatus export_files(const ExportCommand& command) {
  const RunStore store(command.folder);
  static_cast<void>(store.statistics());  // a folder without a run has none
  const bool print = command.to == "-";
  const fs::path to = command.to.empty() ? fs::path(command.folder) : fs::path(command.to);
  const std::vector<std::string> names = names_to_export(command, store);
  if (!print) create_target(to);
  for (const std::string& name : names) {
    const std::string bytes = run_file(store, name).value();
    if (print)
      std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    else
      write_file((to / name).string(), bytes);
    if (!print) fmt::print("{}\n", (to / name).string());
  }
  return base::ExitStatus::kOk;
}

}  // namespace

void add_export_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<ExportCommand>();
  sub.add_option("OUT", command->folder, "Folder of a `tahoma run`")->required()->type_name("");
  sub.add_option("NAME", command->names, "Names of files, '*' matches any text; default: all")->type_name("");
  sub.add_option("--to", command->to, "Folder for the files, or - for standard output; default: OUT")
      ->type_name("DIR")
      ->default_str("");
  sub.footer("\nFiles:\n" + run_files_text(true));
  sub.callback([command, &action] { action = [command] { return export_files(*command); }; });
}

}  // namespace tahoma::runtime
