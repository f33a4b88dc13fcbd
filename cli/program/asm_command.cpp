// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/program/program_files.h"
#include "isa/binary/container.h"
#include "isa/text/assembler.h"
#include "runtime/host/text/text_file.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace {

struct AsmOptions {
  std::string file, output;
};

base::ExitStatus assemble_file(const AsmOptions& options) {
  const isa::Program program = isa::assemble(read_text(options.file), options.file);
  const std::string output = options.output.empty()
                                 ? std::filesystem::path(options.file).replace_extension(".bin").string()
                                 : options.output;
  if (output == options.file)
    throw base::UserError("E-CLI-003", "asm",
                          "the binary would overwrite its source: choose another file with --output");
  const std::vector<std::byte> bytes = isa::to_bytes(program);
  write_file(output, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  fmt::print("{}\n", output);
  return base::ExitStatus::kOk;
}

}  // namespace

void add_asm_command(CLI::App& sub, Action& action) {
  const auto options = std::make_shared<AsmOptions>();
  sub.add_option("FILE", options->file, "Assembler text")->required()->type_name("");
  sub.add_option("-o,--output", options->output, "The binary; default: FILE with the extension .bin")
      ->type_name("FILE");
  sub.callback([options, &action] { action = [options] { return assemble_file(*options); }; });
}

}  // namespace tahoma::runtime
