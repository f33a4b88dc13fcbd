// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/nki/nki_oracle.h"
#include "cli/nki/unwritten_reads.h"
#include "cli/options/option_origins.h"
#include "cli/run/run_command.h"
#include "runtime/host/json/json_text.h"
#include "runtime/run/program_checks.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

// "": it is one.
std::string is_tolerance(const std::string& text) {
  double value = -1;
  if (CLI::detail::lexical_cast(text, value) && value >= 0 && std::isfinite(value)) return "";
  return fmt::format("expected a finite number from 0 on, got '{}'", text);
}

// A kernel and its arguments, as words of the command line.
struct NkiCommand {
  RunCommand run;
  std::string kernel, reference;
  std::vector<std::string> args;
  std::uint64_t grid = 0;
  double rtol = 0, atol = 0;
  OracleOptions oracle;
};

// The case that the words describe. A machine that --machine does not name is one chip.
ExitStatus run_nki(NkiCommand& command) {
  if (command.run.jobs > 0) command.oracle.jobs = command.run.jobs;
  if (command.oracle.serve) return serve_verifications(command.oracle);
  if (command.kernel.empty()) throw base::UserError("E-CLI-003", "nki", "KERNEL is required");
  if (command.oracle.verify)
    return verify_kernel(command.oracle, {.kernel = command.kernel,
                                          .args = fmt::format("{}", fmt::join(command.args, "; ")),
                                          .reference = command.reference,
                                          .machine = command.run.options.config.machine,
                                          .overrides = command.run.options.config.overrides,
                                          .seed = command.run.options.config.seed,
                                          .grid = command.grid,
                                          .rtol = command.rtol,
                                          .atol = command.atol});
  nlohmann::json workload{
      {"kernel", command.kernel}, {"args", fmt::format("{}", fmt::join(command.args, "; "))},
      {"grid", command.grid},     {"reference", command.reference},
      {"rtol", command.rtol},     {"atol", command.atol}};
  nlohmann::json document{{"kind", "nki"}, {"machine", "trainium2_chip"}, {"workload", workload}};
  // As in a call from Python: without a reference, nothing says that results have to be finite.
  if (command.reference.empty()) document["not_finite"] = "allowed";
  ConfigRequest& config = command.run.options.config;
  config.workload = command.kernel;
  config.text = dump_json(document);
  config.origins = option_origins({{"args", "--arg", fmt::format("{}", fmt::join(command.args, " "))},
                                   {"grid", "--grid", fmt::format("{}", command.grid)},
                                   {"reference", "--reference", command.reference},
                                   {"rtol", "--golden-rtol", fmt::format("{}", command.rtol)},
                                   {"atol", "--golden-atol", fmt::format("{}", command.atol)}},
                                  config.overrides);
  command.run.harmless = harmless_reads;
  if (command.grid == 2) config.overrides.insert(config.overrides.begin(), "machine.chip.lnc=2");
  return run(command.run);
}

}  // namespace

void add_nki_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<NkiCommand>();
  command->run.checks = program_check_names();  // as a call from Python
  sub.add_option("KERNEL", command->kernel, "The kernel: FILE.py:FUNCTION")->type_name("");
  sub.add_option("--arg", command->args,
                 "An argument by name: NAME=FILE.npy, a Python literal, or randn(128, 512, bfloat16) and "
                 "the like; repeatable")
      ->type_name("NAME=VALUE")
      ->take_all();
  sub.add_option("--grid", command->grid, "Physical cores of a logical core: 1 or 2; default: none given")
      ->type_name("N");
  sub.add_option("--reference", command->reference,
                 "The golden definition, FILE.py:FUNCTION: gets the same arguments in float32, returns the "
                 "expected outputs")
      ->type_name("FILE.py:FUNCTION");
  sub.add_option("--golden-rtol", command->rtol,
                 "Tolerance relative to the largest expected element; default: from the dtype")
      ->type_name("X")
      ->check(is_tolerance, "");
  sub.add_option("--golden-atol", command->atol, "Absolute tolerance")
      ->type_name("X")
      ->check(is_tolerance, "");
  add_oracle_options(sub, command->oracle);
  add_run_options(sub, command->run);
  sub.callback([command, &action] { action = [command] { return run_nki(*command); }; });
}

}  // namespace tahoma::runtime
