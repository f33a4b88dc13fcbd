// SPDX-License-Identifier: Apache-2.0
// Programs in files: assembler text, or the binary container, told apart by the container's magic.
#pragma once

#include <string>
#include <string_view>

#include "isa/program.h"

namespace tahoma::runtime {

// The whole file. E-RUN-001 with the system's reason.
std::string read_file(const std::string& path);
// All or nothing: a file that exists keeps its contents until the new ones are complete. E-OUT-003.
void write_file(const std::string& path, std::string_view bytes);

// Assembler text or container, whichever it is. isa::ProgramError if it is neither.
isa::Program read_program(const std::string& path);
// The container only.
isa::Program read_binary(const std::string& path);

}  // namespace tahoma::runtime
