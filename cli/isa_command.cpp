// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/reference/isa_json.h"
#include "isa/core/program_error.h"
#include "isa/text/grammar.h"
#include "isa/text/reference.h"

namespace tahoma::runtime {

namespace {

std::string page_of(const std::string& mnemonic) {
  if (mnemonic.empty()) return isa::reference_list();
  try {
    return isa::reference_page(mnemonic);
  } catch (const isa::ProgramError& error) {
    // The user typed the mnemonic, so the error is not one of a program.
    throw base::UserError(error.code, "isa", error.message);
  }
}

}  // namespace

void add_isa_command(CLI::App& sub, Action& action) {
  struct Options {
    std::string mnemonic, format = "text";
  };
  const auto options = std::make_shared<Options>();
  sub.add_option("MNEMONIC", options->mnemonic,
                 "An instruction, such as matmul or nki.isa.nc_matmul; default: a list of all")
      ->type_name("");
  add_choice(
      sub, "--format", options->format, {"text", "json", "markdown", "grammar"},
      "text; json for programs; markdown for the whole reference; grammar for the grammar of assembler text");
  sub.callback([options, &action] {
    action = [options] {
      const std::string& format = options->format;
      const bool one = format == "text" || format == "json";
      if (!one && !options->mnemonic.empty())
        throw base::UserError("E-CLI-003", "isa",
                              fmt::format("--format {} prints a whole page: expected no MNEMONIC", format));
      fmt::print("{}", format == "text"       ? page_of(options->mnemonic)
                       : format == "json"     ? isa_json(options->mnemonic)
                       : format == "markdown" ? isa::reference_markdown()
                                              : isa::grammar_markdown());
      return base::ExitStatus::kOk;
    };
  });
}

}  // namespace tahoma::runtime
