// SPDX-License-Identifier: Apache-2.0
// The source line of an instruction, as text.
#pragma once

#include <cstdint>
#include <string>

#include "isa/core/program.h"

namespace tahoma::runtime {

// The name of a file without its folders.
std::string file_name_of(const std::string& file);
// "kernel.py:12"; "" without a line. The folders of the file are omitted.
std::string source_place(const isa::Program& program, std::uint8_t queue, std::uint32_t index);

}  // namespace tahoma::runtime
