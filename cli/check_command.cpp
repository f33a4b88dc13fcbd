// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/commands.h"
#include "cli/options/whole_numbers.h"
#include "runtime/host/text/whole_file.h"
#include "studies/validation/accuracy/accuracy.h"
#include "studies/validation/regression/page_writers.h"
#include "studies/validation/regression/regression_folder.h"
#include "studies/validation/validation_files.h"
#include "studies/whatif/uncertain.h"

namespace tahoma::runtime {

using base::ExitStatus, base::UserError;

namespace {

struct CheckCommand {
  std::string path, out, junit, markdown, format = "text", reason, intervals;
  std::vector<std::string> families, cases, overrides;
  std::size_t jobs = 1;
  bool bless = false, require_golden = false;
};

// The combined verdicts of all files, for a CI system and for the exit status.
struct Verdicts {
  std::vector<JunitSuite> suites;
  std::string markdown;
  ExitStatus status = ExitStatus::kOk;
};

std::string out_of(const CheckCommand& command, const ValidationFile& file) {
  if (command.out.empty() || file.name.empty()) return command.out;
  return (std::filesystem::path(command.out) / file.name).string();
}

void check_figures(const CheckCommand& command, const ValidationFile& file, Verdicts& verdicts) {
  const Page page = check_accuracy(file.path, {command.families, command.overrides, command.jobs,
                                               out_of(command, file), own_command_line(), command.intervals});
  fmt::print("{}", command.format == "json" ? page_json(page) : page_text(page));
  for (JunitSuite& suite : page_suites(page)) verdicts.suites.push_back(std::move(suite));
  verdicts.markdown += page_markdown(page);
  verdicts.status = std::max(verdicts.status, page.status);
}

void check_goldens(const CheckCommand& command, const ValidationFile& file, Verdicts& verdicts) {
  const RegressionOptions options{command.cases, command.overrides, command.jobs, command.require_golden};
  const RegressionPage page = check_into(file.path, options, out_of(command, file), own_command_line());
  fmt::print("{}", command.format == "json" ? regression_json(page) : regression_text(page));
  verdicts.suites.push_back(regression_suite(page));
  verdicts.markdown += regression_markdown(page);
  verdicts.status = std::max(verdicts.status, page.status);
}

// The files that the options apply to: --case and --bless apply to cases, --family to figures.
std::vector<ValidationFile> chosen_files(const CheckCommand& command) {
  std::vector<ValidationFile> files = validation_files(command.path);
  const bool cases = command.bless || !command.cases.empty(), figures = !command.families.empty();
  std::erase_if(files, [&](const ValidationFile& file) {
    return (cases && file.kind != ValidationKind::kCases) ||
           (figures && file.kind != ValidationKind::kAccuracy);
  });
  if (files.empty())
    throw UserError("E-REG-015", command.path,
                    cases ? "--bless and --case need a file with the key 'cases'"
                          : "--family needs a file with the key 'accuracy'");
  return files;
}

ExitStatus bless(const CheckCommand& command) {
  for (const ValidationFile& file : chosen_files(command))
    fmt::print("{}", bless_cases(file.path, command.reason,
                                 {command.cases, command.overrides, command.jobs, command.require_golden}));
  return ExitStatus::kOk;
}

ExitStatus check(const CheckCommand& command) {
  if (command.bless) return bless(command);
  Verdicts verdicts;
  for (const ValidationFile& file : chosen_files(command))
    (file.kind == ValidationKind::kCases ? check_goldens : check_figures)(command, file, verdicts);
  if (!command.junit.empty()) write_file(command.junit, junit_xml(verdicts.suites));
  if (!command.markdown.empty()) write_file(command.markdown, verdicts.markdown);
  return verdicts.status;
}

void add_verdicts(CLI::App& sub, CheckCommand& command) {
  sub.add_option("--out", command.out,
                 "Folder for the results as text, JSON and CSV or Markdown; one subfolder for each file of a "
                 "folder of checks")
      ->type_name("DIR")
      ->default_str("none");
  add_choice(sub, "--format", command.format, {"text", "json"}, "What to print: the page as text or as JSON");
  sub.add_option("--junit", command.junit, "Also write the verdicts as JUnit XML")
      ->type_name("FILE")
      ->default_str("none");
  sub.add_option("--markdown", command.markdown, "Also write a table for the summary of a CI job")
      ->type_name("FILE")
      ->default_str("none");
}

void add_choices(CLI::App& sub, CheckCommand& command) {
  std::vector<std::string> intervals;
  for (const ProvenanceGroup& group : provenance_groups()) intervals.emplace_back(group.name);
  add_choice(
      sub, "--intervals", command.intervals, intervals,
      "Run the held-out figures of silicon also at the ends of the ranges of these parameters, and widen "
      "their 95 % intervals by what that changes; takes some hundred times as long");
  sub.add_option("--family", command.families, "Only this family of figures; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->default_str("all");
  sub.add_option("--case", command.cases, "Only this regression case; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->default_str("all");
}

}  // namespace

void add_check_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<CheckCommand>();
  command->jobs = std::max(1U, std::thread::hardware_concurrency());
  sub.add_option("CHECKS", command->path,
                 "YAML file with the key 'cases' or 'accuracy', or a folder: every such file in it and below")
      ->required()
      ->type_name("FILE|DIR");
  add_verdicts(sub, *command);
  add_choices(sub, *command);
  CLI::Option* bless = sub.add_flag("--bless", command->bless,
                                    "Rewrite the goldens of the cases, and log the changes next to them; "
                                    "refused where CI is set");
  sub.add_option("--reason", command->reason, "Why the goldens change; written to the log")
      ->type_name("TEXT")
      ->needs(bless)
      ->default_str("");
  sub.add_flag(
      "--require-golden", command->require_golden,
      "Fail a case in functional mode whose values no reference has checked (exit status 1); without "
      "it such a case is reported as not checked");
  sub.add_option("--jobs", command->jobs, "Number of cases that run in parallel; default: one per host core")
      ->type_name("N")
      ->check(whole_numbers(1, kMostJobs), "")
      ->default_str("");
  add_overrides(sub, command->overrides,
                "Set a value in every case, after the case's own values; only below machine. for figures; "
                "repeatable, the last one wins");
  sub.callback([command, &action] { action = [command] { return check(*command); }; });
}

}  // namespace tahoma::runtime
