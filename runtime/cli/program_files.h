// SPDX-License-Identifier: Apache-2.0
// Programs in files: assembler text, or the binary container, told apart by the container's magic.
#pragma once

#include <string>

#include "isa/core/program.h"

namespace tahoma::runtime {

// Assembler text or container, whichever it is. isa::ProgramError if it is neither.
isa::Program read_program(const std::string& path);
// The container only.
isa::Program read_binary(const std::string& path);

}  // namespace tahoma::runtime
