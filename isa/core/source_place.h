// SPDX-License-Identifier: Apache-2.0
// The source line of an instruction, as text.
#pragma once

#include <cstdint>
#include <string>

#include "isa/core/program.h"

namespace tahoma::isa {

// "kernel.py:12", without the folders of the file; "" without a line.
std::string source_place(const Program& program, Queue queue, std::uint32_t index);

// The name of a file without its folders.
std::string file_name_of(const std::string& file);

}  // namespace tahoma::isa
