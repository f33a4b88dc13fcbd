// SPDX-License-Identifier: Apache-2.0
#include "cli/program/program_files.h"

#include <span>
#include <string_view>

#include "isa/binary/container.h"
#include "isa/core/program_error.h"
#include "isa/text/assembler.h"
#include "runtime/host/text/text_file.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace {

constexpr std::string_view kMagic = "TAHO";

isa::Program from_container(const std::string& bytes, const std::string& path) {
  try {
    return isa::from_bytes(std::as_bytes(std::span(bytes)));
  } catch (const isa::ProgramError& error) {
    // The container reports the byte position but not the file name.
    throw isa::ProgramError(error.code, error.place.empty() ? path : path + ":" + error.place, error.message);
  }
}

}  // namespace

isa::Program read_program(const std::string& path) {
  const std::string bytes = read_file(path);
  return bytes.starts_with(kMagic) ? from_container(bytes, path) : isa::assemble(as_text(bytes, path), path);
}

isa::Program read_binary(const std::string& path) { return from_container(read_file(path), path); }

}  // namespace tahoma::runtime
