// SPDX-License-Identifier: Apache-2.0
#include "cli/options/checkpoint_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "model/base/error.h"

namespace tahoma::runtime {

void add_tolerance_options(CLI::App& command, DumpTolerance& tolerance) {
  command
      .add_option("--rtol", tolerance.relative,
                  "For dumps: tolerance relative to the expected element; default: twice the dtype's unit "
                  "roundoff")
      ->type_name("X");
  command
      .add_option("--atol", tolerance.absolute,
                  "For dumps: absolute tolerance; default: the same times the root mean square of the "
                  "expected elements")
      ->type_name("X");
}

void add_checkpoint_options(CLI::App& command, CheckpointOptions& options) {
  command
      .add_option(
          "--dump", options.dump,
          "Write values as .npy to DIR/dumps: a tensor or tile at the end or at a point "
          "(core0.out, 'core*.psum.matmul@attention#2', 'core0.x@vector[12]'), results of instructions "
          "('core0.vector[12]'), or results: those of every instruction; repeatable")
      ->type_name("NAME[@POINT]")
      ->allow_extra_args(false)
      ->default_str("");
  command
      .add_option(
          "--compare-with", options.compare_with,
          "Compare with the dumps in this folder, and show the first instruction whose result differs; "
          "exit status 1 if any does")
      ->type_name("DIR");
  add_tolerance_options(command, options.tolerance);
}

void judge_dumps(const DumpComparison& comparison, bool print) {
  if (comparison.equal()) {
    if (print) fmt::print("{}", comparison.text());
    return;
  }
  std::string text = comparison.text();
  text.pop_back();  // trailing newline
  throw base::UserError("E-CKP-009", "dumps", text, base::ExitStatus::kCheckFailed);
}

}  // namespace tahoma::runtime
