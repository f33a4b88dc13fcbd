// SPDX-License-Identifier: Apache-2.0
// Programs in files: assembler text or the binary container, distinguished by the container's magic.
#pragma once

#include <string>

#include "isa/core/program.h"

namespace tahoma::runtime {

// Reads assembler text or a container. Throws isa::ProgramError if the file is neither.
isa::Program read_program(const std::string& path);
// Reads a container only.
isa::Program read_binary(const std::string& path);

}  // namespace tahoma::runtime
