// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "report/page/page.h"
#include "runtime/host/text/whole_file.h"
#include "studies/sweep/results/index_page.h"
#include "studies/sweep/results/sweep_comparison.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

struct ReportCommand {
  std::string a, b, out;
};

// The page of one folder is in it; the page of two folders is in the working directory.
std::string output_of(const ReportCommand& command, const char* name) {
  if (!command.out.empty()) return command.out;
  return command.b.empty() ? (std::filesystem::path(command.a) / name).string() : "report-compare.html";
}

ExitStatus report(const ReportCommand& command) {
  std::string file;
  if (command.b.empty() && is_sweep_folder(command.a)) {
    file = output_of(command, "index.html");
    write_file(file, sweep_page(command.a));
  } else {
    std::vector<PageRun> runs{read_page_run(command.a)};
    if (!command.b.empty()) runs.push_back(read_page_run(command.b));
    if (runs.size() == 1) runs.front().name.clear();
    file = output_of(command, "report.html");
    write_file(file, run_page(runs));
  }
  fmt::print("{}\n", file);
  return ExitStatus::kOk;
}

}  // namespace

void add_report_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<ReportCommand>();
  sub.add_option("A", command->a, "Folder that `tahoma run` or `tahoma sweep` wrote")
      ->required()
      ->type_name("DIR");
  sub.add_option("B", command->b, "Folder of another run; the page compares both")->type_name("DIR");
  sub.add_option(
         "--out", command->out,
         "File of the page; default: report.html or index.html in A, or report-compare.html here with B")
      ->type_name("FILE")
      ->default_str("");
  sub.callback([command, &action] { action = [command] { return report(*command); }; });
}

}  // namespace tahoma::runtime
