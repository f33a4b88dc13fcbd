// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <new>
#include <system_error>

#include "cli/command_table.h"
#include "cli/commands.h"
#include "cli/missing_module.h"
#include "isa/core/program_error.h"
#include "model/system/parallel/agreement.h"
#include "report/run/parallel_run.h"
#include "runtime/host/output/version.h"
#include "runtime/host/text/whole_file.h"
#include "runtime/mpi/launch.h"

namespace tahoma::runtime {

using base::ExitStatus, base::UserError;

namespace {

std::vector<std::string> command_names(CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

// The library would report a misspelt command as an unexpected argument.
void check_command(CLI::App& program, int argc, const char* const* argv) {
  const std::vector<std::string> names = command_names(program);
  if (argc < 2)
    throw UserError("E-CLI-001", "",
                    fmt::format("expected a command: {}; see tahoma --help", fmt::join(names, ", ")));
  const std::string name = argv[1];
  if (name.starts_with("-") || std::find(names.begin(), names.end(), name) != names.end()) return;
  throw UserError("E-CLI-001", "",
                  fmt::format("unknown command '{}': expected {}{}", name, fmt::join(names, ", "),
                              base::did_you_mean(name, names)));
}

[[noreturn]] void refuse_extra(const CLI::App& program) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  const CLI::App& command = chosen.empty() ? program : *chosen.front();
  const std::vector<std::string> extras = program.remaining(true);
  // The value of a misspelt option may appear as an unexpected argument; the option is the cause.
  auto extra =
      std::find_if(extras.begin(), extras.end(), [](const auto& text) { return text.starts_with("-"); });
  if (extra == extras.end()) {
    const std::string first = extras.empty() ? "" : extras.front();
    throw UserError("E-CLI-002", command.get_name(), fmt::format("unexpected argument '{}'", first));
  }
  const std::string name = extra->substr(0, extra->find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
  throw UserError("E-CLI-002", command.get_name(),
                  fmt::format("unknown option '{}'{}", name, base::did_you_mean(name, names)));
}

std::string place_of(const CLI::App& program) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  return chosen.empty() ? "" : chosen.front()->get_name();
}

// Fails the command if the printed output could not be written.
void flush_output() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0 && std::cout.flush().good();
  if (!flushed || std::ferror(stdout) != 0) refuse_write("standard output", errno == 0 ? EIO : errno);
}

// An empty value is a variable that a script has not set. Without this, it would be the default.
void refuse_empty_values(const CLI::App& program) {
  for (const CLI::App* command : program.get_subcommands())
    for (const CLI::Option* option : command->get_options())
      for (const std::string& value : option->results())
        if (value.empty())
          throw UserError("E-CLI-003", command->get_name(),
                          fmt::format("{}: expected a value, got ''", option->get_name()));
}

// Help is printed by one of several processes.
bool is_printed_here(model::Processes& processes) {
  try {
    return prints_help(processes);
  } catch (const model::ReportedElsewhere&) {
    return false;  // the status of process 0 is that of all
  }
}

// A command of a module that is not built takes any arguments: the program that has it will check them.
void add_command(const CommandRow& row, CLI::App& program, Action& action) {
  CLI::App& sub = *program.add_subcommand(row.name, row.doc);
  if (row.add.built()) {
    row.add(sub, action);
    return;
  }
  sub.set_help_flag();
  sub.prefix_command();
  sub.callback([&row, &sub, &action] { action = [&] { return row.add(sub, action), ExitStatus::kHost; }; });
}

ExitStatus parse_and_act(int argc, const char* const* argv) {
  CLI::App program{
      "Tahoma simulates kernels on a Trainium2 UltraServer: their results, their time and their bottlenecks.",
      "tahoma"};
  program.set_version_flag("--version", fmt::format("tahoma {}", version()), "Print the version and exit");
  program.option_defaults()->always_capture_default();
  program.require_subcommand(1);
  Action action;
  for (const CommandRow& row : command_table()) add_command(row, program, action);
  check_command(program, argc, argv);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {
    if (const auto processes = launched_processes(); processes && !is_printed_here(*processes))
      return ExitStatus::kOk;
    program.exit(help);  // --help, --version: prints
    flush_output();
    return ExitStatus::kOk;
  } catch (const CLI::ParseError& error) {
    // An unknown option is the likely cause of anything else that is missing.
    if (!program.remaining(true).empty()) refuse_extra(program);
    throw UserError("E-CLI-003", place_of(program), error.what());
  }
  refuse_empty_values(program);
  if (launched_rank().count > 1 && place_of(program) != "run")
    throw UserError("E-PAR-005", place_of(program),
                    fmt::format("mpirun started {} processes, but only tahoma run shares its work",
                                launched_rank().count));
  const ExitStatus status = action();
  flush_output();
  return status;
}

ExitStatus fail(ExitStatus status, const std::string& text) {
  std::fflush(stdout);
  // Every process of mpirun finds the user's error. If another one ended first, mpirun would end process 0
  // before it could print.
  if (launched_rank().rank != 0) {
    end_failed_process(status, text);
    return ExitStatus::kOk;
  }
  fmt::print(stderr, "tahoma: {}\n", text);
  return status;
}

// More was printed than the buffer holds, so that the error comes before the flush.
ExitStatus fail_output(int reason) {
  try {
    refuse_write("standard output", reason);
  } catch (const UserError& error) {
    return fail(error.status, error.what());
  }
}

}  // namespace

std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

ExitStatus command_line(int argc, const char* const* argv) {
  try {
    return parse_and_act(argc, argv);
  } catch (const base::MissingModule& missing) {
    return fail(missing.status, build_and_restart(missing, argv));
  } catch (const UserError& error) {
    return fail(error.status, error.what());
  } catch (const isa::ProgramError& error) {
    return fail(ExitStatus::kProgram, error.what());
  } catch (const base::InvariantError& error) {
    return fail(ExitStatus::kInvariant, error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitStatus::kHost, "error[E-HOST-001]: the host has no memory left");
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return fail_output(error.code().value());
    return fail(ExitStatus::kHost, fmt::format("error[E-HOST-001]: {}", error.what()));
  } catch (const std::exception& error) {
    // Tahoma throws nothing else; SystemC's reports arrive here.
    return fail(ExitStatus::kInvariant, error.what());
  }
}

}  // namespace tahoma::runtime
